import { familyOf, normalAddress, type WalletFamily } from '#accounts/wallets/address.js'
import type { SentSignIn } from './header.js'
import type { SignInMessage } from './message.js'
import { chainNames, type SignInPlace } from './place.js'
import { quote, refuse } from './refuse.js'
import { readTime } from './time.js'

/** Signed texts are told apart by what they are for: none that was signed elsewhere may be used here. */
export const checkPlace = ({ scheme, domain, uri, version }: SignInMessage, { publicUrl }: SignInPlace): void => {
  const { protocol, host, origin } = new URL(publicUrl)
  if (domain.toLowerCase() !== host || (scheme !== undefined && `${scheme.toLowerCase()}:` !== protocol))
    throw refuse('domain_mismatch', `domain is ${quote(scheme ? `${scheme}://${domain}` : domain)}, expected '${host}'`)
  if (originOf(uri) !== origin)
    throw refuse('uri_mismatch', `uri is ${quote(uri)}, expected one that begins with '${origin}'`)
  if (version !== '1') throw refuse('version_unsupported', `version is ${quote(version)}, expected '1'`)
}

const originOf = (uri: string): string | undefined =>
  /^[\x21-\x7e]+$/.test(uri) && URL.canParse(uri) ? new URL(uri).origin : undefined

const typesOf: Record<WalletFamily, string[]> = { evm: ['eip191', 'eip1271', 'eip6492'], solana: ['ed25519'] }

export const checkChain = ({ family, chainId }: SignInMessage, sent: SentSignIn, place: SignInPlace): void => {
  const names = chainNames(place, family)
  for (const found of [chainId, sent.chainId]) if (!names.includes(found)) throw wrongChain(found, family, place)
  if (sent.type !== undefined && !typesOf[family].includes(sent.type))
    throw refuse('type_mismatch', `type is ${quote(sent.type)}, expected ${typesOf[family].join(', ')} for ${names[0]}`)
}

const wrongChain = (found: string, family: WalletFamily, place: SignInPlace) => {
  const [own] = chainNames(place, family)
  const others = chainNames(place, family === 'evm' ? 'solana' : 'evm')
  if (own !== undefined && others.includes(found))
    return refuse('chain_mismatch', `chainId is ${quote(found)}, but message is of an account of ${own}`)
  const supported = [own, others[0]].filter((name) => name !== undefined)
  return refuse('chain_unsupported', `chainId is ${quote(found)}, expected ${supported.join(' or ') || 'none'}`)
}

/** Clocks of clients are a little fast at times. */
const earlyMsMax = 60_000

/** The last moment at which what was signed can be used. */
export const checkTimes = (message: SignInMessage, nowMs: number, maxAgeSeconds: number): number => {
  const read = (field: 'issuedAt' | 'expirationTime' | 'notBefore', otherwise: number): number => {
    const text = message[field]
    const ms = text === undefined ? otherwise : readTime(text)
    if (ms === undefined)
      throw refuse('invalid_time', `${field} is ${quote(text ?? '')}, expected a time such as 2026-01-01T00:00:00.000Z`)
    return ms
  }
  const says = (field: string, ms: number) =>
    `${field} is ${new Date(ms).toISOString()}, and here it is ${new Date(nowMs).toISOString()}`
  const issuedMs = read('issuedAt', Number.NaN)
  const expiresMs = read('expirationTime', Number.POSITIVE_INFINITY)
  const beginsMs = read('notBefore', Number.NEGATIVE_INFINITY)
  const oldMs = issuedMs + maxAgeSeconds * 1000
  if (issuedMs > nowMs + earlyMsMax) throw refuse('not_yet_valid', `${says('issuedAt', issuedMs)}; check the clock`)
  if (nowMs > oldMs)
    throw refuse('too_old', `${says('issuedAt', issuedMs)}; sign anew, it is good for ${maxAgeSeconds} s`)
  if (nowMs > expiresMs) throw refuse('expired', `${says('expirationTime', expiresMs)}; sign anew`)
  if (nowMs < beginsMs) throw refuse('not_yet_valid', says('notBefore', beginsMs))
  return Math.min(oldMs, expiresMs)
}

/** The wallet's address in its normal spelling. */
export const checkAddress = ({ family, address }: SignInMessage, sent: SentSignIn): string => {
  if (familyOf(address) !== family)
    throw refuse(
      'address_mismatch',
      `the address in message is ${quote(address)}, which is none of its kind of account`,
    )
  const wallet = normalAddress(address)
  if (normalAddress(sent.address) !== wallet)
    throw refuse('address_mismatch', `address is ${quote(sent.address)}, but message is of ${quote(address)}`)
  return wallet
}

export const checkNonce = ({ nonce }: SignInMessage): void => {
  if (!/^[A-Za-z0-9]{8,128}$/.test(nonce))
    throw refuse('nonce_invalid', `nonce is ${quote(nonce)}, expected 8 to 128 letters and digits`)
}
