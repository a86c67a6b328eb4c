import type { Caller } from '#accounts/caller.js'
import type { JsonText } from '#engines/nodes/node.js'
import type { Clock } from '#plumbing/clock.js'
import type { Row, Sql } from '#store/sql.js'
import type { OnSend, SendEnd } from './sending.js'

/** What became of a transaction. `sent`: nobody noted it, because the process ended before the node had answered. */
export type SendOutcome = SendEnd | 'sent'

export type Sender = { requestId: string; caller: Caller }

/** A transaction that somebody sent through us. What was in it is not kept. */
export type SentTransaction = {
  requestId: string
  accountId: string
  apiKeyId: string | null
  network: string
  method: string
  hash: string | null
  outcome: SendOutcome
  at: Date
}

/** Writes down who sends which transaction, before it is sent, so that not even a crash hides one. */
export type SendLog = { noting(sender: Sender): OnSend }

export const createSendLog = ({ sql, clock }: { sql: Sql; clock: Clock }): SendLog => ({
  noting:
    ({ requestId, caller: { accountId, keyId } }) =>
    async ({ network, method, hash = null }) => {
      const at = new Date(clock.nowMs())
      const { id } = await sql.one<{ id: bigint }>`
        insert into rpc_transaction (request_id, account_id, api_key_id, network, method, hash, outcome, at)
        values (${requestId}, ${accountId}, ${keyId}, ${network}, ${method}, ${hash}, 'sent', ${at}) returning id`
      return async (outcome, result) => {
        const told = result === undefined ? null : hashIn(result)
        await sql`update rpc_transaction set outcome = ${outcome}, hash = coalesce(hash, ${told}) where id = ${id}`
      }
    },
})

/** Of what could not be known before: the hash that the node gave it, alone or as `transaction_hash` on Starknet. */
const hashIn = (result: JsonText): string | null =>
  /^(?:\{[^{}]*"transaction_hash"\s*:\s*)?"([\w]{1,100})"/.exec(result)?.[1] ?? null

type Wanted = { network?: string | undefined; accountId?: string | undefined; hash?: string | undefined; limit: number }

/** The newest first. */
export const listSentTransactions = async (
  sql: Sql,
  { network, accountId, hash, limit }: Wanted,
): Promise<SentTransaction[]> =>
  (
    await sql<Row & SentTransaction>`
      select replace(request_id::text, '-', '') "requestId", account_id "accountId", api_key_id "apiKeyId", network, method,
             hash, outcome, at
      from rpc_transaction
      where (${network ?? null}::text is null or network = ${network ?? null})
        and (${accountId ?? null}::uuid is null or account_id = ${accountId ?? null})
        and (${hash ?? null}::text is null or hash = ${hash ?? null})
      order by at desc, id desc limit ${limit}`
  ).map((row) => ({ ...row }))
