import { request } from 'undici'

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
  const answer = (await body.json()) as { result?: unknown; error?: { message?: string } }
  if (statusCode !== 200 || answer.error || answer.result === undefined)
    throw new Error(`${method}: HTTP ${statusCode}, ${answer.error?.message ?? 'no result'}`)
  return answer.result
}
