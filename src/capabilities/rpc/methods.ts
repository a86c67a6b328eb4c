import { evmMethods } from './evm-methods.js'
import { type Family, type Method, once, tierFactors } from './method.js'
import { solanaMethods } from './solana-methods.js'
import { starknetMethods } from './starknet-methods.js'

const byName = (methods: readonly Method[]): ReadonlyMap<string, Method> =>
  new Map(methods.map((method) => [method.name, method]))

const tables: Record<Family, ReadonlyMap<string, Method>> = {
  evm: byName(evmMethods),
  solana: byName(solanaMethods),
  starknet: byName(starknetMethods),
}

/** What callers may call on networks of this family; every other name is refused. */
export const findMethod = (family: Family, name: string): Method | undefined =>
  tables[family].get(name) ?? unlisted(family, name)

/** What a call costs on a network where the simplest one costs `base`. */
export const creditsOf = (method: Method, base: number): number => base * tierFactors[method.tier]

/** Namespaces whose methods differ from node to node: what we do not know of them is passed on, with every caution. */
const openNames: Partial<Record<Family, RegExp>> = {
  evm: /^(?:zks|linea|bor|trace|arbtrace)_[A-Za-z0-9]{1,50}$/,
  starknet: /^starknet_[A-Za-z0-9]{1,50}$/,
}

const unlisted = (family: Family, name: string): Method | undefined => {
  if (!openNames[family]?.test(name) || refusedNames.some(({ pattern }) => pattern.test(name))) return undefined
  const tier = /replay/i.test(name) ? 'large' : /^(?:arb)?trace_/.test(name) ? 'advanced' : 'standard'
  return once(name, { tier })
}

/** Names that clients do send, and what is told to them. */
const refusedNames: readonly { pattern: RegExp; reason: string }[] = [
  { pattern: /subscri(?:be|ption)/i, reason: 'works over a websocket only' },
  {
    pattern: /^eth_(?:new\w*Filter|getFilter(?:Changes|Logs)|uninstallFilter)$/i,
    reason: 'stateful filters are not kept, use eth_getLogs',
  },
  {
    pattern: /^(?:personal_|eth_(?:sign|accounts$|sendTransaction$|resend$|fillTransaction$|pendingTransactions$))/i,
    reason: 'needs a key of the node, sign by yourself and use eth_sendRawTransaction',
  },
  {
    pattern: /^(?:miner_|eth_(?:mining|hashrate|getWork|submitWork|submitHashrate|coinbase)$)/i,
    reason: 'is for miners',
  },
  // It locks the node to a vote, whatever its name promises.
  { pattern: /^(?:admin_|debug_|engine_|bor_getVoteOnHash$)/i, reason: 'is for the operator of a node' },
]

const familyNames: Record<Family, string> = { evm: 'EVM networks', solana: 'Solana', starknet: 'Starknet' }

/** In a few words, why a method that is not found is refused. */
export const refusalOf = (family: Family, name: string): string => {
  const home = (Object.keys(tables) as Family[]).find((other) => other !== family && findMethod(other, name))
  if (home !== undefined) return `belongs to ${familyNames[home]}`
  const refused = refusedNames.find(({ pattern }) => pattern.test(name))
  if (refused !== undefined) return refused.reason
  const trimmed = name.trim()
  const meant = [...tables[family].keys()].find((known) => known.toLowerCase() === trimmed.toLowerCase())
  return meant === undefined ? 'not known' : `not known, use ${meant}`
}
