import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { newRequestId } from '#plumbing/ids.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../test/database.js'
import { createModel, type ModelKey } from '../../test/fakes/ledger-model.js'
import { assertBooks, createPayer } from '../../test/money.js'
import { createTestClock } from '../../test/service.js'
import { nothing, type Price, payFrom, shareOut } from './bill.js'
import { setStake } from './credit/stake.js'
import { createLedger } from './ledger.js'
import type { Held } from './posting/hold.js'
import type { Settlement } from './posting/settle.js'

const clock = createTestClock(Date.UTC(2026, 0, 30, 23, 59, 59, 998))
const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
const holdMs = 60_000
const ledger = createLedger({ connection: database.connection, clock, holdMs })
after(async () => {
  await ledger.stop()
  await close()
  await database.drop()
})

const small = fc.integer({ min: 0, max: 60 }).map(BigInt)
const price = fc.record<Price>({ usd: small, diem: small })
/** Two keys: one may do what it likes, the other has limits of a random kind. */
const limits = fc.record({
  usd: fc.option(small, { freq: 2 }),
  diem: fc.option(small, { freq: 2 }),
  period: fc.constantFrom('EPOCH', 'MONTH', 'LIFETIME'),
})
const which = fc.nat({ max: 30 })
const command = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('grant'), amount: fc.bigInt(1n, 100n), isBundled: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stake'), amount: fc.bigInt(0n, 150n) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('hold'), key: fc.nat({ max: 1 }), least: price, more: price }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('extend'), which, least: price, more: price }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('capture'), which, price }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release'), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      until: fc.constantFrom('soon', 'expiry', 'midnight', 'month end'),
    }),
  },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

/** Diem is granted from a tenth on, so stakes and prices are tiny beside that: all amounts here are in this unit. */
const unit = 10_000_000n
const scaled = ({ usd, diem }: Price): Price => ({ usd: usd * unit, diem: diem * unit })
const plus = (one: Price, other: Price): Price => ({ usd: one.usd + other.usd, diem: one.diem + other.diem })
const decimal = (amount: bigint | null) => (amount === null ? null : String(Number(amount * unit) / 1e9))

const nextTime = (until: string, nowMs: number): number => {
  const now = new Date(nowMs)
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)
  if (until === 'soon') return nowMs + 1
  if (until === 'expiry') return nowMs + holdMs
  // The last millisecond of the day first, then the first of the next.
  if (until === 'midnight') return nowMs === midnight - 1 ? midnight : midnight - 1
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  return nowMs === month - 1 ? month : month - 1
}

test('whatever happens in whatever order, the ledger agrees with a model of it that fits on a page', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(command, { minLength: 5, maxLength: 40 }), async (limits, commands) => {
      const payer = await createPayer(sql, {
        nowMs: clock.nowMs(),
        limits: { usd: decimal(limits.usd), diem: decimal(limits.diem) },
        limitPeriod: limits.period as 'EPOCH',
      })
      const keys: ModelKey[] = [
        {
          id: payer.apiKeyId,
          limitUsd: limits.usd && limits.usd * unit,
          limitDiem: limits.diem && limits.diem * unit,
          period: limits.period as 'EPOCH',
        },
        { id: null, limitUsd: null, limitDiem: null, period: 'EPOCH' },
      ]
      // `0n && ...` would make a limit of nothing into no limit.
      if (limits.usd === 0n) (keys[0] as ModelKey).limitUsd = 0n
      if (limits.diem === 0n) (keys[0] as ModelKey).limitDiem = 0n
      const model = createModel(clock)
      const open = new Map<string, { held: Held; key: ModelKey }>()

      for (const each of commands as Command[]) {
        await run(each, { payer, keys, model, open })
        const { usd, bundled, diem } = await payer.balances(clock.nowMs())
        assert.deepEqual({ usd, bundled, diem: diem ?? 0n }, model.free(), `after ${each.kind}`)
      }
    }),
    { numRuns: 120 },
  )
  await assertBooks(sql)
})

