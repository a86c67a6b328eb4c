import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { findWallet } from '#accounts/wallets/wallets.js'
import { Failure } from '#contract/errors.js'
import { readBalances } from '#ledger/credit/balances.js'
import type { PaymentRow } from '#payments/journal.js'
import { createPayments } from '#payments/payments.js'
import { createDatabase, type Sql } from '#store/sql.js'
import { createTestDatabase } from './database.js'
import { createScriptedChain, createScriptedRail, type ScriptedPayload, scriptedHeader } from './fakes/scripted-rail.js'
import { createTestClock } from './service.js'

export class Crash extends Error {}

/** What a payment that must not be credited was answered with. */
export const failing = async (work: Promise<unknown>): Promise<Failure> => {
  const error = await work.then(
    () => 'it was credited',
    (error: unknown) => error,
  )
  assert.ok(error instanceof Failure, String(error))
  return error
}

export const detailsOf = (failure: Failure) => (failure.body as { details: Record<string, unknown> }).details

/** Dies at its n-th step, and does nothing any more from then on. Questions to the database and the chain are steps. */
export const createLife = (stepsMax = Number.POSITIVE_INFINITY) => {
  let steps = 0
  return {
    step: () => {
      if (++steps > stepsMax) throw new Crash('this process is dead')
    },
    isOver: () => steps > stepsMax,
  }
}

/** Holds a rail up at one of its steps, until it may go on. */
export const pauseAt = (point: string) => {
  let goOn = () => {}
  let arrive = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const step = (where: string): Promise<void> | undefined => {
    if (where !== point) return undefined
    arrive()
    return gate
  }
  return { step, arrived, goOn: () => goOn() }
}

type Life = { step(): void }

/** A database that a process loses when it dies: before a statement, or after it and before its answer has come. */
const mortalSql = (sql: Sql, { step }: Life): Sql => {
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    step()
    const result = await work()
    step()
    return result
  }
  const mortal = ((text, ...values) => around(() => sql(text, ...values))) as Sql
  mortal.one = (text, ...values) => around(() => sql.one(text, ...values))
  mortal.maybeOne = (text, ...values) => around(() => sql.maybeOne(text, ...values))
  mortal.transaction = (work) => around(() => sql.transaction((inner) => work(mortalSql(inner, { step }))))
  return mortal
}

/** A database, a chain and a clock that all processes of a test share. */
export const openPayments = async () => {
  const database = await createTestDatabase()
  const { sql, close } = createDatabase(database.connection)
  const chain = createScriptedChain()
  const clock = createTestClock()
  return {
    sql,
    chain,
    clock,
    close: () => close().then(database.drop),
    startProcess: ({
      life = createLife(),
      ...more
    }: { life?: Life } & Partial<Parameters<typeof createPayments>[0]> = {}) =>
      createPayments({
        sql: mortalSql(sql, life),
        clock,
        rails: [createScriptedRail(chain, life.step)],
        limits: () => ({ minimumUsdNanos: 5_000_000_000n, maximumUsdNanos: 1_000_000_000_000n }),
        pollMs: 2,
        patienceMs: 100,
        creditPatienceMs: 200,
        ...more,
      }),
    /** A payment by a wallet that has just enough for it. */
    sign: (more: Partial<ScriptedPayload> = {}) => {
      const payload = { key: randomUUID(), payer: newAddress(), amount: '7500000', ...more }
      chain.fill(payload.payer, BigInt(payload.amount))
      return { ...payload, header: scriptedHeader(payload) }
    },
    /** What the books say that a wallet has, in nano-USD. */
    balanceOf: async (payer: string) => {
      const wallet = await findWallet(sql, payer)
      return wallet && (await readBalances(sql, [wallet.accountId], clock.nowMs())).get(wallet.accountId)?.usd
    },
    rowsOf: (key: string) =>
      sql<PaymentRow>`select * from x402_payment where payment_key = ${key} order by created_at, id`,
  }
}

const newAddress = () => `0x${createHash('sha256').update(randomUUID()).digest('hex').slice(0, 40)}`
