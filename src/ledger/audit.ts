import type { Sql } from '#store/sql.js'

export type Finding = { check: string; problems: number; detail: string }

/** Proves on a live database that the books are right. Nothing is changed; every problem found is a bug or tampering. */
export const auditLedger = async (sql: Sql): Promise<Finding[]> => {
  const finding = async (check: string, rows: Promise<{ what: string }[]>): Promise<Finding> => {
    const found = await rows
    return {
      check,
      problems: found.length,
      detail: found
        .slice(0, 5)
        .map(({ what }) => what)
        .join(', '),
    }
  }
  return [
    await finding(
      'the entries of every transfer sum to zero',
      sql`select transfer_id::text what from ledger_entry group by transfer_id having sum(amount) <> 0 limit 100`,
    ),
    await finding(
      'every balance is the sum of its entries',
      sql`select a.id::text what from ledger_account a left join ledger_entry e on e.account_id = a.id
          where a.owner is not null
          group by a.id having a.balance <> coalesce(sum(e.amount), 0) limit 100`,
    ),
  ]
}
