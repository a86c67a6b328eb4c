import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import type { KeyCaller } from '#accounts/caller.js'
import { Failure } from '#contract/errors.js'
import { newRequestId } from '#plumbing/ids.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../test/database.js'
import { assertBooks, createPayer } from '../../test/money.js'
import type { Balances } from './credit/balances.js'
import { setStake } from './credit/stake.js'
import { createLedger } from './ledger.js'
import { createMetered } from './metered.js'
import type { TabOrder } from './tab.js'
import { createTabs } from './tabs.js'
import { findRequestBill } from './usage/request-bill.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
const clock = { nowMs: () => Date.now() }
const statements = { hold: 0, settle: 0 }
const ledger = createLedger({
  connection: database.connection,
  clock,
  onBatch: (operation) => {
    statements[operation]++
  },
})
const shortfalls: string[] = []
const metered = createMetered({ ledger, sql, clock, onShortfall: (id) => shortfalls.push(id) })
const tabs = createTabs({ metered })
after(async () => {
  await ledger.stop()
  await close()
  await database.drop()
})

const priceNanos = 700n
const line = { sku: 'credit', part: 'Credits', per: 'one', usdPerMillion: priceNanos * 1_000_000n } as const

type Payer = Awaited<ReturnType<typeof createPayer>>
const callerOf = ({ accountId, apiKeyId }: Payer) =>
  ({ kind: 'key', accountId, keyId: apiKeyId, tier: 'paid', keyType: 'INFERENCE' }) as KeyCaller

const orderOf = (payer: Payer, units: bigint, usdPerMillion: bigint = line.usdPerMillion): TabOrder => ({
  requestId: newRequestId(),
  caller: callerOf(payer),
  goods: { model: 'rpc-base-mainnet', modelType: null, unitType: 'requests' },
  line: { ...line, usdPerMillion, diemPerMillion: usdPerMillion },
  units,
})

const totalOf = ({ usd, bundled, diem }: Balances) => usd + bundled + (diem ?? 0n)

const holdsOf = async ({ accountId }: Payer) =>
  Number((await sql.one<{ count: bigint }>`select count(*) from ledger_hold where account_id = ${accountId}`).count)
const recordsOf = ({ accountId }: Payer) =>
  sql<{ usd: bigint; outcome: string }>`select usd, outcome from usage_record where account_id = ${accountId}`

test('a request by itself is held, runs, and is settled under its own id before it is answered', async () => {
  const payer = await createPayer(sql, { usd: 100_000n })
  const order = orderOf(payer, 40n)
  const { result, before } = await tabs.run(order, async () => {
    assert.equal(await holdsOf(payer), 1)
    return { units: 25n, result: 'done' }
  })
  assert.deepEqual([result, before], ['done', { usd: 100_000n, diem: 0n }])
  assert.equal((await payer.balances()).usd, 100_000n - 25n * priceNanos)
  assert.equal(await holdsOf(payer), 0)
  const bill = await findRequestBill(sql, payer.accountId, order.requestId)
  assert.deepEqual([bill?.outcome, bill?.captured.usd, bill?.lines[0]?.quantity], ['completed', 25n * priceNanos, 25n])
})

test('requests that run at the same time share few statements, and each can be looked up', async () => {
  const payer = await createPayer(sql, { usd: 10_000_000n })
  const earlier = { ...statements }
  const orders = Array.from({ length: 200 }, () => orderOf(payer, 20n))
  await Promise.all(orders.map((order) => tabs.run(order, async () => ({ units: 20n, result: null }))))
  assert.equal((await payer.balances()).usd, 10_000_000n - 200n * 20n * priceNanos)
  assert.ok(statements.hold - earlier.hold <= 4, `${statements.hold - earlier.hold} holds`)
  assert.ok(statements.settle - earlier.settle <= 4, `${statements.settle - earlier.settle} settlements`)
  for (const { requestId } of orders) {
    const bill = await findRequestBill(sql, payer.accountId, requestId)
    assert.deepEqual([bill?.requestId.replaceAll('-', ''), bill?.captured.usd], [requestId, 20n * priceNanos])
    assert.equal(bill?.lines[0]?.quantity, 20n)
  }
  assert.equal(await findRequestBill(sql, (await createPayer(sql)).accountId, orders[3]?.requestId ?? ''), undefined)
})

