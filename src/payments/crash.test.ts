import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { Failure } from '#contract/errors.js'
import { Unavailable } from '#plumbing/unavailable.js'
import { createScriptedRail, type Fate, scriptedHeader } from '../../test/fakes/scripted-rail.js'
import { assertBooks } from '../../test/money.js'
import { createLife, openPayments, pauseAt } from '../../test/payment-processes.js'
import { createJournal, type PaymentRow } from './journal.js'

const world = await openPayments()
const { sql, chain, clock, startProcess, sign, balanceOf, rowsOf } = world
after(world.close)

const leaseMs = 15_000
const paid = 7_500_000_000n

test('wherever a process dies, the next round credits what the chain has and spends nothing else', async () => {
  for (let steps = 0; ; steps++) {
    const { header, key, payer } = sign()
    const life = createLife(steps)
    await Promise.allSettled([startProcess({ life }).topUp(header)])
    const [row] = await rowsOf(key)
    const wasRecorded = row !== undefined && !['received', 'verified'].includes(row.state)
    clock.advance(leaseMs)
    const survivor = startProcess()
    await survivor.reconcile()
    assert.equal(chain.moved.has(key), wasRecorded, `after ${steps} steps`)
    assert.equal(await balanceOf(payer), wasRecorded ? paid : undefined, `after ${steps} steps`)
    // The same payment again goes on where it was, or says what became of it.
    assert.equal((await survivor.topUp(header)).balanceUsdNanos, paid)
    assert.equal(await balanceOf(payer), paid)
    if (!life.isOver()) {
      assert.ok(steps > 20, 'it died at many points before')
      break
    }
  }
  await assertBooks(sql, clock.nowMs())
})

test('a payment whose process died is taken over by the next request when its lease has ended, and not before', async () => {
  const { header, key, payer } = sign()
  // Long enough to write its transaction down.
  for (let steps = 1; (await rowsOf(key))[0]?.state !== 'broadcast'; steps++) {
    await Promise.allSettled([startProcess({ life: createLife(steps) }).topUp(header)])
    if ((await rowsOf(key))[0]?.state !== 'broadcast') clock.advance(leaseMs)
  }
  const sent = chain.sent.length
  const early = await startProcess()
    .topUp(header)
    .catch((error: unknown) => error)
  assert.ok(early instanceof Failure && early.code === 'SETTLEMENT_PENDING')
  await startProcess().reconcile()
  assert.deepEqual([chain.sent.length, await balanceOf(payer)], [sent, undefined])
  clock.advance(leaseMs)
  assert.equal((await startProcess().topUp(header)).balanceUsdNanos, paid)
})

test('a process that lost its lease sends nothing any more, and hears what the other one found', async () => {
  const { header, key, payer } = sign()
  const pause = pauseAt('before record')
  const rail = createScriptedRail(chain, pause.step)
  const late = startProcess({ rails: [rail], patienceMs: 5_000 }).topUp(header)
  await pause.arrived
  clock.advance(leaseMs)
  const sentBefore = chain.sent.length
  const receipt = await startProcess().topUp(header)
  pause.goOn()
  assert.deepEqual(await late, { ...receipt, isReplay: true })
  assert.equal(chain.sent.length, sentBefore + 1)
  assert.equal(await balanceOf(payer), paid)
  assert.equal((await sql`select * from x402_broadcast where payment_id = ${receipt.paymentId}`).length, 1)
  assert.equal((await rowsOf(key)).length, 1)
})

test('a process that lost its lease when the money had moved finds it credited', async () => {
  const { header, payer, key } = sign()
  const pause = pauseAt('after send')
  const late = startProcess({ rails: [createScriptedRail(chain, pause.step)] }).topUp(header)
  await pause.arrived
  clock.advance(leaseMs)
  const receipt = await startProcess().topUp(header)
  pause.goOn()
  assert.deepEqual(await late, { ...receipt, isReplay: true })
  assert.deepEqual([(await rowsOf(key))[0]?.state, await balanceOf(payer)], ['credited', paid])
})

test('a process that lost its lease cannot refuse what another one has credited', async () => {
  const { header, payer, key } = sign()
  chain.fill(payer, 0n)
  const pause = pauseAt('after verify')
  const late = startProcess({ rails: [createScriptedRail(chain, pause.step)] }).topUp(header)
  await pause.arrived
  chain.fill(payer, 7_500_000n)
  clock.advance(leaseMs)
  const receipt = await startProcess().topUp(header)
  pause.goOn()
  assert.deepEqual(await late, { ...receipt, isReplay: true })
  assert.deepEqual([(await rowsOf(key))[0]?.state, await balanceOf(payer)], ['credited', paid])
})

