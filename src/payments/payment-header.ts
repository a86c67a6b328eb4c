import { paymentFailure } from '#contract/errors.js'
import type { Rail, SignedPayment } from './rail.js'

export type ReadPayment = { rail: Rail; payment: SignedPayment }

const charactersMax = 16_384
const base64Pattern = /^[A-Za-z0-9+/_-]+={0,2}$/
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * What was signed, out of any header that carries a payment. Three shapes are about: what was chosen lies in `accepted`
 * (version 2), or beside `payload` (version 1, and clients that say 2 and mean 1); so the shape decides, and neither the
 * version nor the name of the header. Of all that a client says about its payment only the network is used, to find
 * the rail; the rest is read from what was signed.
 */
export const readPaymentHeader = (header: string, rails: readonly Rail[]): ReadPayment => {
  const whole = decode(header.trim())
  const chosen = isObject(whole.accepted) ? whole.accepted : whole
  if (chosen.scheme !== 'exact')
    throw paymentFailure('paymentUnreadable', "its scheme must be 'exact'", { reason: 'unsupported_scheme' })
  const rail = rails.find(({ network, shortName }) => chosen.network === network || chosen.network === shortName)
  if (!rail) {
    const offered = rails.map(({ network, shortName }) => `${network} (${shortName})`).join(' and ')
    throw paymentFailure('paymentUnreadable', `its network must be ${offered || 'one that is offered'}`, {
      reason: 'invalid_network',
    })
  }
  if (!isObject(whole.payload)) throw unreadable('it has no payload')
  return { rail, payment: rail.read(whole.payload) }
}

const decode = (text: string): Record<string, unknown> => {
  if (text.length > charactersMax) throw unreadable(`it is longer than ${charactersMax} characters`)
  if (!base64Pattern.test(text)) throw unreadable('it is not base64')
  const value = parse(Buffer.from(text, 'base64'))
  if (!isObject(value)) throw unreadable('it is not base64 of a JSON object')
  return value
}

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

const unreadable = (problem: string) => paymentFailure('paymentUnreadable', problem, { reason: 'invalid_payload' })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
