import type { Rpc as RpcConfig } from '#catalog/config/config-schema.js'
import { nanosFromDecimal } from '#catalog/prices.js'
import { fail } from '#contract/errors.js'
import type { JsonText } from '#engines/nodes/node.js'
import type { Line } from '#ledger/bill.js'
import type { Charge, Sealed } from '#ledger/charge.js'
import type { Goods } from '#ledger/goods.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import type { AnswerCalls } from './answer-calls.js'
import { type CheckedItem, checkMethods, readBody } from './body.js'
import type { Family } from './method.js'
import { networkDefaults } from './networks.js'
import { type Outcome, withinBounds } from './outcome.js'
import { actualCredits, worstCredits } from './price.js'
import { renderAnswer } from './render.js'
import type { Sender, SendLog } from './send-log.js'

/** Calls that are read, allowed and priced; nothing has been asked yet. */
export type PreparedCalls = {
  network: string
  family: Family
  isBatch: boolean
  items: readonly CheckedItem[]
  /** Base credits of one call. */
  base: number
  /** 0: there is nothing to answer. */
  worstCredits: number
  /** Something is sent, or may be. */
  changesChain: boolean
  answerBytesMax: number
  goods: Goods
  line: Omit<Line, 'quantity'>
}

export type RpcResult = { body: JsonText; credits: number; cache: 'HIT' | 'MISS' | 'PARTIAL' }

/** Calls of blockchain nodes, on networks that the operator has named. */
export type Rpc = {
  networks(): string[]
  prepare(network: string, body: unknown): PreparedCalls
  run(calls: PreparedCalls, charge: Charge, sender: Sender, signal: StopSignal): Promise<RpcResult>
}

type Needs = {
  config: () => RpcConfig | undefined
  answerCalls: Sealed<AnswerCalls>
  sendLog: SendLog
  onOutcomes: (network: string, outcomes: readonly Outcome[]) => void
}

type Priced = Pick<PreparedCalls, 'goods' | 'line'>

const reckonPrice = ({ usdPerCredit }: RpcConfig, network: string): Priced => {
  const price = nanosFromDecimal(usdPerCredit) * 1_000_000n
  return {
    goods: { model: `rpc-${network}`, modelType: null, unitType: 'requests' },
    line: { sku: `${network}-rpc-credit`, part: 'Credits', per: 'one', usdPerMillion: price, diemPerMillion: price },
  }
}

/** The same settings always give the same price, so it is reckoned once. */
const createPrices = () => {
  let of: RpcConfig | undefined
  const prices = new Map<string, Priced>()
  return (settings: RpcConfig, network: string): Priced => {
    if (of !== settings) prices.clear()
    of = settings
    let priced = prices.get(network)
    if (priced === undefined) {
      priced = reckonPrice(settings, network)
      prices.set(network, priced)
    }
    return priced
  }
}

export const createRpc = ({ config, answerCalls, sendLog, onOutcomes }: Needs): Rpc => {
  const priceOf = createPrices()
  const networks = () => Object.keys(config()?.networks ?? {}).sort()

  return {
    networks,
    prepare(network, body) {
      const settings = config()
      const entry = settings && Object.hasOwn(settings.networks, network) ? settings.networks[network] : undefined
      if (settings === undefined || entry === undefined) throw unsupported(network, networks())
      if (!Buffer.isBuffer(body) || body.length === 0)
        throw fail('invalidRequest', 'The body is empty; send a JSON-RPC call')
      const { family } = entry
      const { isBatch, items } = readBody(body)
      const checked = checkMethods(family, network, items, isBatch)
      const base = entry.creditsPerCall ?? networkDefaults(network, family).creditsPerCall
      return {
        network,
        family,
        isBatch,
        items: checked,
        base,
        worstCredits: worstCredits(checked, base),
        changesChain: checked.some(({ methodOf }) => methodOf.kind !== 'read'),
        answerBytesMax: settings.answerBytesMax,
        ...priceOf(settings, network),
      }
    },
    async run(calls, charge, sender, signal) {
      const { network, family, isBatch, items, base, answerBytesMax } = calls
      const onSend = sendLog.noting(sender)
      const answered = await charge.open(answerCalls)({ network, family, items, signal, onSend })
      const outcomes = withinBounds(answered, answerBytesMax)
      onOutcomes(network, outcomes)
      const body = renderAnswer({ network, isBatch, items, outcomes, answerBytesMax })
      if (body === undefined) throw new Error('calls without an answer are not run')
      return { body, credits: actualCredits(items, outcomes, base), cache: cacheOf(outcomes) }
    },
  }
}

const namesMax = 50

const unsupported = (network: string, networks: string[]) => {
  const named = networks.slice(0, namesMax).join(', ') || 'none; the operator has connected no nodes'
  return fail('rpcNetworkUnsupported', network.replace(/[^\x21-\x7e]/g, '?').slice(0, 64), named)
}

const cacheOf = (outcomes: readonly Outcome[]): RpcResult['cache'] => {
  const hits = outcomes.filter((outcome) => 'source' in outcome && outcome.source === 'cache').length
  return hits === 0 ? 'MISS' : hits === outcomes.length ? 'HIT' : 'PARTIAL'
}
