import type { Answer } from '#ledger/answers.js'

export const json = { 'content-type': 'application/json; charset=utf-8' }

/** Nobody hears it; the status is what proxies write into their logs for a client that left. */
export const unheard: Answer = { status: 499, headers: json, body: '{}' }

/** docs/specification.md, common response headers: who did it, and how often it was tried again. */
export const routeHeaders = (target: string, retries: number): Record<string, string> => ({
  'x-svc-model-router': target,
  ...(retries > 0 && { 'x-retry-count': String(retries) }),
})
