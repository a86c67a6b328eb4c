import { request } from 'undici'
import { messageOf } from './message-of.js'

/** The node has understood, and says no. Everything else that goes wrong is trouble, and decides nothing. */
export class JsonRpcError extends Error {
  constructor(
    message: string,
    readonly code: number | undefined,
    readonly data: unknown,
  ) {
    super(message)
    this.name = 'JsonRpcError'
  }

  /**
   * Of an EVM node: a contract was asked and did not do it, which asking again would not change. Nodes agree neither on
   * the code nor on the words for that; what is none of these is taken for trouble of the node.
   */
  get isRevert(): boolean {
    const isRevertData = typeof this.data === 'string' && /^0x[0-9a-f]{8,}$/i.test(this.data)
    return this.code === 3 || isRevertData || contractFailed.test(this.message.replace(/\s/g, ''))
  }
}

const contractFailed =
  /revert|vmexception|vmexecution|outofgas|invalidopcode|invalidjump|badinstruction|badjump|stack(?:under|over)flow|gasrequiredexceeds/i

type Answer = { result?: unknown; error?: { code?: number; message?: string; data?: unknown } } | null

/**
 * One call of a JSON-RPC node. Throws a `JsonRpcError` when it says no, and another error when it cannot be reached or
 * answers nonsense. Errors carry neither the URL, which often has a secret in it, nor what was sent.
 */
export const callJsonRpc = async (
  url: string,
  method: string,
  params: unknown[],
  timeoutMs = 5_000,
): Promise<unknown> => {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error) => {
    throw new Error(`${method}: ${messageOf(error)}`, { cause: error })
  })
  const answer = (await body.json().catch(() => ({}))) as Answer
  const error = answer?.error
  if (error) throw new JsonRpcError(`${method}: ${error.message ?? 'no message'}`, error.code, error.data)
  if (statusCode !== 200 || answer?.result === undefined) throw new Error(`${method}: HTTP ${statusCode}, no result`)
  return answer.result
}
