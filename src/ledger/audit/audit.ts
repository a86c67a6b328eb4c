import { systemClock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'
import type { Ask, Check, Example, Moment } from './check.js'
import { entryChecks } from './entries.js'
import { holdChecks } from './holds.js'
import { paymentChecks } from './payments.js'
import { rollUpChecks } from './roll-ups.js'
import { shareChecks } from './shares.js'

export type Finding = { check: string; problems: number; examples: string[] }

type Options = {
  nowMs?: number
  /** How long those who give expired holds back may take. */
  holdGraceMs?: number
}

/**
 * Proves that the books are right. Nothing is changed; every problem found is a bug or tampering. All checks see one
 * moment, so requests that are paid meanwhile cannot make two tables look different.
 */
export const auditLedger = (
  sql: Sql,
  { nowMs = systemClock.nowMs(), holdGraceMs = 60_000 }: Options = {},
): Promise<Finding[]> =>
  sql.transaction(async (sql) => {
    await sql`set transaction isolation level repeatable read, read only`
    await sql.script(settings)
    const findings: Finding[] = []
    for (const check of [...entryChecks, ...holdChecks, ...shareChecks, ...rollUpChecks, ...paymentChecks])
      findings.push(await runCheck(sql, check, { expiredBefore: new Date(nowMs - holdGraceMs) }))
    return findings
  })

// Each check reads whole tables once and sums them up in memory: hashing is right whatever the planner guesses about the
// JSON in them. Requests run beside it, so it takes one core; that also spares it the shared memory of which containers
// have little.
const settings = `
  set local work_mem = '128MB';
  set local enable_sort = off;
  set local enable_incremental_sort = off;
  set local enable_mergejoin = off;
  set local enable_memoize = off;
  set local max_parallel_workers_per_gather = 0;
  set local jit = off;
  set local statement_timeout = 0;`

const runCheck = async (sql: Sql, { check, broken }: Check, moment: Moment): Promise<Finding> => {
  const ask: Ask = (text, ...values) => sql<Example>(firstFive(text), ...values)
  await sql`savepoint this_check`
  try {
    const examples = await broken(ask, moment)
    return { check, problems: Number(examples[0]?.problems ?? 0), examples: examples.map(({ what }) => what) }
  } catch (error) {
    // Text that is not JSON, or a number that is none: a problem of the data, which must not hide the others.
    if (!/^22/.test((error as { code?: string }).code ?? '')) throw error
    await sql`rollback to savepoint this_check`
    return { check, problems: 1, examples: [(error as Error).message] }
  }
}

/** Wraps a query, so that it says how many rows it finds and shows five of them. */
const firstFive = (text: TemplateStringsArray): TemplateStringsArray => {
  const pieces = [...text]
  pieces[0] = `select what, count(*) over () problems from (${pieces[0]}`
  pieces.push(`${pieces.pop()}) found limit 5`)
  return Object.assign(pieces, { raw: pieces })
}
