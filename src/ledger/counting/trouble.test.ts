import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Limit, Window } from '#limits/count.js'
import { windowStartMs } from '#limits/count.js'
import { createCounters } from '#limits/counters.js'
import { newRequestId } from '#plumbing/ids.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { assertBooks, createPayer } from '../../../test/money.js'
import { createTestClock } from '../../../test/service.js'
import { createLedger } from '../ledger.js'
import { withoutLimits } from '../posting/count-columns.js'
import type { HoldOrder, HoldResult } from '../posting/hold.js'
import type { Settlement } from '../posting/settle.js'
import { countHere } from './count-here.js'

// The audit looks at the time of the database, so this clock shows it as well.
const nowMs = Date.now()
const limit: Limit = { scope: 'api_key', period: 'minute', requestsMax: 1, tokensMax: 1 }
const window: Window = { limit, subject: 'key', startsAtMs: windowStartMs('minute', nowMs) }

/** A ledger that shares its limits, on a database that may be broken, and a caller with credit for two requests. */
const open = async (test: { after(work: () => Promise<void>): void }) => {
  const database = await createTestDatabase()
  const { sql, close } = createDatabase(database.connection)
  const troubles: string[] = []
  const ledger = createLedger({
    connection: database.connection,
    clock: createTestClock(nowMs),
    sharesLimits: true,
    onLimitTrouble: (trouble) => troubles.push(trouble),
  })
  test.after(async () => {
    await ledger.stop()
    await close()
    await database.drop()
  })
  const { accountId, apiKeyId } = await createPayer(sql, { usd: 2n })
  const who = { accountId, apiKeyId }
  const price = { usd: 1n, diem: 1n }
  const ask = (requestId = newRequestId()) =>
    ledger.hold({ requestId, ...who, model: 'm', least: price, most: price, count: { windows: [window], tokens: 1 } })
  /** The end of a request that was let in; it cost nothing, and used more tokens than was thought. */
  const end = (requestId: string, result: HoldResult) => {
    assert.ok(result.outcome === 'held')
    const bill = {
      lines: [],
      outcome: 'completed',
      countedBy: null,
      promptTokens: null,
      completionTokens: null,
    } as const
    const goods = { model: 'm', modelType: null, unitType: 'tokens' } as const
    const paid = { usd: 0n, bundled: 0n, diem: 0n }
    const correction = { windows: [window], tokens: 5 }
    const { held } = result
    return ledger.settle({ requestId, ...who, ...bill, lines: [], goods, held, paid, beganAtMs: nowMs, correction })
  }
  return { sql, troubles, ask, end }
}

test('limits that cannot be counted let everybody in, and say so; money is decided as ever', async (test) => {
  const { sql, troubles, ask, end } = await open(test)
  await sql.script('drop table limit_counter')
  const requestId = newRequestId()
  const first = await ask(requestId)
  assert.deepEqual([first.outcome, first.readings], ['held', undefined])
  assert.equal((await ask()).outcome, 'held')
  assert.equal((await ask()).outcome, 'balance')
  assert.equal(troubles.length, 3)
  assert.match(troubles[0] ?? '', /limit_counter/)
  assert.equal(await end(requestId, first), 'settled')
  assert.equal(troubles.length, 4)
  await assertBooks(sql)

  // And the other way round: without the books nobody is let in, limits or not.
  await sql.script('alter table ledger_hold rename to ledger_hold_elsewhere')
  await assert.rejects(ask(), /ledger_hold/)
  assert.equal(troubles.length, 4)
})

test('counters that somebody else keeps locked do not keep anybody waiting for long', async (test) => {
  const { sql, troubles, ask, end } = await open(test)
  await sql.transaction(async (sql) => {
    await sql.script('lock table limit_counter in access exclusive mode')
    const requestId = newRequestId()
    assert.equal(await end(requestId, await ask(requestId)), 'settled')
  })
  assert.equal(troubles.length, 2)
  assert.match(troubles[0] ?? '', /lock timeout/)
})

test('a deadlock is tried again with limits; what is not known to be undone is not tried again at all', async () => {
  const fails = (state: string | undefined) =>
    Object.assign(new Error('no'), state && { severity: 'ERROR', code: state })
  const run = async (...errors: (Error | undefined)[]) => {
    const calls: string[] = []
    const withLimits = async () => {
      calls.push('with')
      const error = errors.shift()
      if (error) throw error
    }
    const without = async () => void calls.push('without')
    const outcome = await withoutLimits(withLimits, without, () => calls.push('told')).then(
      () => 'done',
      (error: Error) => error.message,
    )
    return [...calls, outcome]
  }
  assert.deepEqual(await run(undefined), ['with', 'done'])
  assert.deepEqual(await run(fails('40P01')), ['with', 'with', 'done'])
  assert.deepEqual(await run(fails('40P01'), fails('40P01')), ['with', 'with', 'without', 'told', 'done'])
  assert.deepEqual(await run(fails('42P01')), ['with', 'without', 'told', 'done'])
  assert.deepEqual(await run(fails('TS001')), ['with', 'no'])
  assert.deepEqual(await run(fails(undefined)), ['with', 'no'])
})

test('a settlement whose first answer was lost is still corrected in the process', async () => {
  const counters = createCounters()
  const wide = { ...window, limit: { ...limit, requestsMax: 10, tokensMax: 1_000 } }
  const steps = { hold: async () => ({ outcome: 'held' }) as HoldResult, settle: async () => 'already' as const }
  const counting = countHere({ steps, counters, onTrouble: assert.fail })
  await counting.hold({ count: { windows: [wide], tokens: 900 } } as HoldOrder)
  await counting.settle({ correction: { windows: [wide], tokens: -890 } } as unknown as Settlement)
  assert.equal(counters.look([wide])[0]?.tokens, 10)
})
