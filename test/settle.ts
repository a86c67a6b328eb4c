import { randomUUID } from 'node:crypto'
import { type Amounts, type Line, linesToText, type PaidLine, payFrom, priceOf, shareOut } from '#ledger/bill.js'
import type { Sql } from '#store/sql.js'

type Held = Amounts & { requestId: string; accountId: string; apiKeyId: string | null; nowMs: number }
type HoldRow = Amounts & { outcome: string; usd_account: bigint; bundled_account: bigint; diem_account: bigint }

/** One line of a bill, at a price per unit in nanos. */
export const line = (part: string, quantity: bigint, nanosEach = 1n): Line => ({
  sku: `acme-${part.toLowerCase()}`,
  part,
  quantity,
  usdPerMillion: nanosEach * 1_000_000n,
  diemPerMillion: nanosEach * 1_000_000n,
  per: 'million',
})

type Hold = { accountId: string; apiKeyId?: string; nanos: bigint; nowMs: number; expiresAtMs?: number }

/** Sets credit aside for one request, straight through the function of the database. */
export const holdCredit = async (sql: Sql, { accountId, apiKeyId, nanos, nowMs, expiresAtMs }: Hold) => {
  const requestId = randomUUID()
  const row = await sql.one<HoldRow>`
    select * from ledger_hold_batch(
      owners => ${[accountId]}, requests => ${[requestId]}, accounts => ${[accountId]}, api_keys => ${[apiKeyId ?? null]},
      extensions => '{f}', least_usds => ${[nanos]}, least_diems => ${[nanos]}, most_usds => ${[nanos]},
      most_diems => ${[nanos]}, models => '{acme-chat}', idempotency_hashes => '{null}', fingerprints => '{null}',
      at => ${new Date(nowMs)}, expires => ${new Date(expiresAtMs ?? nowMs + 60_000)})`
  if (row.outcome !== 'held') throw new Error(row.outcome)
  return { ...row, requestId, accountId, apiKeyId: apiKeyId ?? null, nowMs }
}

/** Ends a request, paying for its lines out of the hold. */
export const settleHold = async (sql: Sql, hold: Held & HoldRow, lines: Line[], nowMs = hold.nowMs) => {
  const paid = payFrom(hold, priceOf(lines))
  const parts = shareOut(lines, paid)
  const sum = (pick: (line: PaidLine) => bigint) => parts.reduce((total, part) => total + pick(part), 0n)
  const payments = [
    { account: hold.usd_account, amount: paid.usd, earned: 'USD' },
    { account: hold.bundled_account, amount: paid.bundled, earned: 'BUNDLED_CREDITS' },
    { account: hold.diem_account, amount: paid.diem, earned: 'DIEM' },
  ].filter(({ amount }, index) => index === 0 || amount > 0n)
  const house = new Map(
    (
      await sql<{ id: bigint; currency: string }>`
        select id, currency::text from ledger_account where owner is null and kind = 'earned'`
    ).map(({ id, currency }) => [currency, id]),
  )
  const entries = payments
    .filter(({ amount }) => amount > 0n)
    .flatMap(({ account, amount, earned }) => [
      { account, amount: -amount },
      { account: house.get(earned), amount },
    ])
  const model = 'acme-chat'
  const { result } = await sql.one<{ result: string }>`
    select ledger_settle_batch(
      owners => ${[hold.accountId]}, at => ${new Date(nowMs)}, requests => ${[hold.requestId]},
      accounts => ${[hold.accountId]}, api_keys => ${[hold.apiKeyId]}, outcomes => '{completed}', only_if_expired => '{f}',
      held_usds => ${[hold.usd]}, held_bundleds => ${[hold.bundled]}, held_diems => ${[hold.diem]},
      usds => ${[paid.usd]}, bundleds => ${[paid.bundled]}, diems => ${[paid.diem]},
      began_ats => ${[new Date(hold.nowMs)]}, models => ${[model]}, counted_bys => '{upstream}',
      line_texts => ${[linesToText(parts)]}, prompt_tokens => '{null}', completion_tokens => '{null}',
      claim_requests => '{}', claim_answers => '{}', entry_requests => ${entries.map(() => hold.requestId)},
      entry_accounts => ${entries.map(({ account }) => account)}, entry_amounts => ${entries.map(({ amount }) => amount)},
      paid_accounts => ${payments.map(({ account }) => account)}, paid_amounts => ${payments.map(({ amount }) => amount)},
      part_accounts => ${parts.map(() => hold.accountId)}, part_models => ${parts.map(() => model)},
      part_names => ${parts.map(({ part }) => part)}, part_model_types => ${parts.map(() => 'LLM')},
      part_unit_types => ${parts.map(() => 'tokens')}, part_units => ${parts.map(({ quantity }) => quantity)},
      part_usds => ${parts.map(({ usd }) => usd)}, part_diems => ${parts.map(({ diem }) => diem)},
      key_accounts => ${[hold.accountId]}, key_ids => ${[hold.apiKeyId ?? hold.accountId]},
      key_units => ${[sum(({ quantity }) => quantity)]}, key_usds => ${[sum(({ usd }) => usd)]},
      key_diems => ${[sum(({ diem }) => diem)]}) result`
  if (result !== 'settled') throw new Error(result)
  return hold.requestId
}

/** A whole paid request. */
export const payFor = async (sql: Sql, hold: Omit<Hold, 'nanos'>, lines: Line[]) =>
  settleHold(sql, await holdCredit(sql, { ...hold, nanos: priceOf(lines).usd }), lines)
