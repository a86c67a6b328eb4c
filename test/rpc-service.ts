import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Rpc, RpcNetwork } from '#catalog/config/config-schema.js'
import type { Sql } from '#store/sql.js'
import type { Answer } from './client.js'
import type { createTestDatabase } from './database.js'
import { assertBooks, createPayer } from './money.js'
import { startService } from './service.js'

type Test = { after(work: () => void | Promise<void>): void }
type Network = Partial<RpcNetwork> & Pick<RpcNetwork, 'upstreams'>

type Options = Partial<Omit<Rpc, 'networks'>> & {
  networks: Record<string, Network>
  /** Further sections of the config file. */
  sections?: string
  clock?: { nowMs(): number }
  logLines?: string[]
  database?: Awaited<ReturnType<typeof createTestDatabase>>
}

/** So many nano-USD is a credit, unless a test says otherwise. */
export const creditNanos = 700n

const familyOf = (network: string) => (/^(solana|starknet)-/.exec(network)?.[1] ?? 'evm') as RpcNetwork['family']

/** The section of a config file with these networks. Nobody meets a limit unless the test sets one. */
export const rpcSection = (networks: Options['networks'], settings: Partial<Omit<Rpc, 'networks'>> = {}) => {
  const named = Object.entries(networks).map(([name, network]) => [name, { family: familyOf(name), ...network }])
  const rpc = { requestsPerMinute: 1_000_000, creditsPerDay: 1_000_000_000, ...settings }
  return `rpc: ${JSON.stringify({ ...rpc, networks: Object.fromEntries(named) })}\n`
}

/** A service in front of nodes, and somebody who can pay. The books are audited when the test is over. */
export const startRpcService = async (test: Test, { networks, sections = '', ...options }: Options) => {
  const { clock, logLines = [], database, ...settings } = options
  // Registered first, so that it runs while there is still a database.
  let audit = async () => {}
  test.after(() => audit())
  const service = await startService(test as { after(work: () => Promise<void>): void }, {
    config: `${sections}\n${rpcSection(networks, settings)}`,
    logLines,
    ...(clock && { clock }),
    ...(database && { database }),
  })
  const payer = await createPayer(service.sql, { usd: 1_000_000_000_000n, ...(clock && { nowMs: clock.nowMs() }) })
  audit = () => assertBooks(service.sql, clock?.nowMs())

  const pathOf = (network: string) => `/crypto/rpc/${network}`
  /** Text and bytes are sent as they are. */
  const callAs =
    (client: Pick<typeof service, 'send'>) =>
    (network: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      client.send(
        'POST',
        pathOf(network),
        typeof body === 'string' || Buffer.isBuffer(body) ? { raw: body, headers } : { body, headers },
      )
  const balanceOf = async ({ accountId }: { accountId: string }): Promise<bigint> => {
    await assertSettled(service.sql, accountId)
    const row = await service.sql.maybeOne<{ balance: bigint }>`
      select balance from ledger_account where owner = ${accountId} and currency = 'USD'`
    return row?.balance ?? 0n
  }
  const balance = () => balanceOf(payer)

  return {
    ...service,
    payer,
    logLines,
    caller: service.as(payer.key),
    /** For clients that take an address and headers. */
    urlOf: (network: string) => `${service.origin}/api/v1${pathOf(network)}`,
    authorization: `Bearer ${payer.key}`,
    call: callAs(service.as(payer.key)),
    callAs: (key: string) => callAs(service.as(key)),
    /** With no key, but perhaps with headers that say who it is. */
    callUnsigned: callAs(service),
    balanceOf,
    /** In nano-USD, when nothing is running any more. */
    balance,
    usage: () => usageOf(service.sql, payer.accountId),
    usageOf: ({ accountId }: { accountId: string }) => usageOf(service.sql, accountId),
    /** What the work gives, which must have cost exactly so many credits. */
    async costing<T>(credits: number, work: () => Promise<T>): Promise<T> {
      const before = await balance()
      const result = await work()
      assert.equal(before - (await balance()), BigInt(credits) * creditNanos, 'nano-USD that left the balance')
      return result
    },
  }
}

export type RpcService = Awaited<ReturnType<typeof startRpcService>>

type UsageRow = { requestId: string; model: string; outcome: string; usd: bigint; bundled: bigint; lines: string }

/** The bills of an account, oldest first. */
const usageOf = async (sql: Sql, accountId: string) => {
  await assertSettled(sql, accountId)
  return sql<UsageRow>`
    select request_id "requestId", model, outcome, usd, bundled, lines from usage_record
    where account_id = ${accountId} order by settled_at, request_id`
}

/** Bills may be written just after the answer; but they are written. */
const assertSettled = async (sql: Sql, accountId: string) => {
  for (let looks = 0; looks < 500; looks++) {
    const { held } = await sql.one<{ held: bigint }>`
      select count(*) held from ledger_hold where account_id = ${accountId}`
    if (held === 0n) return
    await wait(20)
  }
  assert.fail('money is still held')
}

/** What an answer says that it cost. Both headers must agree. */
export const creditsIn = ({ headers }: Pick<Answer, 'headers'>): number => {
  const credits = Number(headers['x-svc-rpc-credits'])
  assert.ok(Number.isSafeInteger(credits), `x-svc-rpc-credits: ${headers['x-svc-rpc-credits']}`)
  assert.equal(headers['x-svc-rpc-cost-usd'], ((credits * Number(creditNanos)) / 1e9).toFixed(8))
  return credits
}

/** Adds up what the answers that a client received say that they cost. */
export const createMeter = () => {
  let credits = 0
  let answers = 0
  return {
    add(headers: Headers | Record<string, string>) {
      const value = headers instanceof Headers ? headers.get('x-svc-rpc-credits') : headers['x-svc-rpc-credits']
      assert.match(String(value), /^\d+$/, 'x-svc-rpc-credits')
      answers++
      credits += Number(value)
    },
    credits: () => credits,
    answers: () => answers,
  }
}
