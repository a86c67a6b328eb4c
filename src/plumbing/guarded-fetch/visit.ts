import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { FetchRefused } from './fetch-refused.js'
import { isPublicAddress } from './public-address.js'

export type Address = { address: string; family: number }
export type Resolve = (hostname: string) => Promise<Address[]>

/** A URL that may be visited, and the only addresses it may be visited at. */
export type Visit = { url: URL; addresses: Address[] }

const urlCharactersMax = 8192

export const resolveByDns: Resolve = (hostname) => lookup(hostname, { all: true })

/** 80, 443, and what ordinary users may listen on: so that nobody makes us speak to mail servers and their kind. */
const isPortAllowed = (port: string) => port === '' || port === '80' || port === '443' || Number(port) >= 1024

const parse = (text: string, base?: URL): URL => {
  const url = text.length <= urlCharactersMax && URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  if (!url) throw new FetchRefused('address', 'is not a valid address')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FetchRefused('address', 'must begin with http:// or https://')
  if (url.username !== '' || url.password !== '')
    throw new FetchRefused('address', 'must not contain a user name or password')
  if (!isPortAllowed(url.port))
    throw new FetchRefused('address', 'names a port that is not visited; use 80, 443 or 1024 and above')
  return url
}

type Needs = { resolve: Resolve; allowPrivate: boolean }

/**
 * Decides whether a URL may be visited. The name is resolved here, once; whoever connects must use these addresses, so
 * that a name which answers differently the second time gains nothing.
 */
export const createVisits =
  ({ resolve, allowPrivate }: Needs) =>
  async (text: string, base?: URL): Promise<Visit> => {
    const url = parse(text, base)
    // WHATWG URLs have already turned 2130706433, 0177.0.0.1, 0x7f.1 and full-width digits into 127.0.0.1.
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const family = isIP(host)
    const addresses =
      family !== 0
        ? [{ address: host, family }]
        : await resolve(host).catch((cause: unknown) => {
            throw new FetchRefused('unreachable', 'names a host that cannot be found', { cause })
          })
    if (addresses.length === 0) throw new FetchRefused('unreachable', 'names a host that cannot be found')
    // One private address among public ones is reason enough: honest names have none.
    if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address)))
      throw new FetchRefused('address', 'does not lead to a public address')
    return { url, addresses }
  }