type Context = {
  payer: Awaited<ReturnType<typeof createPayer>>
  keys: ModelKey[]
  model: ReturnType<typeof createModel>
  open: Map<string, { held: Held; key: ModelKey }>
}

const run = async (each: Command, { payer, keys, model, open }: Context) => {
  const chosen = (index: number) => [...open][index % Math.max(1, open.size)]
  switch (each.kind) {
    case 'grant': {
      await payer.grant(each.amount * unit, each.isBundled ? 'BUNDLED_CREDITS' : 'USD')
      return model.grant(each.amount * unit, each.isBundled)
    }
    case 'stake': {
      await setStake(sql, { accountId: payer.accountId, amountNanos: each.amount * unit, nowMs: clock.nowMs() })
      return model.setStake(each.amount * unit)
    }
    case 'hold': {
      const key = keys[each.key] as ModelKey
      const requestId = newRequestId()
      const [least, most] = [scaled(each.least), scaled(plus(each.least, each.more))]
      const result = await ledger.hold({
        requestId,
        accountId: payer.accountId,
        apiKeyId: key.id,
        model: 'm',
        least,
        most,
      })
      const expected = model.hold(requestId, key, least, most, holdMs)
      assert.equal(result.outcome, expected.outcome)
      assert.ok(result.outcome !== 'limited')
      assert.deepEqual({ ...result.before }, expected.before)
      if (result.outcome !== 'held') return
      const { usd, bundled, diem } = result.held
      assert.deepEqual({ usd, bundled, diem }, expected.taken)
      open.set(requestId, { held: result.held, key })
      return
    }
    case 'extend': {
      const [requestId, current] = chosen(each.which) ?? []
      if (requestId === undefined || current === undefined) return
      const [least, most] = [scaled(each.least), scaled(plus(each.least, each.more))]
      const order = { requestId, accountId: payer.accountId, apiKeyId: current.key.id, model: 'm', isExtension: true }
      const result = await ledger.hold({ ...order, least, most })
      const expected = model.extend(requestId, least, most, holdMs)
      assert.equal(result.outcome, expected.outcome)
      if (result.outcome !== 'held') return
      const { held } = current
      held.usd += result.held.usd
      held.bundled += result.held.bundled
      held.diem += result.held.diem
      held.accounts.bundled ??= result.held.accounts.bundled
      held.accounts.diem ??= result.held.accounts.diem
      return
    }
    case 'capture':
    case 'release': {
      const [requestId, current] = chosen(each.which) ?? []
      if (requestId === undefined || current === undefined) return
      open.delete(requestId)
      const isCapture = each.kind === 'capture'
      const paid = isCapture ? payFrom(current.held, scaled(each.price)) : nothing
      const settlement = settlementOf(payer.accountId, requestId, current, paid, isCapture)
      const expected = model.settle(requestId, paid)
      assert.equal(await ledger.settle(settlement), expected ? 'settled' : 'gone')
      // A second time changes nothing.
      assert.equal(await ledger.settle(settlement), expected ? 'already' : 'gone')
      return
    }
    case 'wait': {
      clock.set(nextTime(each.until, clock.nowMs()))
      await ledger.sweep()
      model.sweep()
      return
    }
  }
}

const settlementOf = (
  accountId: string,
  requestId: string,
  { held, key }: { held: Held; key: ModelKey },
  paid: { usd: bigint; bundled: bigint; diem: bigint },
  isCapture: boolean,
): Settlement => {
  const line = {
    sku: 'm-unit',
    part: 'Output',
    quantity: 1n,
    usdPerMillion: 7n,
    diemPerMillion: 3n,
    per: 'one',
  } as const
  return {
    requestId,
    accountId,
    apiKeyId: key.id,
    goods: { model: 'm', modelType: 'LLM', unitType: 'tokens' },
    held,
    paid,
    lines: isCapture ? shareOut([line], paid) : [],
    outcome: isCapture ? 'completed' : 'failed',
    countedBy: isCapture ? 'estimate' : null,
    beganAtMs: clock.nowMs(),
    promptTokens: null,
    completionTokens: null,
  }
}
