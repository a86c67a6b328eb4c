import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Caller } from '#accounts/caller.js'
import { newRequestId } from '#plumbing/ids.js'
import { Unavailable } from '#plumbing/unavailable.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../test/database.js'
import { assertBooks, createPayer } from '../../test/money.js'
import { setStake } from './credit/stake.js'
import { createLedger, type Ledger } from './ledger.js'
import { createMetered } from './metered.js'
import type { TabOrder } from './tab.js'
import { createTabs } from './tabs.js'
import { findRequestBill } from './usage/request-bill.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
const clock = { nowMs: () => Date.now() }
const ledger = createLedger({ connection: database.connection, clock })
/** What becomes of the next statements: they are never run, or they are and nobody hears of it. */
let lost: { operation: 'open' | 'extend' | 'part'; isRun: boolean } | undefined
const lossy: Ledger = {
  ...ledger,
  hold: (order) => lose(order.isExtension ? 'extend' : 'open', () => ledger.hold(order)),
  settle: (settlement, patienceMs) =>
    lose(settlement.partOf ? 'part' : undefined, () => ledger.settle(settlement, patienceMs)),
}
const lose = async <Result>(operation: string | undefined, run: () => Promise<Result>): Promise<Result> => {
  if (lost === undefined || lost.operation !== operation) return run()
  if (lost.isRun) await run()
  throw new Unavailable('database')
}
const minimum = 100_000n
const tabs = createTabs({ metered: createMetered({ ledger: lossy, sql, clock, walletMinimum: () => minimum }) })
afterEach(() => {
  lost = undefined
})
after(async () => {
  await assertBooks(sql)
  await ledger.stop()
  await close()
  await database.drop()
})

const priceNanos = 700n
type Payer = Awaited<ReturnType<typeof createPayer>>

const keyOf = ({ accountId, apiKeyId }: Payer) =>
  ({ kind: 'key', accountId, keyId: apiKeyId, tier: 'paid', keyType: 'INFERENCE' }) as Caller
const walletOf = ({ accountId }: Payer, diemAccountId: string | null = null): Caller => ({
  kind: 'wallet',
  address: '0x1111111111111111111111111111111111111111',
  accountId,
  keyId: null,
  modelPrivacy: 'ALL',
  tier: 'paid',
  diemAccountId,
})

const orderOf = (caller: Caller): TabOrder => ({
  requestId: newRequestId(),
  caller,
  goods: { model: 'rpc-base-mainnet', modelType: null, unitType: 'requests' },
  line: {
    sku: 'credit',
    part: 'Credits',
    per: 'one',
    usdPerMillion: priceNanos * 1_000_000n,
    diemPerMillion: priceNanos * 1_000_000n,
  },
  units: 20n,
})

/** Work that ends when it is told to. */
const createWork = () => {
  let [end, fail, begin] = [() => {}, () => {}, () => {}]
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const ending = new Promise<{ units: bigint; result: null }>((resolve, reject) => {
    end = () => resolve({ units: 20n, result: null })
    fail = () => reject(new Error('upstream'))
  })
  ending.catch(() => {})
  const work = () => {
    begin()
    return ending
  }
  return { work, hasBegun, end, fail }
}

const begin = (order: TabOrder) => {
  const { work, ...control } = createWork()
  const ended = tabs.run(order, work)
  ended.catch(() => {})
  return { ...control, ended }
}

test('the bill of a request that failed is its own, also where others were paid from the hold it had opened', async () => {
  const payer = await createPayer(sql, { usd: 1_000_000n })
  const [broken, fine] = [orderOf(keyOf(payer)), orderOf(keyOf(payer))]
  const first = begin(broken)
  await first.hasBegun
  const second = begin(fine)
  await second.hasBegun
  first.fail()
  await assert.rejects(first.ended, /upstream/)
  second.end()
  await second.ended
  const [failed, paid] = await Promise.all(
    [broken, fine].map(async ({ requestId }) => {
      for (;;) {
        const bill = await findRequestBill(sql, payer.accountId, requestId)
        if (bill?.outcome !== 'running') return bill
        await wait(5)
      }
    }),
  )
  assert.deepEqual([failed?.outcome, failed?.captured.usd], ['failed', 0n])
  assert.deepEqual([paid?.outcome, paid?.captured.usd], ['completed', 20n * priceNanos])
  assert.equal((await payer.balances()).usd, 1_000_000n - 20n * priceNanos)
})

