import { type Line, nothing, payFrom, priceOf, shareOut } from '#ledger/bill.js'
import { setStake } from '#ledger/credit/stake.js'
import type { Goods } from '#ledger/goods.js'
import { createHolds, type Held } from '#ledger/posting/hold.js'
import { createSettlements, type Outcome } from '#ledger/posting/settle.js'
import { newRequestId } from '#plumbing/ids.js'
import type { Sql } from '#store/sql.js'
import { createPayer } from './money.js'

/** So many tokens, images, ... at a price of nano-USD per million; in diem they cost the same unless said otherwise. */
export const line = (fields: Partial<Line> = {}): Line => ({
  sku: 'acme-chat-llm-output-mtoken',
  part: 'Output',
  quantity: 1_000_000n,
  usdPerMillion: 1_000_000_000n,
  diemPerMillion: fields.usdPerMillion ?? 1_000_000_000n,
  per: 'million',
  ...fields,
})

/** Units that cost a nano each. */
export const nanoLine = (part: string, quantity: bigint): Line =>
  line({ sku: `acme-${part.toLowerCase()}`, part, quantity, usdPerMillion: 1_000_000n })

type Who = { accountId: string; apiKeyId?: string | null; goods?: Partial<Goods> }
export type Running = Required<Who> & { requestId: string; held: Held; beganAtMs: number }
type Hold = Who & { lines?: Line[]; atMs: number; expiresAtMs?: number }

const acmeChat: Goods = { model: 'acme-chat', modelType: 'LLM', unitType: 'tokens' }

/** Sets the price of some lines aside, as the gate does before the work; the request is running then. */
export const holdUsage = async (
  sql: Sql,
  { accountId, apiKeyId = null, goods = {}, lines = [line()], atMs, expiresAtMs = atMs + 3_600_000 }: Hold,
): Promise<Running> => {
  const requestId = newRequestId()
  const price = priceOf(lines)
  const hold = createHolds({ sql, clock: { nowMs: () => atMs }, holdMs: expiresAtMs - atMs })
  const model = goods.model ?? acmeChat.model
  const result = await hold({ requestId, accountId, apiKeyId, model, least: price, most: price })
  if (result.outcome !== 'held') throw new Error(`the account cannot pay: ${result.outcome}`)
  return { requestId, accountId, apiKeyId, goods, held: result.held, beganAtMs: atMs }
}

type End = { lines?: Line[]; outcome?: Outcome; atMs: number }

/** Ends a running request, with the roll-ups that belong to it. Failed ones cost nothing. */
export const settleHeld = async (sql: Sql, running: Running, { outcome = 'completed', atMs, ...end }: End) => {
  const { held, goods, ...who } = running
  const isCharged = outcome === 'completed' || outcome === 'aborted'
  const lines = isCharged ? (end.lines ?? [line()]) : []
  const paid = isCharged ? payFrom(held, priceOf(lines)) : nothing
  const tokens = (part: string) => lines.find((line) => line.part === part)?.quantity ?? null
  const settle = createSettlements({ sql, clock: { nowMs: () => atMs } })
  const result = await settle({
    ...who,
    goods: { ...acmeChat, ...goods },
    held,
    paid,
    lines: shareOut(lines, paid),
    outcome,
    countedBy: isCharged ? 'estimate' : null,
    promptTokens: tokens('Input'),
    completionTokens: tokens('Output'),
  })
  if (result !== 'settled') throw new Error(`the request was not settled: ${result}`)
  return { requestId: running.requestId, paid, held }
}

/** A request from its hold to its settlement. */
export const settleUsage = async (
  sql: Sql,
  { atMs, tookMs = 1000, outcome, ...use }: Hold & Omit<End, 'atMs'> & { tookMs?: number },
) => {
  const running = await holdUsage(sql, { ...use, atMs: atMs - tookMs })
  return settleHeld(sql, running, { ...use, ...(outcome && { outcome }), atMs })
}

const dayMs = 24 * 60 * 60 * 1000

type Credit = { usd?: bigint; bundled?: bigint; diem?: bigint; nowMs: number }

/** An account of its own with an ADMIN key and some credit. */
export const createAdminPayer = async (sql: Sql, { diem = 0n, nowMs, ...credit }: Credit) => {
  const payer = await createPayer(sql, { ...credit, type: 'ADMIN', description: 'billing', nowMs })
  // Staked long ago, so that requests of earlier days find diem too.
  if (diem > 0n) await setStake(sql, { accountId: payer.accountId, amountNanos: diem, nowMs: nowMs - 90 * dayMs })
  return payer
}
