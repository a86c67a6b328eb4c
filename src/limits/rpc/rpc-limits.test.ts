import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Failure } from '#contract/errors.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestClock } from '../../../test/service.js'
import { createLastingTally } from './lasting-tally.js'
import { createRpcLimits } from './rpc-limits.js'
import { createSharedTally } from './shared-tally.js'
import type { Tally } from './tally.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)

const noon = Date.UTC(2026, 10, 15, 12, 0, 30)
const hourMs = 3_600_000
let callers = 0
const newCaller = () => ({ accountId: `account ${++callers}`, keyId: `key ${callers}`, tier: 'paid' })

const refusalOf = async (attempt: () => Promise<void> | undefined): Promise<Failure> => {
  try {
    await attempt()
  } catch (error) {
    assert.ok(error instanceof Failure)
    return error
  }
  return assert.fail('it was let in')
}

/** The process that counts ends now and then, and another begins. */
const createRestarting = () => {
  let tally = createLastingTally({ sql })
  let uses = 0
  let turn: Promise<unknown> = Promise.resolve()
  return {
    add(...use: Parameters<Tally['add']>) {
      const added = turn.then(async () => {
        if (++uses % 5 === 0) {
          await tally.stop()
          tally = createLastingTally({ sql })
        }
        return tally.add(...use)
      })
      turn = added
      return added
    },
    async stop() {
      await turn
      await tally.stop()
    },
  }
}

const [lasting, restarting] = [createLastingTally({ sql }), createRestarting()]
after(async () => {
  await lasting.stop()
  await restarting.stop()
  await close()
  await database.drop()
})

/** Counting in one process and in the database keep the same promises. */
for (const [name, tally] of [
  ['counted in the process', lasting],
  ['counted in processes that follow each other', restarting],
  ['counted in the database', createSharedTally(sql)],
] as const)
  describe(name, () => {
    const open = (allowance = { requestsPerMinute: 3, creditsPerDay: 1_000 }) => {
      const clock = createTestClock(noon)
      const refused: string[] = []
      const limits = createRpcLimits({
        tally,
        clock,
        allowanceOf: () => allowance,
        onLimited: (_who, unit) => refused.push(unit),
        onTrouble: (trouble) => assert.fail(trouble),
      })
      return { clock, limits, refused }
    }

    test('so many requests a minute are let in, and the next minute as many', async () => {
      const { clock, limits, refused } = open()
      const who = newCaller()
      for (let round = 0; round < 2; round++) {
        for (let n = 0; n < 3; n++) await limits.take(who, 20)
        const failure = await refusalOf(() => limits.take(who, 20))
        assert.deepEqual([failure.status, failure.code], [429, 'RATE_LIMIT_EXCEEDED'])
        assert.match(failure.message, /3 requests per minute/)
        assert.deepEqual(
          ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'].map(
            (header) => failure.headers[header],
          ),
          ['3', '0', String(Math.floor(clock.nowMs() / 60_000) * 60 + 60), '30'],
        )
        assert.equal(failure.extra.customMessage, failure.message)
        await limits.take(newCaller(), 20)
        clock.advance(60_000)
      }
      assert.deepEqual(refused, ['requests', 'requests'])
    })

    test('credits of the last 24 hours count, wherever midnight is, and what is refused does not', async () => {
      const { clock, limits, refused } = open({ requestsPerMinute: 100, creditsPerDay: 1_000 })
      const who = newCaller()
      await limits.take(who, 600)
      clock.advance(13 * hourMs)
      await limits.take(who, 400)
      const failure = await refusalOf(() => limits.take(who, 20))
      assert.match(failure.message, /1000 credits .* in any 24 hours; 1000 are used and this request needs up to 20/)
      assert.equal(failure.headers['x-ratelimit-limit'], '1000')
      assert.equal(failure.headers['x-ratelimit-remaining'], '0')
      clock.advance(11 * hourMs)
      await limits.take(who, 600)
      await refusalOf(() => limits.take(who, 20))
      assert.deepEqual(refused, ['credits', 'credits'])
    })

    test('what was not used is given back', async () => {
      const { limits } = open({ requestsPerMinute: 100, creditsPerDay: 100 })
      const who = newCaller()
      await limits.take(who, 100)
      limits.giveBack(who, 95)
      await limits.take(who, 95)
      await refusalOf(() => limits.take(who, 1))
    })

    test('of those who come at the same time, exactly as many as the limit are let in', async () => {
      const { limits } = open({ requestsPerMinute: 50, creditsPerDay: 1_000_000 })
      const [who, other] = [newCaller(), newCaller()]
      const results = await Promise.allSettled(
        Array.from({ length: 240 }, async (_, n) => limits.take(n % 2 ? who : other, 20)),
      )
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 100)
    })
  })

test('counting that fails lets requests in, and is told', async () => {
  const troubles: string[] = []
  const limits = createRpcLimits({
    tally: { add: () => Promise.reject(new Error('away')) },
    clock: createTestClock(noon),
    allowanceOf: () => ({ requestsPerMinute: 1, creditsPerDay: 1 }),
    onLimited: () => assert.fail(),
    onTrouble: (trouble) => troubles.push(trouble),
  })
  await limits.take(newCaller(), 100)
  assert.deepEqual(troubles, ['away'])
})
