import { randomUUID } from 'node:crypto'
import { type Amounts, type Line, linesToText, payFrom, priceOf, shareOut } from '#ledger/bill.js'
import type { Sql } from '#store/sql.js'
import { createPayer } from './money.js'

export type Use = {
  accountId: string
  apiKeyId?: string | null
  model?: string
  modelType?: string | null
  unitType?: string
  lines?: Line[]
  outcome?: 'completed' | 'aborted' | 'failed' | 'expired'
  atMs: number
  tookMs?: number
  requestId?: string
}

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

type Held = Amounts & {
  outcome: string
  usd_account: bigint
  bundled_account: bigint | null
  diem_account: bigint | null
}

/** Sets the price of some lines aside, as the gate does before the work; the request is running then. */
export const holdUsage = async (
  sql: Sql,
  { accountId, apiKeyId = null, lines = [line()], model = 'acme-chat', atMs, ...use }: Use,
) => {
  const requestId = use.requestId ?? randomUUID()
  const price = priceOf(lines)
  const at = new Date(atMs)
  const held = await sql.one<Held>`
    select * from ledger_hold_batch(
      array[${accountId}::uuid], array[${requestId}::uuid], array[${accountId}::uuid], array[${apiKeyId}::uuid],
      array[${model}::text], '{false}',
      array[${price.usd}::bigint], array[${price.diem}::bigint], array[${price.usd}::bigint], array[${price.diem}::bigint],
      '{null}', '{null}', ${at}, ${new Date(atMs + 3_600_000)})`
  if (held.outcome !== 'held') throw new Error(`the account cannot pay: ${held.outcome}`)
  return { requestId, price, held }
}

/** A request from its hold to its settlement, with the roll-ups that belong to it. Failed ones cost nothing. */
export const settleUsage = async (sql: Sql, use: Use) => {
  const { accountId, apiKeyId = null, model = 'acme-chat', modelType = 'LLM', unitType = 'tokens' } = use
  const { outcome = 'completed', atMs, tookMs = 1000 } = use
  const { requestId, price, held } = await holdUsage(sql, { ...use, atMs: atMs - tookMs })
  const isCharged = outcome === 'completed' || outcome === 'aborted'
  const lines = isCharged ? (use.lines ?? [line()]) : []
  const paid = isCharged ? payFrom(held, price) : { usd: 0n, bundled: 0n, diem: 0n }
  const shares = shareOut(lines, paid)
  const house = await sql<{ id: bigint; currency: string }>`
    select id, currency::text from ledger_account where owner is null and kind = 'earned'`
  const earned = (currency: string) => house.find((account) => account.currency === currency)!.id
  const payments = [
    { from: held.usd_account, to: earned('USD'), amount: paid.usd },
    { from: held.bundled_account, to: earned('BUNDLED_CREDITS'), amount: paid.bundled },
    { from: held.diem_account, to: earned('DIEM'), amount: paid.diem },
  ].filter(({ from, amount }) => amount > 0n || from === held.usd_account)
  const entries = payments
    .filter(({ amount }) => amount > 0n)
    .flatMap(({ from, to, amount }) => [
      { account: from, amount: -amount },
      { account: to, amount },
    ])
  const quantity = lines.reduce((sum, { quantity }) => sum + quantity, 0n)
  const tokens = (part: string) =>
    lines.some((line) => line.part === part) ? shares.find((share) => share.part === part)!.quantity : null
  const { result } = await sql.one<{ result: string }>`
    select ledger_settle_batch(
      array[${accountId}::uuid], ${new Date(atMs)},
      array[${requestId}::uuid], array[${accountId}::uuid], array[${apiKeyId}::uuid], array[${outcome}::usage_outcome], '{false}',
      array[${held.usd}::bigint], array[${held.bundled}::bigint], array[${held.diem}::bigint],
      array[${paid.usd}::bigint], array[${paid.bundled}::bigint], array[${paid.diem}::bigint],
      array[${new Date(atMs - tookMs)}::timestamptz], array[${model}::text], array[${isCharged ? 'tokenizer' : null}::text],
      array[${linesToText(shares)}::text], array[${tokens('Input')}::bigint], array[${tokens('Output')}::bigint],
      '{}', '{}',
      ${entries.map(() => requestId)}::uuid[], ${entries.map(({ account }) => account)}::bigint[],
      ${entries.map(({ amount }) => amount)}::bigint[],
      ${payments.map(({ from }) => from)}::bigint[], ${payments.map(({ amount }) => amount)}::bigint[],
      ${shares.map(() => accountId)}::uuid[], ${shares.map(() => model)}::text[], ${shares.map(({ part }) => part)}::text[],
      ${shares.map(() => modelType)}::text[], ${shares.map(() => unitType)}::text[],
      ${shares.map(({ quantity }) => quantity)}::bigint[], ${shares.map(({ usd }) => usd)}::bigint[],
      ${shares.map(({ diem }) => diem)}::bigint[],
      array[${accountId}::uuid], array[${apiKeyId ?? accountId}::uuid], array[${quantity}::bigint],
      array[${paid.usd + paid.bundled}::bigint], array[${paid.diem}::bigint]) result`
  if (result !== 'settled') throw new Error(`the request was not settled: ${result}`)
  return { requestId, paid, held }
}

/** A stake, whose diem is granted with the next request of each day. */
export const stakeDiem = (sql: Sql, accountId: string, amountNanos: bigint, atMs: number) =>
  sql`insert into diem_stake (account_id, amount, changed_at) values (${accountId}, ${amountNanos}, ${new Date(atMs)})
      on conflict (account_id) do update set amount = excluded.amount`

type Credit = { usd?: bigint; bundled?: bigint; diem?: bigint; nowMs: number }

/** An account of its own with an ADMIN key and some credit. */
export const createAdminPayer = async (sql: Sql, { diem = 0n, nowMs, ...credit }: Credit) => {
  const payer = await createPayer(sql, { ...credit, type: 'ADMIN', description: 'billing', nowMs })
  if (diem > 0n) await stakeDiem(sql, payer.accountId, diem, nowMs)
  return payer
}
