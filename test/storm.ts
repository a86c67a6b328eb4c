import { setTimeout as wait } from 'node:timers/promises'
import { Agent } from 'undici'
import { setStake } from '#ledger/credit/stake.js'
import { createDatabase, type Sql } from '#store/sql.js'
import { createTestDatabase } from './database.js'
import { createPayer } from './money.js'
import { createJournal, findProblems, waitForHolds } from './paid-journal.js'
import { type Load, type Moment, startLoad } from './paid-load.js'
import { type PaidProcess, startPaidProcesses } from './paid-processes.js'
import { createRandom, type Random } from './random.js'

/** What happens to one process in a round. Settlements take milliseconds: blind kills rarely meet one, aimed ones do. */
const faults = [
  'killed at any time',
  'killed before the last event',
  'killed at the head of an answer',
  'killed while it holds',
  'killed while it settles',
  'frozen until its holds are swept',
] as const
type Fault = (typeof faults)[number]

export type Round = {
  number: number
  processes: number
  fault: Fault
  requests: number
  delivered: number
  /** Requests that the process was working on when it was hit. */
  inFlight: number
  tookMs: number
  problems: string[]
}

type Options = {
  rounds: number
  seed: number
  /** How many processes there are, one number after the other. */
  counts?: readonly number[]
  onRound?: (round: Round) => void
}

/** Short, so that a round need not wait long until what a dead process held is given back. */
const holdMs = 600
/** How long an aimed fault waits for its moment. */
const aimMs = 2_000
/** How long a round waits for answers before it goes on without. */
const deliverMs = 20_000

/**
 * Round after round: requests of every kind on one to three processes, one of which is killed or frozen at a bad moment.
 * Afterwards, what the callers received is held against the books.
 */
export const runStorm = async ({ rounds, seed, counts = [1, 2, 3], onRound = () => {} }: Options): Promise<Round[]> => {
  const random = createRandom(seed)
  const done: Round[] = []
  // Now and then another number of processes, on a new database, so that the audits stay quick.
  const roundsPerDatabase = Math.min(20, Math.ceil(rounds / counts.length))
  for (let turn = 0; done.length < rounds; turn++) {
    await withService(counts[turn % counts.length] ?? 1, async (service) => {
      const end = Math.min(rounds, done.length + roundsPerDatabase)
      while (done.length < end) {
        // Each kind once before any kind again.
        const fault = faults[(done.length + seed) % faults.length] as Fault
        const round = await runRound(service, { number: done.length + 1, fault, random })
        done.push(round)
        onRound(round)
      }
    })
  }
  return done
}

type Service = Awaited<ReturnType<typeof startService>>

const startService = async (count: number, ends: (() => void | Promise<void>)[]) => {
  const after = (work: () => void | Promise<void>) => void ends.unshift(work)
  const database = await createTestDatabase()
  after(database.drop)
  const { sql, close } = createDatabase(database.connection, { connectionsMax: 3 })
  after(close)
  const dispatcher = new Agent()
  after(() => dispatcher.destroy())
  const options = { connection: database.connection, count, holdMs, isRestartedOften: true }
  const processes = await startPaidProcesses({ after }, options)
  // The second runs out of diem and of bundled credits on the way, so some requests are paid in two kinds of credit.
  const credits = [
    { usd: 10n ** 15n, bundled: 0n, stake: 0n },
    { usd: 10n ** 15n, bundled: 300_000_000n, stake: 200_000_000n },
    { usd: 10n ** 15n, bundled: 10n ** 12n, stake: 10n ** 11n },
  ]
  const payers = await Promise.all(
    credits.map(async ({ stake, ...credit }) => {
      const payer = await createPayer(sql, credit)
      if (stake > 0n) await setStake(sql, { accountId: payer.accountId, amountNanos: stake, nowMs: Date.now() })
      return { ...payer, ...credit }
    }),
  )
  return { sql, dispatcher, processes, payers }
}

