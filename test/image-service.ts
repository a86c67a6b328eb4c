import { request } from 'undici'
import { createPayer } from './money.js'
import { adminKey, startService } from './service.js'

type Test = { after(work: () => void | Promise<void>): void }

/** Limits that are out of the way of tests that ask, and fail, often. */
export const generous =
  'limits: { tiers: { paid: { image: { rpm: 100000 } } }, errorBudget: { failed: 100000, unsupported: 100000 } }'

/** A service whose pictures can be looked at, and a caller with money. */
export const startImageService = async (test: Test, { config = '', logLines = [] as string[] } = {}) => {
  const service = await startService(test as { after(work: () => Promise<void>): void }, {
    config: `${generous}\n${config}`,
    logLines,
  })
  const rich = await createPayer(service.sql, { usd: 100_000_000_000n })
  const baseURL = `${service.origin}/api/v1`

  /** Posts JSON, or a form, and gives the answer with its bytes. */
  const post = async (path: string, body: object | FormData, headers: Record<string, string> = {}) => {
    const isForm = body instanceof FormData
    const answer = isForm
      ? await fetch(`${baseURL}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${rich.key}`, ...headers },
          body,
        })
      : await fetch(`${baseURL}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${rich.key}`, 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const type = answer.headers.get('content-type') ?? ''
    const json = type.includes('json') ? JSON.parse(Buffer.from(bytes).toString()) : undefined
    return { status: answer.status, headers: answer.headers, type, bytes, json }
  }

  /** What a request costs, in nano-USD. */
  const costOf = async <T>(work: () => Promise<T>): Promise<{ result: T; usd: bigint }> => {
    const before = await rich.balances()
    const result = await work()
    const after = await rich.balances()
    return { result, usd: before.usd - after.usd }
  }
  return { ...service, rich, baseURL, post, costOf, adminKey, caller: service.as(rich.key), request }
}

export const formOf = (parts: Record<string, string | Uint8Array | Uint8Array[]>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts))
    for (const one of Array.isArray(value) ? value : [value])
      form.append(
        name,
        typeof one === 'string' ? one : new Blob([one as Uint8Array<ArrayBuffer>]),
        ...((typeof one === 'string' ? [] : ['a.png']) as []),
      )
  return form
}

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
