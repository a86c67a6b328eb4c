import { isUtf8 } from 'node:buffer'
import { familyOf, type WalletFamily } from '#accounts/wallets/address.js'
import { formatMessage } from './message.js'
import { quote, type Reason, refuse } from './refuse.js'

/** What a sign-in header says, in whichever of its two shapes. Nothing of it is proven. */
export type SentSignIn = {
  address: string
  chainId: string
  /** How it was signed, as the client says. */
  type: string | undefined
  /** What was signed. */
  text: string
  signature: string
}

/** Contract wallets that are not deployed yet send the longest ones, of about half this size. */
const charactersMax = 8_192

export const readHeader = (header: string): SentSignIn => {
  const json = readJson(header)
  const fields = createFields(json)
  const address = fields.text('address')
  const common = {
    address,
    chainId: fields.chainId(),
    type: fields.optionalText('type'),
    signature: fields.text('signature'),
  }
  // Clients of x402 send the parts of the text, all others the text itself.
  const text = json.message === undefined || json.message === null ? textOf(fields, common) : fields.text('message')
  return { ...common, text }
}

type JsonObject = Record<string, unknown>

const readJson = (header: string): JsonObject => {
  if (header.length > charactersMax)
    throw refuse('too_long', `the header has ${header.length} characters; at most ${charactersMax} are possible`)
  // Padding is needless, and right where it is given.
  const [, digits = '', padding = ''] = /^([\w+/-]+)(={0,2})$/.exec(header) ?? []
  const isWhole = padding === '' ? digits.length % 4 !== 1 : header.length % 4 === 0
  if (digits === '' || !isWhole) throw refuse('malformed_base64', 'the header must be base64 of a JSON object')
  const bytes = Buffer.from(digits, 'base64')
  let value: unknown
  try {
    if (isUtf8(bytes)) value = JSON.parse(bytes.toString('utf8'))
  } catch {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse('malformed_json', 'the header must be base64 of a JSON object in UTF-8')
  return value as JsonObject
}

const createFields = (json: JsonObject) => {
  const read = (name: string): unknown => (Object.hasOwn(json, name) ? (json[name] ?? undefined) : undefined)
  const wrong = (reason: Reason, name: string, rule: string) => refuse(reason, `${name} ${rule}`)
  const optionalText = (name: string): string | undefined => {
    const value = read(name)
    if (value !== undefined && typeof value !== 'string') throw wrong('invalid_field', name, 'must be a string')
    return value
  }
  return {
    optionalText,
    text(name: string): string {
      const value = optionalText(name)
      if (value === undefined || value === '') throw wrong('missing_field', name, 'is missing')
      return value
    },
    chainId(): string {
      const value = read('chainId')
      if (value === undefined || value === '') throw wrong('missing_field', 'chainId', 'is missing')
      if (typeof value !== 'string' && !Number.isSafeInteger(value))
        throw wrong('invalid_field', 'chainId', 'must be a whole number or a string')
      return String(value)
    },
    optionalTexts(name: string): string[] | undefined {
      const value = read(name)
      if (value === undefined) return undefined
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
        throw wrong('invalid_field', name, 'must be a list of strings')
      return value
    },
  }
}

type Common = Pick<SentSignIn, 'address' | 'chainId'>

/** The text that these parts are of. It is read again like any other, so that a part can never pass for several lines. */
const textOf = (fields: ReturnType<typeof createFields>, { address, chainId }: Common): string => {
  const family = familyOf(address)
  if (family === undefined)
    throw refuse('invalid_field', `address is ${quote(address)}; it must be one of an EVM chain or of Solana`)
  return formatMessage({
    family,
    domain: fields.text('domain'),
    address,
    statement: fields.optionalText('statement'),
    uri: fields.text('uri'),
    version: fields.text('version'),
    chainId: chainId.slice(chainId.startsWith(namespaceOf[family]) ? namespaceOf[family].length : 0),
    nonce: fields.text('nonce'),
    issuedAt: fields.text('issuedAt'),
    expirationTime: fields.optionalText('expirationTime'),
    notBefore: fields.optionalText('notBefore'),
    requestId: fields.optionalText('requestId'),
    resources: fields.optionalTexts('resources'),
  })
}

const namespaceOf: Record<WalletFamily, string> = { evm: 'eip155:', solana: 'solana:' }
