import type { WalletFamily } from '#accounts/wallets/address.js'
import { refuse } from './refuse.js'

/** What is signed: EIP-4361, which Solana's wallets have taken over with another name for the account. */
export type SignInMessage = {
  family: WalletFamily
  scheme?: string | undefined
  domain: string
  address: string
  statement?: string | undefined
  uri: string
  version: string
  /** As it is written: a number, or a name of the chain. */
  chainId: string
  nonce: string
  issuedAt: string
  expirationTime?: string | undefined
  notBefore?: string | undefined
  requestId?: string | undefined
  resources?: string[] | undefined
}

const accountOf = { evm: 'Ethereum', solana: 'Solana' } as const

/** The text that wallets sign, as the libraries of either family write it. */
export const formatMessage = (message: SignInMessage): string => {
  const { family, scheme, statement, expirationTime, notBefore, requestId, resources } = message
  const isEvm = family === 'evm'
  const lines = [
    `${scheme ? `${scheme}://` : ''}${message.domain} wants you to sign in with your ${accountOf[family]} account:`,
    message.address,
    '',
  ]
  // Libraries of EVM chains write what is empty, and leave two empty lines where there is no statement; Solana's do not.
  if (statement || (isEvm && statement === '')) lines.push(statement, '')
  else if (isEvm) lines.push('')
  lines.push(
    `URI: ${message.uri}`,
    `Version: ${message.version}`,
    `Chain ID: ${message.chainId}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt}`,
  )
  if (expirationTime) lines.push(`Expiration Time: ${expirationTime}`)
  if (notBefore) lines.push(`Not Before: ${notBefore}`)
  if (isEvm ? requestId !== undefined : requestId) lines.push(`Request ID: ${requestId}`)
  if (isEvm ? resources : resources?.length) lines.push('Resources:', ...(resources ?? []).map((uri) => `- ${uri}`))
  return lines.join('\n')
}

const firstLine =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?([\x21-\x7e]+) wants you to sign in with your (Ethereum|Solana) account:$/

/** Controls, halves of characters and line separators: nothing of them belongs into a line that somebody reads. */
const unreadable = /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u

/** Reads a text line by line; each must be where it belongs, and none may be left over. */
export const parseMessage = (text: string): SignInMessage => {
  if (unreadable.test(text))
    throw refuse('invalid_message', 'message holds a character that is no text; lines end with LF')
  const lines = text.split('\n')
  let at = 0
  const wrong = (expected: string) => refuse('invalid_message', `line ${at + 1} of message must be ${expected}`)
  const optional = (label: string): string | undefined => {
    const line = lines[at]
    if (line === undefined || !line.startsWith(`${label}: `)) return undefined
    at++
    return line.slice(label.length + 2)
  }
  const required = (label: string): string => {
    const value = lines[at] === `${label}: ` ? undefined : optional(label)
    if (value === undefined) throw wrong(`'${label}: ...'`)
    return value
  }
  const empty = () => {
    if (lines[at] !== '') throw wrong('empty')
    at++
  }

  const [, scheme, domain, account] = firstLine.exec(lines[0] as string) ?? []
  if (domain === undefined)
    throw wrong("'<domain> wants you to sign in with your Ethereum account:', or Solana account")
  at++
  const address = lines[at]
  if (!address) throw wrong('the address')
  at++
  empty()
  // One line and an empty one are a statement. Without it, the first empty line may be followed by a second.
  const statement = lines[at + 1] === '' ? lines[at++] : undefined
  if (lines[at] === '') at++

  const message: SignInMessage = {
    family: account === 'Solana' ? 'solana' : 'evm',
    scheme,
    domain,
    address,
    statement,
    uri: required('URI'),
    version: required('Version'),
    chainId: required('Chain ID'),
    nonce: required('Nonce'),
    issuedAt: required('Issued At'),
    expirationTime: optional('Expiration Time'),
    notBefore: optional('Not Before'),
    requestId: optional('Request ID'),
    resources: undefined,
  }
  if (lines[at] === 'Resources:') {
    at++
    message.resources = []
    for (; lines[at]?.startsWith('- '); at++) message.resources.push((lines[at] as string).slice(2))
  }
  if (at < lines.length) throw wrong('another one, or none: it is not known, or not in its place')
  return message
}