test('of many who find a payment that nobody works on, one takes it up', async () => {
  const { header, key } = sign()
  await Promise.allSettled([startProcess({ life: createLife(5) }).topUp(header)])
  clock.advance(leaseMs)
  const [row] = await rowsOf(key)
  const journal = createJournal({ sql, clock, leaseMs })
  const claims = await Promise.all(Array.from({ length: 8 }, () => journal.takeOver(row as PaymentRow, {})))
  assert.equal(claims.filter((claim) => claim !== undefined).length, 1)
})

test('a slow process that lives keeps its lease', { timeout: 60_000 }, async () => {
  const { header, key } = sign()
  const pause = pauseAt('after verify')
  const rail = createScriptedRail(chain, pause.step)
  const first = startProcess({ rails: [rail], leaseMs: 30 }).topUp(header)
  await pause.arrived
  const leasedUntilMs = async () => (await rowsOf(key))[0]?.leased_until.getTime() ?? 0
  const before = await leasedUntilMs()
  clock.advance(20)
  while ((await leasedUntilMs()) <= before) await wait(2)
  clock.advance(20)
  const other = await startProcess({ leaseMs: 30 })
    .topUp(header)
    .catch((error: unknown) => error)
  assert.ok(other instanceof Failure && other.failure === 'paymentsBusy')
  pause.goOn()
  assert.equal((await first).isReplay, false)
})

test('payments that were never sent are not continued by themselves, and end when their time is up', async () => {
  const unlimited = sign()
  const limited = sign({ validUntilMs: clock.nowMs() + 300_000 })
  for (const { header } of [unlimited, limited])
    await Promise.allSettled([startProcess({ life: createLife(5) }).topUp(header)])
  const states = async () => [(await rowsOf(unlimited.key))[0]?.state, (await rowsOf(limited.key))[0]?.state]
  const left = await states()
  assert.ok(left.every((state) => state === 'received' || state === 'verified'))
  clock.advance(299_999)
  await startProcess().reconcile()
  assert.deepEqual(await states(), left)
  clock.advance(1)
  await startProcess().reconcile()
  assert.deepEqual(await states(), [left[0], 'refused'])
  clock.advance(3_600_000)
  await startProcess().reconcile()
  assert.deepEqual(await states(), ['refused', 'refused'])
  assert.equal((await rowsOf(unlimited.key))[0]?.reason, 'expired')
  assert.ok(!chain.moved.has(unlimited.key) && !chain.moved.has(limited.key))
  assert.equal((await startProcess().topUp(unlimited.header)).balanceUsdNanos, paid)
})

test('money that the payer sent while our process died is credited when the payment is sent again', async () => {
  for (let steps = 0; ; steps++) {
    const { header, key, payer } = sign()
    chain.fates.set(key, 'comes otherwise')
    await Promise.allSettled([startProcess({ life: createLife(steps) }).topUp(header)])
    if (!chain.moved.has(key)) continue
    assert.equal(await balanceOf(payer), undefined)
    clock.advance(leaseMs)
    assert.equal((await startProcess().topUp(header)).transaction, `by ${payer}`)
    assert.equal(await balanceOf(payer), paid)
    break
  }
})

test('a transfer that was made before we heard of it is not credited', async () => {
  const { header, key, payer } = sign()
  chain.moved.set(key, 'for something else')
  const failure = await startProcess()
    .topUp(header)
    .catch((error: unknown) => error)
  assert.ok(failure instanceof Failure && failure.code === 'PAYMENT_VERIFICATION_FAILED')
  assert.equal(await balanceOf(payer), undefined)
})

test('a database that is away when the money has moved delays the credit, and nothing else', async () => {
  const { header, key, payer } = sign()
  let isAway = false
  const step = () => {
    if (isAway) throw new Unavailable('database')
  }
  const rail = createScriptedRail(chain, (where) => {
    if (where === 'after send') isAway = true
  })
  const payments = startProcess({ life: { step }, rails: [rail] })
  const failure = await payments.topUp(header).catch((error: unknown) => error)
  assert.ok(failure instanceof Failure && failure.code === 'SETTLEMENT_PENDING')
  assert.equal(await balanceOf(payer), undefined)
  isAway = false
  clock.advance(leaseMs)
  await payments.reconcile()
  assert.equal(await balanceOf(payer), paid)
  assert.equal((await rowsOf(key))[0]?.state, 'credited')
})

