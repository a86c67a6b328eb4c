import { setTimeout as sleep } from 'node:timers/promises'
import { callJsonRpc, JsonRpcError } from '#plumbing/json-rpc.js'

export type Node = <T>(method: string, ...params: unknown[]) => Promise<T>

const retryAfterMs = 100

/** Calls are tried twice: all that we ask, sending a signed transaction included, may be asked again. */
export const createNode = (url: string, timeoutMs = 8_000): Node => {
  const once = (method: string, params: unknown[]) => callJsonRpc(url, method, params, timeoutMs)
  return async <T>(method: string, ...params: unknown[]): Promise<T> => {
    try {
      return (await once(method, params)) as T
    } catch (error) {
      if (error instanceof JsonRpcError) throw error
      await sleep(retryAfterMs)
      return (await once(method, params)) as T
    }
  }
}
