// Callers that hold and settle through the real ledger, and callers that only commit.
import pg from 'pg'
import { payFrom, priceOf, shareOut } from '../../dist/src/ledger/bill.js'
import { newRequestId } from '../../dist/src/plumbing/ids.js'
import { accountIdOf } from './fill.mjs'

export const models = ['bench-chat-small', 'bench-chat-large', 'bench-reason', 'bench-code']

const line = (part, quantity, usdPerMillion) => ({
  sku: `bench-llm-${part.toLowerCase()}-mtoken`,
  part,
  quantity,
  usdPerMillion,
  diemPerMillion: usdPerMillion,
  per: 'million',
})
const billOf = (inputTokens, outputTokens) => [
  line('Input', BigInt(inputTokens), 500_000_000n),
  line('Output', BigInt(outputTokens), 1_500_000_000n),
]

const below = (limit) => Math.floor(Math.random() * limit)

/** One paid request as the gate runs it, without the work: sets the worst case aside, then pays what was used. */
const createPair =
  ({ ledger, accounts, countOf = () => undefined }) =>
  async (latencies) => {
    const requestId = newRequestId()
    const accountId = accountIdOf(below(accounts))
    const goods = { model: models[below(models.length)], modelType: 'LLM', unitType: 'tokens' }
    const inputTokens = 200 + below(2000)
    const outputTokens = 50 + below(700)
    const who = { requestId, accountId, apiKeyId: accountId }
    const least = priceOf(billOf(inputTokens, 1))
    const most = priceOf(billOf(inputTokens, 4096))

    const beganMs = performance.now()
    const count = countOf(who, goods.model, inputTokens + 1_000)
    const { outcome, held, readings } = await ledger.hold({ ...who, model: goods.model, least, most, count })
    if (outcome !== 'held') throw new Error(`A hold was refused: ${outcome}.`)
    const heldMs = performance.now()
    const bill = billOf(inputTokens, outputTokens)
    const paid = payFrom(held, priceOf(bill))
    const result = await ledger.settle({
      ...who,
      goods,
      held,
      paid,
      lines: shareOut(bill, paid),
      outcome: 'completed',
      countedBy: 'upstream',
      beganAtMs: Date.now(),
      promptTokens: BigInt(inputTokens),
      completionTokens: BigInt(outputTokens),
      correction: readings && { windows: readings, tokens: outputTokens - 1_000 },
    })
    if (result !== 'settled') throw new Error(`A settlement went wrong: ${result}.`)
    const settledMs = performance.now()
    latencies.hold.push(heldMs - beganMs)
    latencies.settle.push(settledMs - heldMs)
    latencies.whole.push(settledMs - beganMs)
  }

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

const describe = (values) => {
  const sorted = values.sort((one, other) => one - other)
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}

/** Each caller does one after the other; together they do `count`, and all have ended when the clock is stopped. */
const drive = async ({ server, work, callers, count }) => {
  const latencies = { hold: [], settle: [], whole: [] }
  let left = count
  const caller = async () => {
    while (left-- > 0) await work(latencies)
  }
  const transactions = await server.writtenTransactions()
  const serverCpu = server.cpuSeconds()
  const ownCpu = process.cpuUsage()
  const beganMs = performance.now()
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - beganMs) / 1000
  const { user, system } = process.cpuUsage(ownCpu)
  return {
    perSecond: count / seconds,
    nodeCpuUs: (user + system) / count,
    postgresCpuUs: ((server.cpuSeconds() - serverCpu) * 1e6) / count,
    transactions: (await server.writtenTransactions()) - transactions,
    count,
    hold: describe(latencies.hold),
    settle: describe(latencies.settle),
    whole: describe(latencies.whole),
  }
}

/** A slice of hold and settle pairs. */
export const createPairs = ({ name, server, ledger, accounts, callers, count, countOf }) => {
  const work = createPair({ ledger, accounts, countOf })
  return {
    name,
    callers,
    async slice() {
      const figures = await drive({ server, work, callers, count })
      const cpuUs = figures.nodeCpuUs + figures.postgresCpuUs
      return { ...figures, cpuUs, batch: (2 * count) / figures.transactions }
    },
  }
}

/** A slice of commits of one row each: what the machine's disk and PostgreSQL can do at all. */
export const createCommits = async ({ name, server, database, callers, count }) => {
  await database.sql`create table if not exists bench_commit (number bigint not null)`
  const pool = new pg.Pool({ ...database.connection, max: callers })
  const insert = { name: 'commit', text: 'insert into bench_commit (number) values ($1)', values: [1] }
  const work = async ({ whole }) => {
    const beganMs = performance.now()
    await pool.query(insert)
    whole.push(performance.now() - beganMs)
  }
  return { name, callers, slice: () => drive({ server, work, callers, count }), stop: () => pool.end() }
}
