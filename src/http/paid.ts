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
  const { before, standing, isReplay, ...answer } = await metered.answer(whole, work)
  await sendAnswer(exchange, answer, spendingHeaders(before), standing, replayed(isReplay))
}

export const replayed = (isReplay: boolean): Record<string, string> =>
  isReplay ? { 'idempotent-replayed': 'true' } : {}

/** Sends a whole answer, compressed if that is worth it. */
export const sendAnswer = async (
  exchange: Exchange,
  { status, headers, body }: Answer,
  ...more: Readonly<Record<string, string>>[]
): Promise<void> => {
  // Pictures are compressed already.
  const accepted = headers['content-type']?.startsWith('image/') ? undefined : exchange.headers['accept-encoding']
  const packed = worthCompressing(body, accepted) ? await compress(body, String(accepted)) : undefined
  const bytes = packed?.bytes ?? body
  exchange.begin(status, headers, ...more, {
    ...(packed?.encoding && { 'content-encoding': packed.encoding, vary: 'accept-encoding' }),
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

const worthCompressing = (body: string | Buffer, accepted: unknown) =>
  accepted !== undefined && body.length >= compressFromBytes && body.length <= compressUpToBytes

const compress = async (body: string | Buffer, accepted: string) => {
  const encoding = negotiator.negotiate(accepted, ['br', 'gzip'])
  if (encoding === 'br') return { encoding, bytes: await brotli(body, brotliQuality) }
  if (encoding === 'gzip') return { encoding, bytes: await zip(body) }
  return undefined
}

const idempotencyOf = async (exchange: Exchange): Promise<Idempotency | undefined> => {
  const { headers, method, url, body, uploads } = exchange
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) throw fail('idempotencyKeyInvalid')
  const files = await Promise.all([...(uploads?.contents ?? [])].map(fingerprint))
  const request = [`${method} ${url}`, JSON.stringify(body), ...files].join('\n')
  return { key, credential: credentialOf(exchange), request }
}

/** What only this caller has, and sends every time. A wallet signs anew, so only its name stays the same. */
export const credentialOf = ({ caller, headers }: Exchange): string =>
  caller.kind === 'wallet' ? `wallet ${caller.address}` : (headers.authorization ?? String(headers['x-api-key']))

/** Made in a thread of the runtime: files are large. */
const fingerprint = async (content: Uint8Array | string): Promise<string> =>
  Buffer.from(await webcrypto.subtle.digest('SHA-256', Buffer.from(content as string))).toString('hex')
