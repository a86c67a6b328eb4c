// Accounts, keys and history in bulk, with books that add up.
import { createHash } from 'node:crypto'

/** Reckoned instead of remembered: a million ids on the heap would be paid for by our own garbage collector. */
export const accountIdOf = (number) => {
  const hex = createHash('md5').update(`account ${number}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const grantNanos = 1_000_000_000_000_000n

/** Accounts with credit and one key each, which has the id of its account. */
export const fillAccounts = ({ sql }, accounts) =>
  sql.script(`
    create table bench_account as select md5('account ' || n)::uuid id, n from generate_series(0, ${accounts - 1}) n;
    insert into account (id, name, created_at) select id, 'payer ' || n, now() from bench_account order by n;
    insert into api_key (id, account_id, type, hash, last6, description, created_at)
      select id, id, 'INFERENCE', sha256(id::text::bytea), '012345', 'bench', now() from bench_account order by n;
    insert into ledger_account (owner, currency, kind, balance)
      select id, 'USD', 'credit', ${grantNanos} from bench_account order by n on conflict (owner, day, currency, kind)
      do update set balance = excluded.balance;
    insert into ledger_transfer (id, idempotency_key, kind, account_id, currency, amount, created_at)
      select id, 'bench ' || n, 'grant', id, 'USD', ${grantNanos}, now() from bench_account order by n;
    insert into ledger_entry (transfer_id, account_id, amount)
      select b.id, a.id, ${grantNanos} from bench_account b join ledger_account a on a.owner = b.id and a.currency = 'USD'
      union all
      select b.id, a.id, -${grantNanos} from bench_account b, ledger_account a
      where a.owner is null and a.currency = 'USD' and a.kind = 'granted';`)

/** Requests of the last thirty days, spread over accounts and models, with the entries and roll-ups they left. */
export const fillUsage = ({ sql }, { rows, accounts, models }) =>
  sql.transaction(async (sql) => {
    await sql.script(`
      set local work_mem = '256MB';
      set local maintenance_work_mem = '256MB';
      -- Emptied in the same transaction, it can be filled without a log.
      truncate usage_record;
      insert into usage_record (request_id, account_id, api_key_id, began_at, settled_at, model, outcome, counted_by, lines,
          prompt_tokens, completion_tokens, held_usd, held_bundled, held_diem, usd, bundled, diem)
        select (lpad(to_hex(extract(epoch from at)::bigint), 8, '0') || substr(md5(r.n::text), 1, 24))::uuid, account, account,
               at - interval '2 seconds', at, (array['${models.join("','")}'])[1 + r.n % ${models.length}], 'completed', 'upstream',
               '[{"sku":"bench-llm-input-mtoken","part":"Input","quantity":"1200","usdPerMillion":"500000000","diemPerMillion":"500000000","per":"million","usd":"600000","diem":"0"},{"sku":"bench-llm-output-mtoken","part":"Output","quantity":"400","usdPerMillion":"1500000000","diemPerMillion":"1500000000","per":"million","usd":"600000","diem":"0"}]',
               1200, 400, 5000000, 0, 0, 1200000, 0, 0
        from (select n, now() - interval '1 hour' - (${rows} - n) * interval '30 days' / ${rows} as at,
                     md5('account ' || (n * 7919::bigint) % ${accounts})::uuid as account
              from generate_series(1, ${rows}) n offset 0) r;
      insert into ledger_entry (transfer_id, account_id, amount)
        select r.request_id, a.id, -r.usd from usage_record r join ledger_account a on a.owner = r.account_id and a.currency = 'USD'
        union all
        select r.request_id, a.id, r.usd from usage_record r, ledger_account a
        where a.owner is null and a.currency = 'USD' and a.kind = 'earned';
      update ledger_account a set balance = balance - r.usd
        from (select account_id, sum(usd) usd from usage_record group by account_id) r
        where a.owner = r.account_id and a.currency = 'USD';
      create temporary table bench_day on commit drop as
        select account_id, (settled_at at time zone 'UTC')::date as day, model, count(*) as requests
        from usage_record group by 1, 2, 3;
      insert into usage_by_model (account_id, day, model, part, model_type, unit_type, units, usd, diem)
        select account_id, day, model, part, 'LLM', 'tokens', requests * units, requests * 600000, 0
        from bench_day, (values ('Input', 1200), ('Output', 400)) p (part, units);
      insert into usage_by_key (account_id, api_key_id, day, units, usd, diem, month_usd, month_diem, life_usd, life_diem)
        select account_id, account_id, day, requests * 1600, requests * 1200000, 0,
               sum(requests * 1200000) over (partition by account_id, date_trunc('month', day) order by day), 0,
               sum(requests * 1200000) over (partition by account_id order by day), 0
        from (select account_id, day, sum(requests)::bigint as requests from bench_day group by 1, 2) d;`)
  })

/** As a database looks that has been running for a while; otherwise autovacuum would do it in the middle of a slice. */
export const settleDown = async ({ sql }) => {
  await sql`vacuum (analyze)`
  await sql`checkpoint`
}