test('a slow request keeps nobody waiting, and is paid when it ends', async () => {
  const payer = await createPayer(sql, { usd: 1_000_000n })
  let finishSlow = () => {}
  const isSlowDone = new Promise<void>((resolve) => {
    finishSlow = resolve
  })
  const slow = tabs.run(orderOf(payer, 80n), () => isSlowDone.then(() => ({ units: 80n, result: 'slow' })))
  for (let n = 0; n < 3; n++) {
    await Promise.all([1, 2].map(() => tabs.run(orderOf(payer, 20n), async () => ({ units: 20n, result: 'fast' }))))
    // The slow one is still set aside.
    assert.equal((await payer.balances()).usd, 1_000_000n - (80n + BigInt(n + 1) * 40n) * priceNanos)
  }
  finishSlow()
  await slow
  assert.equal((await payer.balances()).usd, 1_000_000n - 200n * priceNanos)
  assert.equal(await holdsOf(payer), 0)
})

test('what fails costs nothing and gives back its hold, beside others and alone', async () => {
  const payer = await createPayer(sql, { usd: 1_000_000n })
  const broken = () => tabs.run(orderOf(payer, 20n), () => Promise.reject(new Error('upstream')))
  await assert.rejects(broken(), /upstream/)
  assert.equal(await holdsOf(payer), 0)
  const results = await Promise.allSettled([
    broken(),
    tabs.run(orderOf(payer, 20n), async () => ({ units: 5n, result: null })),
    broken(),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'rejected'],
  )
  assert.equal((await payer.balances()).usd, 1_000_000n - 5n * priceNanos)
  assert.equal(await holdsOf(payer), 0)
})

test('as many run as can be paid, the others are told 402 and do not run', async () => {
  const payer = await createPayer(sql, { usd: 7n * 20n * priceNanos })
  let ran = 0
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () =>
      tabs.run(orderOf(payer, 20n), async () => {
        ran++
        await wait(50)
        return { units: 20n, result: null }
      }),
    ),
  )
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  assert.equal(ran, 7)
  assert.equal(refused.length, 13)
  for (const reason of refused) assert.ok(reason instanceof Failure && reason.status === 402)
  assert.equal((await payer.balances()).usd, 0n)
})

test('a hold that is gone fails whoever waits for its settlement, and the next request runs', async () => {
  const payer = await createPayer(sql, { usd: 1_000_000n })
  const lost = Promise.allSettled(
    [10, 30].map((ms) =>
      tabs.run(orderOf(payer, 20n), async () => {
        await wait(ms)
        await sql`delete from ledger_hold where account_id = ${payer.accountId}`
        return { units: 20n, result: null }
      }),
    ),
  )
  for (const result of await lost) assert.ok(result.status === 'rejected' && result.reason.failure === 'holdLost')
  await tabs.run(orderOf(payer, 20n), async () => ({ units: 20n, result: null }))
  assert.equal((await payer.balances()).usd, 1_000_000n - 20n * priceNanos)
})

describe('whatever runs beside whatever, everybody pays what they used', () => {
  const request = fc.record({
    units: fc.integer({ min: 1, max: 400 }),
    used: fc.double({ min: 0, max: 1, noNaN: true }),
    startMs: fc.integer({ min: 0, max: 12 }),
    workMs: fc.integer({ min: 0, max: 12 }),
    fails: fc.boolean(),
  })
  test('in USD, bundled credits and diem, at prices below a nano', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(700_000_000n, 123_456n, 1_333_333n),
        fc.integer({ min: 0, max: 3_000_000 }),
        fc.integer({ min: 0, max: 50_000 }),
        async (requests, usdPerMillion, usd, diem) => {
          const payer = await createPayer(sql, { usd: BigInt(usd), bundled: 1_000n })
          await setStake(sql, { accountId: payer.accountId, amountNanos: BigInt(diem), nowMs: clock.nowMs() })
          const first = await payer.balances()
          let usedUnits = 0n
          let paid = 0
          const results = await Promise.allSettled(
            requests.map(async ({ units, used, startMs, workMs, fails }) => {
              await wait(startMs)
              await tabs.run(orderOf(payer, BigInt(units), usdPerMillion), async () => {
                await wait(workMs)
                if (fails) throw new Error('failed')
                return { units: BigInt(Math.floor(units * used)), result: null }
              })
              usedUnits += BigInt(Math.floor(units * used))
              paid++
            }),
          )
          for (const result of results)
            if (result.status === 'rejected')
              assert.ok(result.reason.message === 'failed' || result.reason.status === 402, String(result.reason))
          const last = await payer.balances()
          const spent = totalOf(first) - totalOf(last)
          const exact = (usedUnits * usdPerMillion) / 1_000_000n
          // Each settlement is rounded up once.
          assert.ok(spent >= exact && spent <= exact + BigInt(2 * paid + 1), `spent ${spent}, used ${exact}`)
          assert.equal(await holdsOf(payer), 0)
          const records = await recordsOf(payer)
          assert.ok(records.every(({ outcome }) => outcome === 'completed' || outcome === 'failed'))
        },
      ),
      { numRuns: 40 },
    ))
  after(async () => {
    assert.deepEqual(shortfalls, [])
    await assertBooks(sql)
  })
})
