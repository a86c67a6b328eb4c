import { hostname } from 'node:os'
import { isoNow } from '#plumbing/iso-now.js'

/** Three letters for where this server is, as the last part of CF-RAY. */
const place = 'TSR'

/** Sent back as they came, so that a client can tell its own versions and clock apart in our answers. */
export const echoedHeaders = ['x-svc-middleface-version', 'x-svc-mobile-version', 'x-svc-request-timestamp-ms'] as const

/** Only what may stand in a header and is short is echoed. */
const isEchoable = (value: unknown): value is string => typeof value === 'string' && /^[\x20-\x7e]{1,256}$/.test(value)

/** Names and values in turn: the form that Node writes fastest. */
export type HeaderPairs = string[]

export type CommonHeaders = {
  record(requestId: string, sent: Record<string, unknown>): Record<string, string>
  pairs(requestId: string, sent: Record<string, unknown>): HeaderPairs
}

/**
 * The headers of the specification that every response carries, from this one place: answers, failures, streams and even
 * replies to bytes that are not HTTP. `Date` is added by Node.
 */
export const createCommonHeaders = (version: string): CommonHeaders => {
  const pairs = (requestId: string, sent: Record<string, unknown>): HeaderPairs => {
    const headers = [
      'x-request-id',
      requestId,
      'cf-ray',
      `${requestId.slice(0, 16)}-${place}`,
      'x-svc-version',
      version,
      'x-svc-timestamp',
      isoNow(),
      // Browsers may call us from any page: a key is the only credential, and it is never sent by itself.
      'access-control-allow-origin',
      '*',
      'access-control-expose-headers',
      '*',
    ]
    for (const name of echoedHeaders) {
      const value = sent[name]
      if (value !== undefined && isEchoable(value)) headers.push(name, value)
    }
    return headers
  }
  const record = (requestId: string, sent: Record<string, unknown>) => {
    const flat = pairs(requestId, sent)
    const headers: Record<string, string> = {}
    for (let index = 0; index < flat.length; index += 2) headers[flat[index] as string] = flat[index + 1] as string
    return headers
  }
  return { record, pairs }
}

/** Added to failures, so that a report names the machine. */
export const failureHeaders = { 'x-svc-host-name': hostname() }

export const paginationHeaders = ({ limit, page, total }: { limit: number; page: number; total: number }) => ({
  'x-pagination-limit': String(limit),
  'x-pagination-page': String(page),
  'x-pagination-total': String(total),
  'x-pagination-total-pages': String(Math.ceil(total / limit)),
})
