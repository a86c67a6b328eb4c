import type { Check } from './check.js'

/** What is set aside for requests that run. */
export const holdChecks: Check[] = [
  {
    check: 'no request is both held and settled',
    broken: (ask) => ask`
      select format('request %s', h.request_id) what
      from ledger_hold h where exists (select from usage_record r where r.request_id = h.request_id)`,
  },
  {
    check: 'no hold outlives its expiry',
    broken: (ask, { expiredBefore }) => ask`
      select format('request %s, expired %s', request_id, to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')) what
      from ledger_hold where expires_at < ${expiredBefore}`,
  },
  {
    check: 'no account has more held than its balance',
    broken: (ask) => ask`
      select format('ledger account %s of %s: %s nano-%s held, %s there',
                    h.ledger_account, h.account_id, sum(h.amount), h.currency, coalesce(max(a.balance), 0)) what
      from (
        select account_id, usd_account ledger_account, 'USD'::currency currency, usd amount from ledger_hold
        union all
        select account_id, bundled_account, 'BUNDLED_CREDITS', bundled from ledger_hold
        union all
        select account_id, diem_account, 'DIEM', diem from ledger_hold) h
      -- An account of somebody else, or of another currency, has nothing for this hold.
      left join ledger_account a on a.id = h.ledger_account and a.owner = h.account_id and a.currency = h.currency
      where h.amount <> 0
      group by h.ledger_account, h.account_id, h.currency having sum(h.amount) > coalesce(max(a.balance), 0)`,
  },
]
