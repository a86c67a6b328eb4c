import assert from 'node:assert/strict'
import { after, describe, mock, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { type Count, type Limit, refusalOf, type Window, windowStartMs } from '#limits/count.js'
import { everybody } from '#limits/limits.js'
import { newRequestId } from '#plumbing/ids.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { createPayer } from '../../../test/money.js'
import { createTestClock } from '../../../test/service.js'
import { createLedger, type Ledger } from '../ledger.js'
import type { HoldResult } from '../posting/hold.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})

const price = { usd: 1n, diem: 1n }
const nothing = { usd: 0n, bundled: 0n, diem: 0n }
const noon = Date.UTC(2026, 10, 15, 12)

const limit = (some: Partial<Limit> = {}): Limit => ({
  scope: 'api_key',
  period: 'minute',
  requestsMax: Infinity,
  tokensMax: Infinity,
  ...some,
})

/** What a caller, and then the gate, see of a result. */
const told = (result: HoldResult) => ({
  outcome: result.outcome,
  used: result.readings?.map(({ requests, tokens }) => [requests, tokens]),
  ...(result.outcome === 'limited' && { unit: result.refusal.unit, scope: result.refusal.reading.limit.scope }),
})

/** Counting in one process and in the database keep the same promises. */
for (const sharesLimits of [false, true]) {
  describe(sharesLimits ? 'counted in the database' : 'counted in the process', () => {
    let subjects = 0

    /** A ledger with credit and a clock of its own. Time stands still until it is told otherwise. */
    const open = async (test: { after(work: () => Promise<void>): void }, usd = 1_000_000_000n) => {
      const clock = createTestClock(noon)
      const troubles: string[] = []
      const ledger = createLedger({
        connection: database.connection,
        clock,
        sharesLimits,
        onLimitTrouble: (trouble) => troubles.push(trouble),
      })
      test.after(() => ledger.stop())
      const payer = await createPayer(sql, { usd })
      const windowOf = (of: Limit, subject: string): Window => ({
        limit: of,
        subject: of.scope === 'global' ? everybody : subject,
        startsAtMs: windowStartMs(of.period, clock.nowMs()),
      })
      const countOf = (limits: Limit[], subject: string, tokens = 0): Count => ({
        windows: limits.map((of) => windowOf(of, subject)),
        tokens,
      })
      const ask = (count: Count, more: object = {}, of: Ledger = ledger) =>
        of.hold({
          requestId: newRequestId(),
          accountId: payer.accountId,
          apiKeyId: payer.apiKeyId,
          model: 'model',
          least: price,
          most: price,
          count,
          ...more,
        })
      /** The end of a request that was let in, and that used so many tokens beyond its estimate. */
      const end = (requestId: string, result: HoldResult, tokens: number) => {
        assert.equal(result.outcome, 'held')
        const who = { requestId, accountId: payer.accountId, apiKeyId: payer.apiKeyId }
        const goods = { model: 'model', modelType: null, unitType: 'tokens' } as const
        const bill = {
          lines: [],
          outcome: 'completed',
          countedBy: null,
          promptTokens: null,
          completionTokens: null,
        } as const
        const windows = (result.readings ?? []).filter(({ limit }) => limit.tokensMax !== Infinity)
        const correction = { windows, tokens }
        return ledger.settle({
          ...who,
          ...bill,
          lines: [],
          goods,
          held: result.held,
          paid: nothing,
          beganAtMs: 0,
          correction,
        })
      }
      return {
        clock,
        ledger,
        payer,
        troubles,
        countOf,
        windowOf,
        ask,
        end,
        subject: `key ${++subjects} ${sharesLimits}`,
      }
    }

    test('as many requests as the limit are let in, and each hears what is left', async (test) => {
      const { ask, countOf, subject } = await open(test)
      const three = () => ask(countOf([limit({ requestsMax: 3 })], subject))
      const used = []
      for (let n = 0; n < 3; n++) used.push(told(await three()))
      assert.deepEqual(
        used,
        [1, 2, 3].map((requests) => ({ outcome: 'held', used: [[requests, 0]] })),
      )
      for (let n = 0; n < 2; n++)
        assert.deepEqual(told(await three()), {
          outcome: 'limited',
          used: [[3, 0]],
          unit: 'requests',
          scope: 'api_key',
        })
    })

    test('of requests that come at the same time, exactly as many as the limit are let in', async (test) => {
      const { ask, countOf, subject, payer } = await open(test)
      const results = await Promise.all(
        Array.from({ length: 500 }, () => ask(countOf([limit({ requestsMax: 100 })], subject))),
      )
      const held = results.filter(({ outcome }) => outcome === 'held')
      assert.equal(held.length, 100)
      assert.equal(results.length - held.length, results.filter(({ outcome }) => outcome === 'limited').length)
      const numbers = held.map((result) => result.readings?.[0]?.requests ?? 0)
      assert.deepEqual(
        numbers.sort((one, other) => one - other),
        Array.from({ length: 100 }, (_, index) => index + 1),
      )
      // Who is not let in has nothing set aside.
      const { holds } = await sql.one<{ holds: bigint }>`
        select count(*) holds from ledger_hold where account_id = ${payer.accountId}`
      assert.equal(holds, 100n)
    })

    test('the last millisecond of a minute counts to it, the next one begins a new window', async (test) => {
      const { ask, countOf, subject, clock } = await open(test)
      const once = () => ask(countOf([limit({ requestsMax: 1 })], subject))
      clock.set(Date.UTC(2026, 10, 15, 12, 0, 59, 999))
      assert.deepEqual([(await once()).outcome, (await once()).outcome], ['held', 'limited'])
      clock.advance(1)
      assert.deepEqual([(await once()).outcome, (await once()).outcome], ['held', 'limited'])
    })

    test('days begin at 00:00 UTC, also with the last minute of a year', async (test) => {
      const { ask, countOf, subject, clock } = await open(test)
      const limits = [limit({ requestsMax: 2 }), limit({ period: 'day', requestsMax: 3 })]
      const outcomes = async (times: number) => {
        const all = []
        for (let n = 0; n < times; n++) all.push((await ask(countOf(limits, subject))).outcome)
        return all
      }
      clock.set(Date.UTC(2026, 11, 31, 23, 58, 59, 999))
      assert.deepEqual(await outcomes(3), ['held', 'held', 'limited'])
      clock.advance(1)
      assert.deepEqual(await outcomes(2), ['held', 'limited'])
      clock.set(Date.UTC(2026, 11, 31, 23, 59, 59, 999))
      assert.deepEqual(await outcomes(1), ['limited'])
      clock.advance(1)
      assert.deepEqual(await outcomes(3), ['held', 'held', 'limited'])
    })

    test('a request is counted on all of its limits, or on none', async (test) => {
      const { ask, countOf, subject, ledger, windowOf } = await open(test)
      const wide = limit({ requestsMax: 10 })
      const narrow = limit({ scope: 'user', requestsMax: 1 })
      const both = { windows: [windowOf(wide, subject), windowOf(narrow, `${subject} account`)], tokens: 5 }
      assert.deepEqual(told(await ask(both)), {
        outcome: 'held',
        used: [
          [1, 5],
          [1, 5],
        ],
      })
      const refused = told(await ask(both))
      assert.deepEqual([refused.outcome, refused.scope], ['limited', 'user'])
      assert.deepEqual(
        (await ledger.look(both.windows)).map(({ requests, tokens }) => [requests, tokens]),
        [
          [1, 5],
          [1, 5],
        ],
      )
      // The other limit still lets in whoever does not meet the narrow one.
      assert.deepEqual(told(await ask(countOf([wide], subject))), { outcome: 'held', used: [[2, 5]] })
    })

    test('a limit of everybody is shared by all, and exact', async (test) => {
      const one = await open(test)
      const other = await open(test)
      const limits = [limit({ requestsMax: 90 }), limit({ scope: 'global', requestsMax: 100 })]
      // In the process the two are strangers: only the database is shared.
      const second = sharesLimits ? other : one
      one.clock.set(noon + 3_600_000)
      other.clock.set(noon + 3_600_000)
      const results = await Promise.all(
        Array.from({ length: 300 }, (_, index) =>
          index % 2 ? one.ask(one.countOf(limits, one.subject)) : second.ask(second.countOf(limits, other.subject)),
        ),
      )
      assert.equal(results.filter(({ outcome }) => outcome === 'held').length, 100)
    })

    test('tokens are let in on the estimate and corrected by what was used', async (test) => {
      const { ask, countOf, subject, end, ledger } = await open(test)
      const limits = [limit({ tokensMax: 100 })]
      const requestId = newRequestId()
      const first = await ask(countOf(limits, subject, 60), { requestId })
      assert.deepEqual(told(await ask(countOf(limits, subject, 60))), {
        outcome: 'limited',
        used: [[1, 60]],
        unit: 'tokens',
        scope: 'api_key',
      })
      assert.equal(await end(requestId, first, 10 - 60), 'settled')
      assert.deepEqual(told(await ask(countOf(limits, subject, 60))), { outcome: 'held', used: [[2, 70]] })
      const [reading] = await ledger.look(first.readings ?? [])
      assert.equal(reading?.tokens, 70)
    })

    test('the count of tokens never falls below zero, and what ends after its window changes nothing', async (test) => {
      const { ask, countOf, subject, end, clock, ledger } = await open(test)
      const limits = [limit({ tokensMax: 100 })]
      const [one, late] = [newRequestId(), newRequestId()]
      const first = await ask(countOf(limits, subject, 50), { requestId: one })
      const second = await ask(countOf(limits, subject, 50), { requestId: late })
      await end(one, first, -1_000)
      assert.equal((await ledger.look(first.readings ?? []))[0]?.tokens, 0)
      clock.advance(60_000)
      const next = await ask(countOf(limits, subject, 30))
      await end(late, second, 500)
      assert.deepEqual(
        (await ledger.look(next.readings ?? [])).map(({ tokens }) => tokens),
        [30],
      )
    })

    test('a request that is larger than a whole window gets one that is untouched', async (test) => {
      const { ask, countOf, subject } = await open(test)
      const limits = [limit({ tokensMax: 100 })]
      assert.equal((await ask(countOf(limits, subject, 5_000))).outcome, 'held')
      assert.equal((await ask(countOf(limits, subject, 1))).outcome, 'limited')
    })

    test('a request that cannot be paid counts as one, but uses no tokens', async (test) => {
      const { ask, countOf, subject, ledger } = await open(test, 0n)
      const count = countOf([limit({ requestsMax: 2, tokensMax: 100 })], subject, 80)
      for (const requests of [1, 2])
        assert.deepEqual(told(await ask(count)), { outcome: 'balance', used: [[requests, 0]] })
      assert.equal((await ask(count)).outcome, 'limited')
      assert.deepEqual(
        (await ledger.look(count.windows)).map(({ requests, tokens }) => [requests, tokens]),
        [[2, 0]],
      )
    })

    test('an answer that is given again is not counted', async (test) => {
      const { ask, countOf, subject, ledger } = await open(test)
      const count = countOf([limit({ requestsMax: 5, tokensMax: 100 })], subject, 10)
      const claim = { keyHash: 'ab'.repeat(32), fingerprint: 'cd'.repeat(32) }
      assert.equal((await ask(count, { claim })).outcome, 'held')
      assert.deepEqual(told(await ask(count, { claim })), { outcome: 'replay', used: [[1, 10]] })
      assert.deepEqual(
        (await ledger.look(count.windows)).map(({ requests, tokens }) => [requests, tokens]),
        [[1, 10]],
      )
    })

    test('limits cost no round trip of their own', async (test) => {
      const { ask, countOf, subject, end } = await open(test)
      const both = async (count: Count | undefined) => {
        const spy = mock.method(pg.Client.prototype, 'query')
        const requestId = newRequestId()
        const result = await ask(count as Count, { requestId })
        await end(requestId, result, 3)
        spy.mock.restore()
        return spy.mock.callCount()
      }
      // The first ones also learn which accounts the house has.
      await both(undefined)
      assert.deepEqual([await both(undefined), await both(countOf([limit({ tokensMax: 100 })], subject, 5))], [2, 2])
    })

    test('requests with and without limits travel together', async (test) => {
      const { ask, countOf, subject } = await open(test)
      const limited = () => ask(countOf([limit({ requestsMax: 1 })], subject))
      const free = () => ask(undefined as never)
      const results = await Promise.all([limited(), free(), limited(), free()])
      assert.deepEqual(results.map(({ outcome }) => outcome).sort(), ['held', 'held', 'held', 'limited'])
    })

    test('whatever happens, the counts are those of a plain model', async (test) => {
      const step = fc.oneof(
        fc.record({ kind: fc.constant('ask'), who: fc.nat(1), tokens: fc.nat(60), width: fc.nat(2) }),
        fc.record({ kind: fc.constant('end'), which: fc.nat(5), tokens: fc.nat(100) }),
        fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(1, 20_000, 60_000) }),
      )
      const run = await open(test)
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
          const subject = `model ${++subjects} ${sharesLimits}`
          const model = new Map<string, { requests: number; tokens: number }>()
          const running: { requestId: string; result: HoldResult; estimate: number }[] = []
          const limits = [
            limit({ requestsMax: 3, tokensMax: 100 }),
            limit({ period: 'day', requestsMax: 7 }),
            limit({ scope: 'user', requestsMax: 4, tokensMax: 130 }),
          ]
          const keyOf = (window: Window) => `${window.limit.period} ${window.subject} ${window.startsAtMs}`
          const usedOf = (window: Window) => model.get(keyOf(window)) ?? { requests: 0, tokens: 0 }
          for (const each of steps) {
            if (each.kind === 'wait') run.clock.advance(each.ms)
            if (each.kind === 'ask') {
              const windows = limits
                .slice(0, each.width + 1)
                .map((of) => run.windowOf(of, of.scope === 'user' ? subject : `${subject} ${each.who}`))
              const requestId = newRequestId()
              const result = await run.ask({ windows, tokens: each.tokens }, { requestId })
              const refusal = refusalOf(
                windows.map((window) => ({ ...window, ...usedOf(window) })),
                each.tokens,
              )
              assert.equal(result.outcome, refusal ? 'limited' : 'held')
              if (refusal) continue
              for (const window of windows) {
                const { requests, tokens } = usedOf(window)
                model.set(keyOf(window), { requests: requests + 1, tokens: tokens + each.tokens })
              }
              assert.deepEqual(
                told(result).used,
                windows.map((window) => Object.values(usedOf(window))),
              )
              running.push({ requestId, result, estimate: each.tokens })
            }
            if (each.kind === 'end') {
              const [ended] = running.splice(each.which % Math.max(1, running.length), 1)
              if (!ended) continue
              const delta = each.tokens - ended.estimate
              await run.end(ended.requestId, ended.result, delta)
              for (const window of ended.result.readings ?? []) {
                if (window.limit.tokensMax === Infinity) continue
                const { requests, tokens } = usedOf(window)
                model.set(keyOf(window), { requests, tokens: Math.max(0, tokens + delta) })
              }
            }
            const current = limits.flatMap((of) =>
              of.scope === 'user'
                ? [run.windowOf(of, subject)]
                : [0, 1].map((who) => run.windowOf(of, `${subject} ${who}`)),
            )
            assert.deepEqual(
              (await run.ledger.look(current)).map(({ requests, tokens }) => ({ requests, tokens })),
              current.map((window) => usedOf(window)),
            )
          }
        }),
        { numRuns: 40 },
      )
    })
  })
}

test('what no longer counts is removed', async (test) => {
  const clock = createTestClock(noon)
  const ledger = createLedger({ connection: database.connection, clock, sharesLimits: true })
  test.after(() => ledger.stop())
  const payer = await createPayer(sql, { usd: 100n })
  const of = (period: 'minute' | 'day') => ({
    limit: limit({ period, requestsMax: 5 }),
    subject: 'forgotten',
    startsAtMs: windowStartMs(period, noon),
  })
  const { accountId, apiKeyId } = payer
  const count = { windows: [of('minute'), of('day')], tokens: 0 }
  await ledger.hold({ requestId: newRequestId(), accountId, apiKeyId, model: 'm', least: price, most: price, count })
  const periods = async () =>
    (await sql<{ period: string }>`select period::text from limit_counter where subject = 'forgotten' order by 1`).map(
      ({ period }) => period,
    )
  await ledger.sweep()
  assert.deepEqual(await periods(), ['day', 'minute'])
  clock.advance(2 * 3_600_000)
  await ledger.sweep()
  assert.deepEqual(await periods(), ['day'])
  clock.advance(2 * 86_400_000)
  await ledger.sweep()
  assert.deepEqual(await periods(), [])
})
