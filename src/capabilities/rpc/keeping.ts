import type { JsonText } from '#engines/nodes/node.js'
import { cutJson } from '#plumbing/json-cut.js'
import { type BlockNamed, blockNamed, commitmentIn, hexNumber, membersOf, paramAt, wholeNumber } from './block-named.js'
import type { Family, Method } from './method.js'

/** For how long the answer to one call may be given again: not at all, until the next block, or for ever. */
export type Kept = 'no' | 'block' | 'forever'

export type KeepOrder = {
  family: Family
  method: Method
  params: JsonText | undefined
  /** Undefined before the answer is known: then what can be said from the question alone. */
  result: JsonText | undefined
  finalized: number | undefined
}

/** Not for errors, which are never kept. What is not clear is not kept. */
export const keptFor = (order: KeepOrder): Kept => {
  const { family, method, params, result, finalized } = order
  // Nothing there now says nothing about later.
  if (result === 'null') return 'no'
  switch (method.keeping) {
    case 'never':
      return 'no'
    case 'constant':
      return 'forever'
    case 'head':
      return 'block'
    case 'content':
      return keptBlock('hash', order)
    case 'block':
      return keptBlock(blockNamed(family, paramAt(params, method.blockPlace ?? 0, 'block_id')), order)
    case 'logs':
      return keptRange(order)
    case 'mined':
      return keptMined[family](order, finalized)
  }
}

const keptBlock = (block: BlockNamed, { result, finalized }: KeepOrder): Kept => {
  if (block === 'unclear') return 'no'
  if (block === 'moving') return 'block'
  return (block === 'hash' || isFinal(block, finalized)) && !isUnsettled(result) ? 'forever' : 'block'
}

const isFinal = (block: number, finalized: number | undefined) => finalized !== undefined && block <= finalized

/** On zkSync even what is named by its hash has one field that is filled in later; and traces may have run out of time. */
const isUnsettled = (result: JsonText | undefined) =>
  result?.includes('"l1BatchNumber":null') === true || result?.includes('"error":"execution timeout"') === true

const keptRange = (order: KeepOrder): Kept => {
  const { family, method, params, result } = order
  const filter = paramAt(params, method.blockPlace ?? 0, 'filter')
  if (filter?.[0] !== '{') return 'no'
  const members = membersOf(filter)
  const [from, to] =
    family === 'starknet'
      ? [members.get('from_block'), members.get('to_block')]
      : [members.get('fromBlock'), members.get('toBlock')]
  const hash = members.get('blockHash')
  if (hash !== undefined) {
    const isAlone = from === undefined && to === undefined
    return isAlone && blockNamed(family, hash) === 'hash' ? keptBlock('hash', order) : 'no'
  }
  const ends = [from, to].map((end) => keptBlock(end === undefined ? 'moving' : blockNamed(family, end), order))
  if (ends.includes('no')) return 'no'
  // A node that is behind finds nothing in blocks that it does not have, and does not say so.
  return ends.includes('block') || isEmpty(result) ? 'block' : 'forever'
}

const isEmpty = (result: JsonText | undefined) => result === '[]' || result?.startsWith('{"events":[]') === true

const keptMined: Record<Family, (order: KeepOrder, finalized: number | undefined) => Kept> = {
  evm: ({ result }, finalized) => {
    const block = result === undefined ? undefined : minedIn(result)
    return block === undefined ? 'no' : isFinal(block, finalized) ? 'forever' : 'block'
  },

  // A finalized answer is all that there will ever be; a null one has been sent away already.
  solana: ({ params }) => {
    const cut = params === undefined ? undefined : cutJson(params)
    if (cut?.kind !== 'array' || cut.parts.length > 2) return 'no'
    const commitment = commitmentIn(cut.parts[1])
    return commitment === undefined ? 'no' : commitment === 'finalized' ? 'forever' : 'block'
  },

  starknet: ({ method, params, result }) => {
    const { blockPlace } = method
    const block = blockPlace === undefined ? 'hash' : blockNamed('starknet', paramAt(params, blockPlace, 'block_id'))
    if (block === 'unclear' || result === undefined) return 'no'
    const members = membersOf(result)
    const status = members.get('finality_status') ?? members.get('status')
    if (status === '"ACCEPTED_ON_L1"') return block === 'moving' ? 'block' : 'forever'
    return status === '"ACCEPTED_ON_L2"' ? 'block' : 'no'
  },
}

/** The block of a transaction, a receipt or a list of traces. Undefined while there is none. */
const minedIn = (result: JsonText): number | undefined => {
  const cut = cutJson(result)
  if (cut.kind === 'array') return cut.parts[0] === undefined ? undefined : blockNumberIn(membersOf(cut.parts[0]))
  return cut.kind === 'object' ? blockNumberIn(cut.members) : undefined
}

const blockNumberIn = (members: ReadonlyMap<string, JsonText>): number | undefined => {
  const text = members.get('blockNumber')
  return text === undefined ? undefined : (hexNumber(text) ?? wholeNumber(text))
}