test('while the database is away, all who came together hear of it, and nobody waits for ever', {
  timeout: 10_000,
}, async () => {
  const payer = await createPayer(sql, { usd: 1_000_000n })
  lost = { operation: 'open', isRun: false }
  const refused = Array.from({ length: 5 }, () => begin(orderOf(keyOf(payer))))
  for (const { ended } of refused) await assert.rejects(ended, Unavailable)
  lost = undefined
  const next = begin(orderOf(keyOf(payer)))
  next.end()
  await next.ended
  assert.equal((await payer.balances()).usd, 1_000_000n - 20n * priceNanos)
})

test('a request that failed hears of it at once, also when another one came in that moment', {
  timeout: 10_000,
}, async () => {
  const payer = await createPayer(sql, { usd: 1_000_000n })
  const later = createWork()
  let laterEnded: Promise<unknown> | undefined
  const failing = tabs.run(orderOf(keyOf(payer)), async () => {
    // It finds what the first one leaves behind, before that is given back.
    process.nextTick(() => {
      laterEnded = tabs.run(orderOf(keyOf(payer)), later.work)
    })
    throw new Error('upstream')
  })
  await assert.rejects(failing, /upstream/)
  later.end()
  await laterEnded
  assert.equal((await payer.balances()).usd, 1_000_000n - 20n * priceNanos)
})

test('who finds no credit for more takes what others have left meanwhile', async () => {
  const payer = await createPayer(sql, { usd: 20n * priceNanos })
  const first = begin(orderOf(keyOf(payer)))
  await first.hasBegun
  // The first one uses nothing after all, and ends while the second is being refused.
  const second = begin(orderOf(keyOf(payer)))
  first.fail()
  second.end()
  await assert.rejects(first.ended, /upstream/)
  await second.ended
  assert.equal((await payer.balances()).usd, 0n)
})

for (const operation of ['extend', 'part'] as const)
  for (const isRun of [true, false])
    test(`a database that breaks off (${operation}, ${isRun ? 'done' : 'not done'}) fails nobody who asks later`, async () => {
      const payer = await createPayer(sql, { usd: 1_000_000n })
      const first = begin(orderOf(keyOf(payer)))
      await first.hasBegun
      lost = { operation, isRun }
      const second = begin(orderOf(keyOf(payer)))
      await second.hasBegun
      second.end()
      const isHeard = await second.ended.then(() => true).catch(() => false)
      assert.equal(isHeard, operation === 'extend')
      lost = undefined
      first.end()
      await first.ended
      const { usd } = await sql.one<{ usd: bigint }>`
        select sum(usd)::bigint usd from usage_record where account_id = ${payer.accountId}`
      assert.equal(usd, (isHeard || isRun ? 40n : 20n) * priceNanos)
    })

test('a wallet that is no longer linked pays by itself, while a tab of the time before is still open', async () => {
  const [owner, wallet] = [await createPayer(sql), await createPayer(sql, { usd: 1_000_000n })]
  await setStake(sql, { accountId: owner.accountId, amountNanos: 10n ** 9n, nowMs: clock.nowMs() })
  const linked = begin(orderOf(walletOf(wallet, owner.accountId)))
  await linked.hasBegun
  const alone = begin(orderOf(walletOf(wallet)))
  await alone.hasBegun
  alone.end()
  linked.end()
  await Promise.all([alone.ended, linked.ended])
  assert.equal((await owner.balances()).diem, 10n ** 9n - 20n * priceNanos)
  assert.equal((await wallet.balances()).usd, 1_000_000n - 20n * priceNanos)
})

test('a wallet must have a little in any case, also for what joins a tab', async () => {
  const wallet = await createPayer(sql, { usd: minimum + 19n * priceNanos })
  const first = begin(orderOf(walletOf(wallet)))
  await first.hasBegun
  await assert.rejects(
    tabs.run(orderOf(walletOf(wallet)), async () => assert.fail('it must not run')),
    (error: { status?: number }) => error.status === 402,
  )
  first.end()
  await first.ended
  assert.equal((await wallet.balances()).usd, minimum - priceNanos)
})
