import { request } from 'undici'

/** The node answered, and its answer is an error. */
export class JsonRpcError extends Error {
  constructor(
    message: string,
    readonly code: number | undefined,
  ) {
    super(message)
    this.name = 'JsonRpcError'
  }
}

/** One call of a JSON-RPC node. Throws when the node cannot be reached, answers nonsense or reports an error. */
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
  })
  const answer = (await body.json()) as { result?: unknown; error?: { code?: number; message?: string } }
  if (answer.error)
    throw new JsonRpcError(`${method}: HTTP ${statusCode}, ${answer.error.message ?? 'no message'}`, answer.error.code)
  if (statusCode !== 200 || answer.result === undefined) throw new Error(`${method}: HTTP ${statusCode}, no result`)
  return answer.result
}
