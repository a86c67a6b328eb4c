import type { Family, JsonText } from './node.js'

/**
 * What the error of a node means for the next step.
 * - `proper`: it answers the call; another node would say the same.
 * - `busy`: this node has too much to do.
 * - `behind`: this node does not have a block that one further ahead may have.
 * - `lacking`: this node does not have the method.
 * - `local`: this node cannot, for a reason of its own: pruned state, its own limits, a fault inside.
 */
export type Verdict = 'proper' | 'busy' | 'behind' | 'lacking' | 'local'

export type SaidError = { code: number | undefined; message: string; data: unknown }

const readMax = 64 * 1024

/** The message as bytes: only its ASCII is of use. */
export const readError = (text: JsonText): SaidError => {
  const nothing = { code: undefined, message: '', data: undefined }
  if (text.length > readMax) return nothing
  try {
    const { code, message, data } = JSON.parse(text) as Record<string, unknown>
    return {
      code: typeof code === 'number' ? code : undefined,
      message: typeof message === 'string' ? message : '',
      data,
    }
  } catch {
    return nothing
  }
}

/** What a contract says, a caller may have written: it must not be taken for the voice of the node. */
const contractSpoke = /revert|vm exception|vm execution/i
// eth_getLogs: providers use the same code for "too many results" as for "too many calls".
const tooWide =
  /more than \d+ (?:results|logs|blocks)|block range|range (?:is )?too (?:large|wide)|response size|too many (?:results|logs|blocks)|exceeds? (?:the )?(?:max(?:imum)? )?(?:results|block range|range)/i
const busy =
  /rate.?limit|too many requests|(?:request|credit|capacity|compute units?|throughput|daily|monthly|call)s?\b.{0,40}\b(?:exceeded|reached|exhausted)|limit exceeded|exceeded .{0,40}(?:capacity|limit|quota)|over capacity|try again later|server (?:is )?(?:busy|overloaded)/i
const lacking =
  /method .{0,80}(?:not (?:found|supported|available|allowed|enabled|whitelisted|implemented)|does not exist|is disabled|unsupported)|(?:unsupported|unknown) method|does not exist\/is not available/i
const local =
  /header not found|header for hash not found|missing trie node|state (?:is )?(?:not available|unavailable|pruned)|historical state|pruned|archive|distance to target block exceeds|no (?:historical )?state available|required historical|timed? ?out|deadline exceeded|^internal (?:json-rpc |server )?error\.?$|resource (?:unavailable|not available)|upstream|not (?:fully )?synced|still syncing/i
const behind =
  /unknown block|block (?:\S+ )?(?:is )?not found|block (?:number )?(?:out of range|too high|does not exist)|requested block|future block|after last accepted block|could not find block|cannot (?:query|find) .{0,20}block|not available yet|unfinalized/i

const busyCodes = new Set([429, -32005, -32029, -32097])
const solanaBehind = new Set([-32004, -32005, -32007, -32009, -32014, -32016])
const solanaLocal = new Set([-32001, -32008, -32010, -32011])

export const judgeError = (family: Family, { code, message, data }: SaidError): Verdict => {
  if (code === 3 || contractSpoke.test(message) || (typeof data === 'string' && /^0x[0-9a-f]{8}/i.test(data)))
    return 'proper'
  if (code === -32601) return 'lacking'
  if (code === -32602 || code === -32700) return behind.test(message) || local.test(message) ? 'behind' : 'proper'
  if (family === 'solana') {
    if (code === -32002 || code === -32003) return 'proper'
    if (code !== undefined && solanaBehind.has(code) && !busy.test(message)) return 'behind'
    if (code !== undefined && solanaLocal.has(code)) return 'local'
  }
  if (family === 'starknet' && (code === 24 || code === 29)) return 'behind'
  if (family === 'starknet' && code !== undefined && code > 0 && code < 100) return 'proper'
  // What is long quotes what was asked.
  const words = message.slice(0, 300)
  if (tooWide.test(words)) return 'local'
  if ((code !== undefined && busyCodes.has(code)) || busy.test(words)) return 'busy'
  if (lacking.test(words)) return 'lacking'
  if (behind.test(words)) return 'behind'
  return local.test(words) ? 'local' : 'proper'
}

const already =
  /already ?known|known transaction|already imported|already[ _]exists|already in (?:the )?(?:mem|tx|transaction )?pool|(?:existing|same) (?:tx|transaction).{0,20}same hash|same hash.{0,20}already|transaction already (?:in|exist)/i
const aboutAnother = /nonce|underpriced|replac/i
const nonceUsed =
  /nonce.{0,20}too low|nonce is too low|old ?nonce|invalid nonce|nonce .{0,40}(?:too small|already|expected|lower)/i

/**
 * What a refused transaction may really be: `has` it already; `perhaps`, since its nonce is used, and it may be by this
 * one; or `no`.
 */
export const isAlreadyThere = (family: Family, { message, data }: SaidError): 'has' | 'perhaps' | 'no' => {
  if (family === 'solana') return solanaAlreadyThere(message, data) ? 'has' : 'no'
  const words = message.slice(0, 500)
  if (contractSpoke.test(words)) return 'no'
  if (already.test(words)) return aboutAnother.test(words) ? 'perhaps' : 'has'
  return nonceUsed.test(words) ? 'perhaps' : 'no'
}

const solanaAlreadyThere = (message: string, data: unknown): boolean =>
  /already been processed|AlreadyProcessed/i.test(message) ||
  (typeof data === 'object' && data !== null && (data as { err?: unknown }).err === 'AlreadyProcessed')

/** The blockhash of a Solana transaction is not known here: the node did nothing, and one that is further may know it. */
export const isBlockhashUnknown = ({ code, message }: SaidError): boolean =>
  code === -32002 && /blockhash not found/i.test(message)
