import type { JsonText } from '#engines/nodes/node.js'
import { cutJson } from '#plumbing/json-cut.js'
import type { Family } from './method.js'

/**
 * Which block a parameter names: one by its number, one by its hash, one that moves on with the chain, or we cannot say
 * (also one that is not in the chain yet, which changes all the time).
 */
export type BlockNamed = number | 'hash' | 'moving' | 'unclear'

/** One parameter, by its position (-1 is the last) or, on Starknet, by its name. */
export const paramAt = (params: JsonText | undefined, place: number, name: string): JsonText | undefined => {
  if (params === undefined) return undefined
  const cut = cutJson(params)
  return cut.kind === 'array' ? cut.parts.at(place) : cut.kind === 'object' ? cut.members.get(name) : undefined
}

export const blockNamed = (family: Family, text: JsonText | undefined): BlockNamed => {
  switch (family) {
    case 'evm':
      return evmBlock(text)
    case 'solana':
      return text === undefined ? 'unclear' : (wholeNumber(text) ?? 'unclear')
    case 'starknet':
      return starknetBlock(text)
  }
}

// `earliest` is the oldest block that a node still has, and nodes throw old ones away.
const evmTags = new Set(['"latest"', '"safe"', '"finalized"', '"earliest"'])

const evmBlock = (text: JsonText | undefined): BlockNamed => {
  if (text === undefined || evmTags.has(text)) return 'moving'
  if (text[0] === '{') return evmBlockObject(text)
  return hexNumber(text) ?? (isHash(text) ? 'hash' : 'unclear')
}

/** EIP-1898. */
const evmBlockObject = (text: JsonText): BlockNamed => {
  const members = membersOf(text)
  const hash = members.get('blockHash')
  const number = members.get('blockNumber')
  if (hash === undefined) return number === undefined ? 'unclear' : (hexNumber(number) ?? 'unclear')
  if (number !== undefined || !isHash(hash)) return 'unclear'
  // Whether the block is in the chain is part of the question, and may change.
  const canonical = members.get('requireCanonical')
  return canonical === undefined || canonical === 'false' ? 'hash' : 'moving'
}

const starknetBlock = (text: JsonText | undefined): BlockNamed => {
  if (text === '"latest"' || text === '"l1_accepted"') return 'moving'
  if (text?.[0] !== '{') return 'unclear'
  const members = membersOf(text)
  const hash = members.get('block_hash')
  const number = members.get('block_number')
  if (hash !== undefined) return number === undefined && /^"0x[0-9a-fA-F]{1,64}"$/.test(hash) ? 'hash' : 'unclear'
  return number === undefined ? 'unclear' : (wholeNumber(number) ?? 'unclear')
}

export const membersOf = (text: JsonText): ReadonlyMap<string, JsonText> => {
  const cut = cutJson(text)
  return cut.kind === 'object' ? cut.members : nothing
}

const nothing: ReadonlyMap<string, JsonText> = new Map()

const isHash = (text: JsonText): boolean => /^"0x[0-9a-fA-F]{64}"$/.test(text)

/** Of a string such as `"0x1b4"`; what is larger than any block is none. */
export const hexNumber = (text: JsonText): number | undefined =>
  /^"0x[0-9a-fA-F]{1,13}"$/.test(text) ? Number.parseInt(text.slice(3, -1), 16) : undefined

/** Of a JSON number that is a block. */
export const wholeNumber = (text: JsonText): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)

export type Commitment = 'processed' | 'confirmed' | 'finalized'

/** How sure a caller of Solana wants to be, as its settings say. Undefined: in words that we do not know. */
export const commitmentIn = (settings: JsonText | undefined): Commitment | undefined => {
  if (settings?.[0] !== '{') return 'finalized'
  switch (membersOf(settings).get('commitment')) {
    case undefined:
    case 'null':
    case '"finalized"':
      return 'finalized'
    case '"confirmed"':
      return 'confirmed'
    case '"processed"':
      return 'processed'
    default:
      return undefined
  }
}
