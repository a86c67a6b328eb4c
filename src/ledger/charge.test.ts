import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unitLine } from '../../test/paid-routes.js'
import { priceOf } from './bill.js'
import { Charge, type Finish, Sealed } from './charge.js'
import type { Ledger } from './ledger.js'
import type { Metered, Order } from './metered.js'
import type { Settlement } from './posting/settle.js'

const engine = Sealed.seal({ work: () => 'worked' })

/** A charge on a ledger that has credit without end and writes down what was settled. */
const takeCharge = async () => {
  const settlements: Settlement[] = []
  const ledger: Ledger = {
    hold: async ({ most }) => ({
      outcome: 'held',
      held: { usd: most.usd, bundled: 0n, diem: 0n, accounts: { usd: 1n, bundled: null, diem: null } },
      before: { usd: most.usd, diem: 0n },
    }),
    async settle(settlement) {
      settlements.push(settlement)
      return 'settled'
    },
    look: async () => [],
    recall: () => [],
    keep: () => {},
    sweep: async () => 0,
    start: () => {},
    stop: async () => {},
  }
  const price = priceOf([unitLine(10)])
  const charge = await Charge.take(
    { ledger, onShortfall: () => {} },
    {
      requestId: '0'.repeat(32),
      accountId: 'account',
      apiKeyId: null,
      goods: { model: 'test-model', modelType: 'LLM', unitType: 'tokens' },
      least: price,
      most: price,
      beganAtMs: 0,
      idempotency: undefined,
      count: undefined,
    },
  )
  assert.ok(charge instanceof Charge)
  return { charge, settlements }
}

const finish: Finish = { lines: [unitLine(3)], countedBy: 'upstream' }

test('an engine works only for a charge that runs', async () => {
  const { charge } = await takeCharge()
  assert.equal(charge.open(engine).work(), 'worked')
  await charge.settle(finish)
  assert.throws(() => charge.open(engine), /settled already/)
})

test('a request is settled once: a second time throws and moves nothing', async () => {
  const { charge, settlements } = await takeCharge()
  const settled = await charge.settle(finish, 'result')
  assert.deepEqual([settled.result, settled.cost], ['result', { usd: 3_000n, diem: 0n }])
  await assert.rejects(charge.settle(finish), /settled already/)
  await charge.release()
  assert.equal(settlements.length, 1, 'giving back after it was paid does nothing')
})

test('two settlements at once are one', async () => {
  const { charge, settlements } = await takeCharge()
  const tries = [1, 2].map(() => charge.settle(finish))
  const results = await Promise.allSettled(tries)
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  assert.equal(settlements.length, 1)
})

test('a charge that was given back pays nothing any more, and opens nothing', async () => {
  const { charge, settlements } = await takeCharge()
  await charge.release()
  await assert.rejects(charge.settle(finish), /settled already/)
  assert.throws(() => charge.open(engine), /settled already/)
  assert.deepEqual(
    settlements.map(({ outcome, paid }) => [outcome, paid.usd]),
    [['failed', 0n]],
  )
})

/**
 * What must not compile. Nobody calls this: each line below is proof that the compiler refuses, because an expected error
 * that is missing is an error itself.
 */
export const proofs = async (metered: Metered, order: Order, charge: Charge) => {
  // @ts-expect-error: the engine inside is private
  engine.work()
  // @ts-expect-error: nothing opens without a charge
  engine.open()
  // @ts-expect-error: what only looks like a charge is none
  engine.open({ assertRunning: () => {}, requestId: '' })
  // @ts-expect-error: a charge is taken from the ledger, never made
  new Charge()
  // @ts-expect-error: an engine is sealed, never wrapped by hand
  new Sealed(engine)

  // @ts-expect-error: work that ends without settling
  await metered.run(order, async () => 'free')
  // @ts-expect-error: work that settles and does not say so
  await metered.run(order, async (running) => void (await running.settle({ lines: [], countedBy: 'upstream' })))
  // @ts-expect-error: a proof of settlement cannot be made by hand
  await metered.run(order, async () => ({ result: 'free', cost: { usd: 0n, diem: 0n } }))
  // @ts-expect-error: an answer that nobody settled
  await metered.answer(order, async () => ({ status: 200, headers: {}, body: Buffer.from('free') }))
  // @ts-expect-error: settled, but not with an answer
  await metered.answer(order, (running) => running.settle({ lines: [], countedBy: 'upstream' }, 'no answer'))

  // These do compile, so the ones above fail for the reason they name.
  engine.open(charge).work()
  const text: string = await metered.run(order, (running) =>
    running.settle({ lines: [], countedBy: 'upstream' }, 'paid'),
  )
  const body = Buffer.from(text)
  await metered.answer(order, (running) =>
    running.settle({ lines: [], countedBy: 'upstream' }, { status: 200, headers: {}, body }),
  )
}
