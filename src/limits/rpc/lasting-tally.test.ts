import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { createDatabase, type Sql } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { createLastingTally } from './lasting-tally.js'
import { createSharedTally } from './shared-tally.js'
import { dayMs, minuteMs, startOf, stepMs, type Use } from './tally.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
const ends: (() => Promise<void>)[] = []
after(async () => {
  for (const end of ends) await end()
  await close()
  await database.drop()
})

const noon = Date.UTC(2026, 10, 15, 12, 0, 30)
const hourMs = 3_600_000
let names = 0
const newName = () => `subject ${++names} rpc`
const call = { requests: 1, credits: 20 }

/** Written when the test says so, unless it is about the rounds. */
const open = (options: Partial<Parameters<typeof createLastingTally>[0]> = {}) => {
  const tally = createLastingTally({ sql, pauseMs: 2 ** 31 - 1, ...options })
  ends.push(tally.stop)
  return tally
}

type Faults = {
  /** Statements that begin with this fail: before they reach the database, or when their answer comes back. */
  failing?: { verb: string; when: 'before' | 'after' } | undefined
  /** What has to happen before the next statement is sent. */
  gate?: Promise<void> | undefined
  statements: string[]
}

/** A database that can be away. */
const createFaulty = (faults: Faults): Sql =>
  (async (text: TemplateStringsArray, ...values: unknown[]) => {
    const statement = text.join('?').trim()
    faults.statements.push(statement)
    await faults.gate
    const isFailing = faults.failing !== undefined && statement.startsWith(faults.failing.verb)
    if (isFailing && faults.failing?.when === 'before') throw new Error('away')
    const rows = await sql(text, ...values)
    if (isFailing) throw new Error('the answer was lost')
    return rows
  }) as unknown as Sql

/** What was written, as whoever begins now reads it. */
const usedAt = (name: string, nowMs = noon) => open().add(name, { requests: 0, credits: 0 }, nowMs)

/** Holds statements up until it is opened. */
const createGate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

const firstWord = (statement: string) => statement.split(/\s/)[0]

test('counts as the database does, whichever of them goes on, and however often it begins anew', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          who: fc.nat(2),
          credits: fc.integer({ min: -5, max: 500 }),
          afterMs: fc.oneof(fc.nat(minuteMs), fc.nat(5 * hourMs)),
          before: fc.constantFrom('nothing', 'nothing', 'flush', 'restart', 'crash', 'several processes'),
        }),
        { maxLength: 30 },
      ),
      async (uses) => {
        const [here, there] = [newName(), newName()]
        const all: { who: number; atMs: number; credits: number }[] = []
        const shared = createSharedTally(sql)
        let tally = open()
        let nowMs = noon
        for (const { who, credits, afterMs, before } of uses) {
          nowMs += afterMs
          if (before === 'flush' || before === 'crash') await tally.flush()
          if (before === 'restart' || before === 'several processes') await tally.stop()
          if (before !== 'nothing' && before !== 'flush') tally = open()
          const use = { requests: 1, credits }
          const counting = before === 'several processes' ? shared : tally
          const used = await counting.add(`${here} ${who}`, use, nowMs)
          assert.deepEqual(used, await shared.add(`${there} ${who}`, use, nowMs))

          all.push({ who, atMs: nowMs, credits })
          const own = all.filter((one) => one.who === who)
          assert.deepEqual(used, {
            requests: own.filter(({ atMs }) => startOf(minuteMs, atMs) === startOf(minuteMs, nowMs)).length,
            credits: own
              .filter(({ atMs }) => startOf(stepMs, atMs) > nowMs - dayMs)
              .reduce((sum, one) => sum + one.credits, 0),
          })
        }
      },
    ),
    { numRuns: 40 },
  ))

test('a caller is read once; after that, counting waits for nothing', async () => {
  const faults: Faults = { statements: [] }
  const [tally, name] = [open({ sql: createFaulty(faults) }), newName()]
  await tally.add(name, call, noon)
  assert.deepEqual(tally.add(name, call, noon), { requests: 2, credits: 40 })
  assert.equal(faults.statements.length, 1)
})

