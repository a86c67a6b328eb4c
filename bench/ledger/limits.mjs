// What rate limits cost: in this process by themselves, and pairs of hold and settlement with and without them.
import { readBuiltin } from '../../dist/src/catalog/builtin.js'
import { createCatalog } from '../../dist/src/catalog/catalog.js'
import { parseConfig } from '../../dist/src/catalog/config/config-file.js'
import { createBudgets } from '../../dist/src/limits/budgets.js'
import { createCounters } from '../../dist/src/limits/counters.js'
import { createLimits } from '../../dist/src/limits/limits.js'
import { limitHeaders } from '../../dist/src/limits/standing.js'
import { systemClock } from '../../dist/src/plumbing/clock.js'
import { accountIdOf } from './fill.mjs'
import { models } from './pairs.mjs'

const clock = systemClock
const model = (id) =>
  `  - { id: ${id}, type: text, engine: { upstream: nobody }, contextTokens: 1000, pricing: { input: "0", output: "0" } }`
const wide = '{ rpm: 1000000000, tpm: 100000000000000 }'
const configText = (more) => `
upstreams: { nobody: { kind: openai, baseUrl: "http://127.0.0.1:1/v1" } }
models:
${models.map(model).join('\n')}
limits: { tiers: { paid: { M: ${wide} ${more} } } }`

const limitsOf = (more = '') => {
  const config = parseConfig(configText(more), { file: 'bench', env: {} })
  const catalog = createCatalog({ config, builtin: readBuiltin(), clock, engines: new Set(), createdDefault: 0 })
  return { catalog, limits: createLimits({ catalog: () => catalog, clock }) }
}

/** As the gate asks: requests and tokens per minute, for each key and model. */
export const createCountOf = () => {
  const { limits } = limitsOf()
  return ({ accountId, apiKeyId }, modelId, tokens) =>
    limits.countOf({ accountId, keyId: apiKeyId, tier: 'paid' }, modelId, tokens)
}

const keys = 1_000
const turns = 300_000

/** CPU of one turn, in microseconds; the best of some runs. */
const cpuOf = async (turn) => {
  const times = []
  for (let run = 0; run < 7; run++) {
    const began = process.cpuUsage()
    for (let number = 0; number < turns; number++) await turn(number)
    const { user, system } = process.cpuUsage(began)
    times.push((user + system) / turns)
  }
  return Math.min(...times)
}

/** What limits and budgets do for one request in the process, beyond the same without them. */
const measureProcess = async (more) => {
  const { catalog, limits } = limitsOf(more)
  const counters = createCounters()
  const budgets = createBudgets({ budget: () => catalog.limits().errorBudget, clock })
  const callers = Array.from({ length: keys }, (_, index) => {
    const accountId = accountIdOf(index)
    return { accountId, keyId: accountId, tier: 'paid' }
  })
  // Somebody has failed lately, so budgets have to look.
  budgets.note(callers[0], models[0], new Error('failed'))
  let headers
  const limited = async (who, modelId) => {
    const { readings } = counters.take(limits.countOf(who, modelId, 1_500))
    headers = limitHeaders(readings, clock.nowMs())
    counters.correct(readings, -700)
  }
  const free = async (who, modelId) => {
    headers = who && modelId
  }
  const choose = (number) => [callers[number % keys], models[number % models.length]]
  const without = await cpuOf((number) => free(...choose(number)))
  const costs = await cpuOf((number) => {
    const [who, modelId] = choose(number)
    return budgets.watch(who, modelId, () => limited(who, modelId))
  })
  if (headers?.['x-ratelimit-limit-tokens'] === undefined) throw new Error('There were no limits.')
  return costs - without
}

export const measureProcessCosts = async () => [
  ['requests and tokens per minute', await measureProcess('')],
  ['the same, and limits of the account', await measureProcess(`, account: ${wide}`)],
]