test('whoever has paid is not told of a database that is away, but not to pay again', async () => {
  const { header, payer } = sign()
  let isAway = false
  const step = () => {
    if (isAway) throw new Unavailable('database')
  }
  const rail = createScriptedRail(chain, (where) => {
    if (where !== 'after send') return
    isAway = true
    throw new Error('socket hang up')
  })
  const failure = await startProcess({ life: { step }, rails: [rail] })
    .topUp(header)
    .catch((error: unknown) => error)
  assert.ok(failure instanceof Failure && failure.code === 'SETTLEMENT_PENDING')
  clock.advance(leaseMs)
  await startProcess().reconcile()
  assert.equal(await balanceOf(payer), paid)
})

test('a database that comes back soon enough is waited for', async () => {
  const { header } = sign()
  let refusals = 0
  const step = () => {
    if (refusals > 0 && refusals-- > 0) throw new Unavailable('database')
  }
  const rail = createScriptedRail(chain, (where) => {
    if (where === 'after send') refusals = 2
  })
  const payments = startProcess({ life: { step }, rails: [rail], creditPatienceMs: 10_000 })
  assert.equal((await payments.topUp(header)).balanceUsdNanos, paid)
})

test('without its database nothing is sent', async () => {
  for (const point of ['before verify', 'after verify', 'before record']) {
    const { header, payer } = sign()
    let isAway = false
    const step = () => {
      if (isAway) throw new Unavailable('database')
    }
    const rail = createScriptedRail(chain, (where) => {
      if (where === point) isAway = true
    })
    const sentBefore = chain.sent.length
    await assert.rejects(startProcess({ life: { step }, rails: [rail] }).topUp(header), Unavailable)
    assert.equal(chain.sent.length, sentBefore)
    clock.advance(leaseMs)
    await startProcess().topUp(header)
    assert.equal(await balanceOf(payer), paid)
  }
})

type Event =
  | { kind: 'send'; process: number; payload: number; steps: number }
  | { kind: 'reconcile'; process: number; steps: number }
  | { kind: 'wait'; ms: number }

const anySteps = fc.oneof({ weight: 2, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.constant(1_000) })
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      process: fc.nat(1),
      payload: fc.nat(1),
      steps: anySteps,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reconcile' as const), process: fc.nat(1), steps: anySteps }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 5_000, leaseMs) }),
  },
)

test('whatever happens in whatever order, a payment is credited once if the chain has it, and never if not', async () => {
  const fates: Fate[] = ['settles', 'settles unseen', 'is lost', 'fails']
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...fates),
      // Events of one group happen at the same time.
      fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      async (fate, groups) => {
        const { key, payer, amount } = sign()
        const headers = ['one', 'other'].map((salt) => scriptedHeader({ key, payer, amount, salt }))
        chain.fates.set(key, fate)
        const heard: bigint[] = []
        for (const group of groups) {
          // Those who share a process share its life, and die together.
          const lives = [0, 1].map((process) =>
            createLife(
              Math.min(...group.map((event) => ('steps' in event && event.process === process ? event.steps : 1_000))),
            ),
          )
          const processes = lives.map((life) => startProcess({ life, patienceMs: 20, creditPatienceMs: 0 }))
          await Promise.allSettled(
            group.map(async (event) => {
              if (event.kind === 'wait') return clock.advance(event.ms)
              const process = processes[event.process] as (typeof processes)[0]
              if (event.kind === 'reconcile') return process.reconcile()
              heard.push((await process.topUp(headers[event.payload] as string)).balanceUsdNanos)
            }),
          )
        }
        const survivor = startProcess()
        for (let round = 0; round < 4; round++) {
          clock.advance(60_000)
          await survivor.reconcile()
        }
        const rows = await rowsOf(key)
        const credited = rows.filter(({ state }) => state === 'credited')
        assert.deepEqual(
          credited.map(({ tx_hash }) => tx_hash),
          chain.moved.has(key) ? [chain.moved.get(key)] : [],
        )
        assert.equal(await balanceOf(payer), chain.moved.has(key) ? paid : undefined)
        assert.ok(heard.every((balance) => balance === paid) && (heard.length === 0 || credited.length === 1))
        assert.ok(rows.every(({ state }) => state !== 'broadcast' && state !== 'settled'))
        if (fate !== 'fails' && rows.length > 0) {
          // Whatever happened, one of the payloads works in the end, when the chain does.
          chain.fates.set(key, 'settles')
          const answers = await Promise.allSettled(headers.map((header) => survivor.topUp(header)))
          assert.ok(answers.some(({ status }) => status === 'fulfilled'))
        }
        assert.ok(((await balanceOf(payer)) ?? 0n) <= paid)
      },
    ),
    { numRuns: 60 },
  )
  await assertBooks(sql, clock.nowMs())
})