test('who comes while callers are read waits for the same reading, and is counted once', async () => {
  const [name, other] = [newName(), newName()]
  const before = open()
  await before.add(name, { requests: 7, credits: 1_000 }, noon - hourMs)
  await before.add(name, { requests: 5, credits: 100 }, noon)
  await before.stop()

  const faults: Faults = { statements: [] }
  const gate = createGate()
  faults.gate = gate.opened
  const tally = open({ sql: createFaulty(faults) })
  const adding = Array.from({ length: 50 }, () => tally.add(name, call, noon))
  const strange = tally.add(other, call, noon)
  // The statement is on its way: these come in the midst of it.
  while (faults.statements.length === 0) await new Promise(setImmediate)
  const givenBack = tally.add(name, { requests: 0, credits: -15 }, noon)
  const nextMinute = tally.add(name, call, noon + minuteMs)
  const nextDay = tally.add(name, call, noon + 23 * hourMs)
  gate.open()

  assert.deepEqual(
    await Promise.all(adding),
    adding.map((_, place): Use => ({ requests: 6 + place, credits: 1_120 + 20 * place })),
  )
  assert.deepEqual(await strange, { requests: 1, credits: 20 })
  assert.deepEqual(await givenBack, { requests: 55, credits: 2_085 })
  assert.deepEqual(await nextMinute, { requests: 1, credits: 2_105 })
  assert.deepEqual(await nextDay, { requests: 1, credits: 1_125 }, 'what was used a day ago is over')
  assert.deepEqual(tally.add(name, call, noon + 23 * hourMs), { requests: 2, credits: 1_145 })
  assert.deepEqual(faults.statements.map(firstWord), ['select'], 'one statement for all of them')
  await tally.stop()
  assert.deepEqual(await usedAt(name, noon + 23 * hourMs), { requests: 2, credits: 1_145 })
})

test('a reading that fails is told and tried again, and what was let in meanwhile counts', async () => {
  const name = newName()
  const before = open()
  await before.add(name, { requests: 1, credits: 1_000 }, noon)
  await before.stop()

  const faults: Faults = { statements: [], failing: { verb: 'select', when: 'before' } }
  const tally = open({ sql: createFaulty(faults) })
  const together = await Promise.allSettled([tally.add(name, call, noon), tally.add(name, call, noon)])
  for (const result of together) assert.equal(result.status === 'rejected' && result.reason.message, 'away')
  await tally.flush()
  assert.deepEqual(await usedAt(name), { requests: 1, credits: 1_000 }, 'what is not known is not overwritten')
  faults.failing = undefined
  assert.deepEqual(await tally.add(name, call, noon), { requests: 4, credits: 1_060 })
})

test('what was counted while nothing could be read is written as soon as it can be', async () => {
  const name = newName()
  const before = open()
  await before.add(name, { requests: 1, credits: 1_000 }, noon)
  await before.stop()

  const faults: Faults = { statements: [], failing: { verb: 'select', when: 'before' } }
  const tally = open({ sql: createFaulty(faults) })
  await assert.rejects(async () => tally.add(name, call, noon))
  faults.failing = undefined
  await tally.stop()
  assert.deepEqual(await usedAt(name), { requests: 2, credits: 1_020 })
})

for (const when of ['before', 'after'] as const)
  test(`a write that fails ${when} it is done is tried again, and counts once`, async () => {
    const name = newName()
    const faults: Faults = { statements: [], failing: { verb: 'insert', when } }
    const troubles: unknown[] = []
    const tally = open({ sql: createFaulty(faults), onWriteFailed: (error) => troubles.push(error) })
    await tally.add(name, call, noon)
    await tally.flush()
    tally.add(name, call, noon + stepMs)
    await tally.flush()
    assert.equal(troubles.length, 1, 'told once')
    faults.failing = undefined
    await tally.flush()
    assert.deepEqual(await usedAt(name, noon + stepMs), { requests: 1, credits: 40 })

    faults.failing = { verb: 'insert', when }
    tally.add(name, call, noon + stepMs)
    await tally.flush()
    assert.equal(troubles.length, 2)
    assert.deepEqual(tally.add(name, call, noon + stepMs), { requests: 3, credits: 80 })
  })