const withService = async (count: number, work: (service: Service) => Promise<void>) => {
  const ends: (() => void | Promise<void>)[] = []
  try {
    await work(await startService(count, ends))
  } finally {
    for (const end of ends) await end()
  }
}

type Plan = { number: number; fault: Fault; random: Random }

const runRound = async (service: Service, { number, fault, random }: Plan): Promise<Round> => {
  const { sql, processes, payers } = service
  const beganMs = performance.now()
  const journal = createJournal()
  const victim = random.pick(processes)
  const moments = createMoments(victim)
  const load = startLoad({ ...service, journal, seed: random.below(1_000_000), onMoment: moments.seen })
  const deliver = async (more: number) => {
    const enough = journal.delivered.length + more
    const deadlineMs = performance.now() + deliverMs
    while (journal.delivered.length < enough && performance.now() < deadlineMs) await wait(2)
  }
  await deliver(20 + random.below(80))
  const inFlight = await hit(service, { fault, victim, load, moments })
  const restarted = fault.startsWith('killed') ? victim.restart() : undefined
  await deliver(10)
  await load.stop()
  await restarted
  const left = await waitForHolds(sql)
  const problems = [...left, ...(await findProblems(sql, journal, payers))]
  const { sent: requests, delivered } = journal
  const tookMs = Math.round(performance.now() - beganMs)
  return {
    number,
    processes: processes.length,
    fault,
    requests,
    delivered: delivered.length,
    inFlight,
    tookMs,
    problems,
  }
}

type Moments = ReturnType<typeof createMoments>

/** Calls back in the very moment: a kill that waited for a promise would come too late. */
const createMoments = (victim: PaidProcess) => {
  let wanted: { moment: Moment; act: () => void } | undefined
  return {
    seen(moment: Moment, process: PaidProcess) {
      if (process !== victim || moment !== wanted?.moment) return
      const { act } = wanted
      wanted = undefined
      act()
    },
    next: (moment: Moment, act: () => void) =>
      new Promise<void>((resolve) => {
        const actOnce = () => {
          clearTimeout(timer)
          wanted = undefined
          act()
          resolve()
        }
        const timer = setTimeout(actOnce, aimMs)
        wanted = { moment, act: actOnce }
      }),
  }
}

type Hit = { fault: Fault; victim: PaidProcess; load: Load; moments: Moments }

/** Says how many requests were hit. */
const hit = async ({ sql, processes }: Service, { fault, victim, load, moments }: Hit): Promise<number> => {
  let inFlight = 0
  const kill = () => {
    inFlight = load.inFlight(victim)
    void victim.kill()
  }
  switch (fault) {
    case 'killed at any time':
      kill()
      break
    case 'killed before the last event':
      await moments.next('all but the last event', kill)
      break
    case 'killed at the head of an answer':
      await moments.next('the head of an answer', kill)
      break
    case 'killed while it holds':
      await killDuring(sql, 'ledger_hold_batch', processes.length, kill)
      break
    case 'killed while it settles':
      await killDuring(sql, 'ledger_settle_batch', processes.length, kill)
      break
    case 'frozen until its holds are swept':
      inFlight = load.inFlight(victim)
      victim.freeze()
      await wait(holdMs * 1.5)
      victim.thaw()
  }
  return inFlight
}

/**
 * Stops every process in the middle of a statement, by locking what it needs, and kills one there. PostgreSQL does not
 * notice: it goes on when the lock is gone, and commits for a process that is no more.
 */
const killDuring = (sql: Sql, statement: string, processes: number, kill: () => void) =>
  sql.transaction(async (locking) => {
    await locking`select id from ledger_account where owner is not null and currency = 'USD' order by owner for update`
    const deadlineMs = performance.now() + aimMs
    for (;;) {
      const { stopped } = await sql.one<{ stopped: bigint }>`
        select count(*) stopped from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${statement}%`}`
      if (stopped >= processes || performance.now() > deadlineMs) break
      await wait(5)
    }
    kill()
  })
