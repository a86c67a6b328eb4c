import type { Check } from './check.js'

/** What wallets paid in, as the journal of payments and as the books have it. Unique indexes see to "at most once". */
export const paymentChecks: Check[] = [
  {
    check: 'every payment of a wallet was credited what it paid, and no top-up is without its payment',
    broken: (ask) => ask`
      select format('payment %s of %s paid %s nano-USD, transfer %s to account %s says %s', coalesce(p.id::text, 'unknown'),
                    coalesce(p.payer, 'nobody'), coalesce(p.amount * 1000, 0), coalesce(t.id::text, 'unknown'),
                    coalesce(t.account_id::text, 'of nobody'), coalesce(t.amount, 0)) what
      from (select * from x402_payment where state = 'credited') p
      full join (select * from ledger_transfer where kind = 'top-up') t on t.idempotency_key = 'x402:' || p.payment_key
      left join wallet w on w.address = p.payer
      where p.id is null or t.id is null or t.amount <> p.amount * 1000 or t.currency <> 'USD'
        or t.account_id is distinct from w.account_id`,
  },
]