test('what is counted while it is being written is written after that', async () => {
  const name = newName()
  const faults: Faults = { statements: [] }
  const tally = open({ sql: createFaulty(faults) })
  await tally.add(name, call, noon)
  const gate = createGate()
  faults.gate = gate.opened
  const flushed = tally.flush()
  while (faults.statements.length < 2) await new Promise(setImmediate)
  tally.add(name, call, noon)
  const flushedAgain = tally.flush()
  for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
  assert.deepEqual(faults.statements.map(firstWord), ['select', 'insert'], 'one write at a time')
  gate.open()
  await flushed
  await flushedAgain
  assert.deepEqual(await usedAt(name), { requests: 2, credits: 40 })
})

test('it is written without being asked, many callers with one statement, and nothing when nothing was counted', async () => {
  const found = Array.from({ length: 100 }, newName)
  const faults: Faults = { statements: [] }
  const tally = open({ sql: createFaulty(faults), pauseMs: 1 })
  await Promise.all(found.map((name) => tally.add(name, call, noon)))
  while (!faults.statements.some((statement) => statement.startsWith('delete')))
    await new Promise((resolve) => setTimeout(resolve, 1))
  await tally.stop()
  assert.deepEqual(faults.statements.map(firstWord), ['select', 'insert', 'delete'])
  for (const name of found.slice(0, 3)) assert.deepEqual(await usedAt(name), { requests: 1, credits: 20 })
})

test('what no longer counts is removed, and what counts is not', async () => {
  const [early, late] = [newName(), newName()]
  const rowsOf = (name: string) =>
    sql<{ period: string; tokens: bigint }>`
      select period::text, tokens from limit_counter where subject = ${name} order by period, starts_at`
  const tally = open()
  await tally.add(early, call, noon)
  await tally.flush()
  assert.equal((await rowsOf(early)).length, 2)
  await tally.add(late, call, noon + 2 * hourMs)
  await tally.flush()
  const [nowMs, name] = [noon + 25 * hourMs, newName()]
  await tally.add(name, call, nowMs)
  await tally.flush()
  assert.deepEqual(await rowsOf(early), [])
  assert.deepEqual(await rowsOf(late), [{ period: 'day', tokens: 20n }])
  assert.equal((await rowsOf(name)).length, 2)
})

test('of many callers those who are quiet are forgotten, but never what is not yet written', async () => {
  const faults: Faults = { statements: [] }
  const tally = open({ sql: createFaulty(faults), subjectsMax: 3 })
  const [written, unwritten, active] = [newName(), newName(), newName()]
  for (const name of [written, active]) await tally.add(name, call, noon)
  await tally.flush()
  const laterMs = noon + 2 * hourMs
  await tally.add(unwritten, call, noon)
  tally.add(active, call, laterMs)
  await tally.add(newName(), call, laterMs)

  const readings = () => faults.statements.filter((statement) => statement.startsWith('select')).length
  const before = readings()
  assert.deepEqual(tally.add(unwritten, call, laterMs), { requests: 1, credits: 40 })
  assert.deepEqual(tally.add(active, call, laterMs), { requests: 2, credits: 60 })
  assert.equal(readings(), before)
  assert.deepEqual(await tally.add(written, call, laterMs), { requests: 1, credits: 40 })
  assert.equal(readings(), before + 1, 'it was forgotten, and is read again')
})

test('nobody is forgotten while they are being written', async () => {
  const faults: Faults = { statements: [] }
  const tally = open({ sql: createFaulty(faults), subjectsMax: 1 })
  const name = newName()
  await tally.add(name, call, noon)
  const gate = createGate()
  faults.gate = gate.opened
  const flushed = tally.flush()
  while (faults.statements.length < 2) await new Promise(setImmediate)
  const other = tally.add(newName(), call, noon + 2 * hourMs)
  assert.deepEqual(tally.add(name, call, noon + 2 * hourMs), { requests: 1, credits: 40 })
  gate.open()
  await Promise.all([flushed, other])
})

test('a clock that is put back makes nothing count twice', async () => {
  const name = newName()
  const tally = open()
  let credits = 0
  for (const atMs of [noon, noon + stepMs, noon, noon + stepMs, noon - stepMs]) {
    credits += 20
    assert.equal((await tally.add(name, call, atMs)).credits, credits)
    await tally.flush()
  }
  assert.equal((await usedAt(name)).credits, credits)
})
