import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'

/** The node has understood, and says no. Everything else that goes wrong is trouble, and decides nothing. */
export class NodeRefusal extends Error {
  constructor(
    method: string,
    message: string,
    readonly code: number | undefined,
    readonly data: unknown,
  ) {
    super(`${method}: ${message}`)
    this.name = 'NodeRefusal'
  }

  /** A contract was asked and did not do it, which asking again would not change. */
  get isRevert(): boolean {
    const isRevertData = typeof this.data === 'string' && /^0x[0-9a-f]{8,}$/i.test(this.data)
    return this.code === 3 || isRevertData || executionFailed.test(this.message)
  }
}

const executionFailed = /revert|out of gas|invalid opcode|invalid jump|stack (under|over)flow|gas required exceeds/i

export type Node = <T>(method: string, ...params: unknown[]) => Promise<T>

type Answer = { result?: unknown; error?: { code?: number; message?: string; data?: unknown } }

const retryAfterMs = 100

/**
 * JSON-RPC. Calls are tried twice: all that we ask, sending a signed transaction included, may be asked again. Errors
 * carry neither the URL, which often has a secret in it, nor what was sent.
 */
export const createNode = (url: string, timeoutMs = 8_000): Node => {
  const once = async (method: string, params: unknown[]): Promise<unknown> => {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const answer = (await body.json().catch(() => ({}))) as Answer | null
    const error = answer?.error
    if (error?.message !== undefined) throw new NodeRefusal(method, error.message, error.code, error.data)
    if (statusCode !== 200 || answer?.result === undefined) throw new Error(`HTTP ${statusCode} without a result`)
    return answer.result
  }
  return async <T>(method: string, ...params: unknown[]): Promise<T> => {
    try {
      return (await once(method, params)) as T
    } catch (error) {
      if (error instanceof NodeRefusal) throw error
      await sleep(retryAfterMs)
    }
    try {
      return (await once(method, params)) as T
    } catch (error) {
      if (error instanceof NodeRefusal) throw error
      throw new Error(`${method}: ${error instanceof Error ? error.message : 'no answer'}`)
    }
  }
}
