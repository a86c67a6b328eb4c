import { webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import negotiator from '@fastify/accept-negotiator'
import { fail } from '#contract/errors.js'
import type { Answer, Idempotency } from '#ledger/answers.js'
import type { Charge, Settled } from '#ledger/charge.js'
import { spendingHeaders } from '#ledger/credit/balance-reader.js'
import type { Metered, Order } from '#ledger/metered.js'
import type { Exchange } from './exchange.js'

type PaidOrder = Omit<Order, 'requestId' | 'caller' | 'idempotency'>

/**
 * Answers a paid request as a whole: the caller's credit is held, the work runs, the answer leaves once it is paid for.
 * With an `Idempotency-Key`, a retry within 24 hours gets the same answer again and pays nothing.
 */
export const answerPaid = async (
  metered: Metered,
  exchange: Exchange,
  order: PaidOrder,
  work: (charge: Charge) => Promise<Settled<Answer>>,
): Promise<void> => {
  const { id: requestId, caller } = exchange
  const whole = { ...order, requestId, caller, idempotency: await idempotencyOf(exchange) }
  const { status, headers, body, before, standing, isReplay } = await metered.answer(whole, work)
  // Pictures are compressed already.
  const accepted = headers['content-type']?.startsWith('image/') ? undefined : exchange.headers['accept-encoding']
  const { encoding, bytes } = await compress(body, accepted)
  exchange.begin(status, headers, spendingHeaders(before), standing, {
    ...(isReplay && { 'idempotent-replayed': 'true' }),
    ...(encoding !== null && { 'content-encoding': encoding, vary: 'accept-encoding' }),
    'content-length': String(Buffer.byteLength(bytes)),
  })
  exchange.response.end(bytes)
}

/** Below this the headers weigh more than what compression saves. */
export const compressFromBytes = 1024

/** What is larger is pictures in base64: packing them takes longer than sending them. */
const compressUpToBytes = 1024 * 1024

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)
export const brotliQuality = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const compress = async (body: string | Buffer, accepted: string | string[] | undefined) => {
  if (accepted === undefined || body.length < compressFromBytes || body.length > compressUpToBytes)
    return { encoding: null, bytes: body }
  const encoding = negotiator.negotiate(String(accepted), ['br', 'gzip'])
  if (encoding === 'br') return { encoding, bytes: await brotli(body, brotliQuality) }
  if (encoding === 'gzip') return { encoding, bytes: await zip(body) }
  return { encoding: null, bytes: body }
}

const idempotencyOf = async ({
  caller,
  headers,
  method,
  url,
  body,
  uploads,
}: Exchange): Promise<Idempotency | undefined> => {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) throw fail('idempotencyKeyInvalid')
  // What only this caller has, and sends every time. A wallet signs anew, so only its name stays the same.
  const credential =
    caller.kind === 'wallet' ? `wallet ${caller.address}` : (headers.authorization ?? String(headers['x-api-key']))
  const files = await Promise.all([...(uploads?.contents ?? [])].map(fingerprint))
  return { key, credential, request: [`${method} ${url}`, JSON.stringify(body), ...files].join('\n') }
}

/** Made in a thread of the runtime: files are large. */
const fingerprint = async (content: Uint8Array | string): Promise<string> =>
  Buffer.from(await webcrypto.subtle.digest('SHA-256', Buffer.from(content as string))).toString('hex')
