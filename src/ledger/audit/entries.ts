import type { Check } from './check.js'

/** The entries prove the balances, and what is said to have happened proves the entries. */
export const entryChecks: Check[] = [
  {
    check: 'the entries of every transfer sum to zero',
    broken: (ask) => ask`
      select format('transfer %s is off by %s nano-%s', e.transfer_id, sum(e.amount), a.currency) what
      from ledger_entry e left join ledger_account a on a.id = e.account_id
      group by e.transfer_id, a.currency having sum(e.amount) <> 0`,
  },
  {
    check: 'every entry belongs to a transfer or a request, and to an account',
    broken: (ask) => ask`
      select format('%s nanos of %s on ledger account %s', e.amount, e.transfer_id, e.account_id) what
      from ledger_entry e
      left join ledger_account a on a.id = e.account_id
      left join ledger_transfer t on t.id = e.transfer_id
      left join usage_record r on r.request_id = e.transfer_id
      where a.id is null or (t.id is null) = (r.request_id is null)`,
  },
  {
    check: 'every transfer gave the account what it says, once',
    broken: (ask) => ask`
      select format('transfer %s says %s nano-%s, %s entries say %s',
                    t.id, t.amount, t.currency, count(a.id), coalesce(sum(e.amount), 0)) what
      from ledger_transfer t
      left join (ledger_entry e join ledger_account a on a.id = e.account_id and a.owner is not null) on e.transfer_id = t.id
      group by t.id
      having count(a.id) <> 1 or sum(e.amount) <> t.amount
        or bool_or(a.owner is distinct from t.account_id or a.currency <> t.currency)`,
  },
  {
    check: 'every request was paid what it cost, once, by its own account',
    broken: (ask) => ask`
      select format('request %s cost %s USD, %s bundled, %s diem, %s entries say %s, %s, %s (nanos)', r.request_id,
                    r.usd, r.bundled, r.diem, coalesce(p.entries, 0),
                    coalesce(p.usd, 0), coalesce(p.bundled, 0), coalesce(p.diem, 0)) what
      from usage_record r
      left join (
        select e.transfer_id, a.owner, count(*) entries,
               sum(-e.amount) filter (where a.currency = 'USD') usd,
               sum(-e.amount) filter (where a.currency = 'BUNDLED_CREDITS') bundled,
               sum(-e.amount) filter (where a.currency = 'DIEM') diem
        from ledger_entry e join ledger_account a on a.id = e.account_id
        where a.owner is not null
        group by e.transfer_id, a.owner) p on p.transfer_id = r.request_id
      where r.usd <> coalesce(p.usd, 0) or r.bundled <> coalesce(p.bundled, 0) or r.diem <> coalesce(p.diem, 0)
        or p.owner <> r.account_id
        or coalesce(p.entries, 0) <> (r.usd <> 0)::int + (r.bundled <> 0)::int + (r.diem <> 0)::int`,
  },
  {
    check: 'every balance is the sum of its entries',
    broken: (ask) => ask`
      select format('ledger account %s of %s has %s nano-%s, its entries say %s',
                    a.id, a.owner, a.balance, a.currency, coalesce(e.total, 0)) what
      from ledger_account a
      left join (select account_id, sum(amount) total from ledger_entry group by account_id) e on e.account_id = a.id
      where a.owner is not null and a.balance is distinct from coalesce(e.total, 0)`,
  },
  {
    check: 'no balance is negative, and the house keeps none',
    broken: (ask) => ask`
      select format('ledger account %s of %s has %s nano-%s', id, coalesce(owner::text, 'the house'), balance, currency) what
      from ledger_account where case when owner is null then balance is not null else balance < 0 end`,
  },
  {
    // The key of each grant says what was granted before on its day, so a grant that is missing, doubled or of another
    // day breaks the chain.
    check: 'every day has the diem that was granted for it, once',
    broken: (ask) => ask`
      with link as (
        select account_id, amount, split_part(idempotency_key, ':', 3)::date as day,
               split_part(idempotency_key, ':', 4)::bigint as granted_before
        from ledger_transfer where kind = 'diem'),
      chain as (
        select account_id, day, sum(amount) amount, bool_and(granted_before = granted - amount) is_whole
        from (select *, sum(amount) over (partition by account_id, day order by granted_before) granted from link) l
        group by account_id, day),
      arrived as (
        select a.owner, a.day, sum(e.amount) amount
        from ledger_entry e join ledger_account a on a.id = e.account_id
        where a.owner is not null and a.currency = 'DIEM' and e.amount > 0
        group by a.owner, a.day)
      select format('%s on %s: %s nano-diem granted, %s arrived, %s counted', coalesce(c.account_id, a.owner, s.account_id),
                    coalesce(c.day, a.day, s.day), coalesce(c.amount, 0), coalesce(a.amount, 0), s.granted) what
      from chain c
      full join arrived a on a.owner = c.account_id and a.day = c.day
      full join (select account_id, day, granted from diem_stake where granted > 0) s
        on s.account_id = coalesce(c.account_id, a.owner) and s.day = coalesce(c.day, a.day)
      where c.amount is distinct from a.amount or not c.is_whole or s.granted <> coalesce(c.amount, 0)`,
  },
]
