import type { JsonText } from '#engines/nodes/node.js'
import { type Commitment, commitmentIn, hexNumber, membersOf, paramAt, wholeNumber } from './block-named.js'
import type { Family } from './method.js'

/** That a chain has come this far, as an answer shows by the way. On Solana there are three such heights at once. */
export type Shown = { height: number; commitment: Commitment | undefined }

/** Undefined where the answer shows nothing of the kind. */
export const heightShown = (
  family: Family,
  method: string,
  params: JsonText | undefined,
  result: JsonText,
): Shown | undefined => {
  if (family === 'solana') return solanaSlot(method, params, result)
  const height = family === 'evm' ? evmHeight(method, params, result) : starknetHeight(method, params, result)
  return height === undefined ? undefined : { height, commitment: undefined }
}

const evmHeight = (method: string, params: JsonText | undefined, result: JsonText): number | undefined => {
  switch (method) {
    case 'eth_blockNumber':
      return hexNumber(result)
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash':
      return isUnfinished(params) ? undefined : numberAt(result, result.indexOf('"number":'), 9)
    case 'eth_getTransactionByHash':
    case 'eth_getTransactionReceipt':
    case 'eth_getBlockReceipts':
    case 'eth_getLogs':
      return isUnfinished(params) ? undefined : numberAt(result, result.lastIndexOf('"blockNumber":'), 14)
    default:
      return undefined
  }
}

const starknetHeight = (method: string, params: JsonText | undefined, result: JsonText): number | undefined => {
  switch (method) {
    case 'starknet_blockNumber':
      return wholeNumber(result)
    case 'starknet_blockHashAndNumber':
    case 'starknet_getBlockWithTxHashes':
    case 'starknet_getBlockWithTxs':
    case 'starknet_getBlockWithReceipts':
    case 'starknet_getTransactionReceipt':
    case 'starknet_getEvents':
      if (isUnfinished(params) || result.includes('"PRE_CONFIRMED"')) return undefined
      return numberAt(result, result.lastIndexOf('"block_number":'), 15)
    default:
      return undefined
  }
}

/** A block that is still being made has the number that comes next. */
const isUnfinished = (params: JsonText | undefined) =>
  params !== undefined && (params.includes('"pending"') || params.includes('"pre_confirmed"'))

const number = /\s*(?:"0x([0-9a-fA-F]{1,13})"|(\d{1,15})(?![\d.eE]))/y

/** Answers may be large, so this looks for the field without reading the rest. No caller can put one into an answer. */
const numberAt = (text: JsonText, at: number, nameLength: number): number | undefined => {
  if (at < 0) return undefined
  number.lastIndex = at + nameLength
  const match = number.exec(text)
  if (match === null) return undefined
  return match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16)
}

const contextSlot = /^\{"context":\{(?:"apiVersion":"[^"]{0,40}",)?"slot":(\d{1,15})[,}]/

const solanaSlot = (method: string, params: JsonText | undefined, result: JsonText): Shown | undefined => {
  const height = slotIn(method, params, result)
  if (height === undefined) return undefined
  const commitment = method === 'getSignatureStatuses' ? 'processed' : commitmentIn(lastOf(params))
  return commitment === undefined ? undefined : { height, commitment }
}

const slotIn = (method: string, params: JsonText | undefined, result: JsonText): number | undefined => {
  switch (method) {
    case 'getSlot':
      return wholeNumber(result)
    case 'getBlock':
      return result === 'null' ? undefined : wholeNumber(paramAt(params, 0, '') ?? '')
    case 'getTransaction':
      // Programs choose what else is in there, so the field is looked for where it belongs.
      return wholeNumber(membersOf(result).get('slot') ?? '')
    default: {
      const match = contextSlot.exec(result)
      return match === null ? undefined : Number(match[1])
    }
  }
}

const lastOf = (params: JsonText | undefined): JsonText | undefined => paramAt(params, -1, '')
