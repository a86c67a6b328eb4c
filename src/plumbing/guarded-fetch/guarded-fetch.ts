import { Agent, type Dispatcher, request } from 'undici'
import { FetchRefused } from './fetch-refused.js'
import { readBody, refuseAnnouncedSize } from './read-body.js'
import { type Address, createVisits, type Resolve, resolveByDns, type Visit } from './visit.js'

export type GuardedFetch = {
  /** Throws `FetchRefused`, or the reason of `signal`. */
  get(url: string, how: FetchOptions): Promise<Fetched>
}

export type FetchOptions = {
  /** Of the body after decoding. */
  bytesMax: number
  /** From the first question to the name server to the last byte, redirects included. */
  timeoutMs: number
  /** 0: it must be there itself. */
  redirectsMax: number
  /** What to ask for. */
  accept?: string
  /** What the answer's content type must look like; it is checked before the body is read. */
  contentType?: RegExp
  signal: AbortSignal
}

export type Fetched = {
  /** Where it was found, after redirects. */
  url: string
  /** In small letters and without parameters; '' when the other side did not say. */
  contentType: string
  bytes: Buffer
}

type Needs = {
  resolve?: Resolve
  /** For tests and for operators who know what they do: private addresses may be visited. */
  allowPrivate?: boolean
  /** Where checked addresses are reached; elsewhere only in tests. */
  reach?: (checked: Address[]) => Address[]
  /** A signal that fires after so many milliseconds. */
  deadline?: (ms: number) => AbortSignal
}

const headerBytesMax = 16_384
const redirects = new Set([301, 302, 303, 307, 308])

const firstOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header

/** Gives up waiting when the signal fires; for work that cannot be told to stop. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })

/**
 * Fetches what callers name. They may name anything, also what only this machine can reach; so nothing is visited that is
 * not public, and the addresses that were checked are the ones that are used.
 */
export const createGuardedFetch = ({
  resolve = resolveByDns,
  allowPrivate = false,
  reach = (checked) => checked,
  deadline = AbortSignal.timeout,
}: Needs = {}): GuardedFetch => {
  const visitOf = createVisits({ resolve, allowPrivate })

  /** A connection that cannot go anywhere but to the checked addresses, whatever the name says by now. */
  const openPinned = (addresses: Address[]) =>
    new Agent({
      connections: 1,
      pipelining: 0,
      maxHeaderSize: headerBytesMax,
      connect: {
        // Node asks for all addresses when it may try several, and for one otherwise.
        lookup: (_hostname, { all }, done) => {
          const [first] = addresses
          if (all) done(null, addresses)
          else done(null, first?.address ?? '', first?.family)
        },
      },
    })

  const ask = async (visit: Visit, how: FetchOptions, signal: AbortSignal): Promise<Fetched | { next: string }> => {
    const agent = openPinned(reach(visit.addresses))
    try {
      const answer = await request(visit.url, {
        dispatcher: agent,
        signal,
        headers: { accept: how.accept ?? '*/*', 'accept-encoding': 'gzip, br', 'user-agent': 'Tessera' },
      })
      // Whatever is not read to its end reports that it was cut off; nobody listens any more then.
      answer.body.on('error', () => {})
      const next = firstOf(answer.headers.location)
      if (redirects.has(answer.statusCode) && next !== undefined) return { next }
      return { url: visit.url.href, ...(await read(answer, how)) }
    } finally {
      // Also ends what is still coming.
      agent.destroy().catch(() => {})
    }
  }

  const read = async ({ statusCode, headers, body }: Dispatcher.ResponseData, how: FetchOptions) => {
    if (statusCode !== 200) throw new FetchRefused('status', `answered with status ${statusCode}`)
    const contentType = (firstOf(headers['content-type']) ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
    if (how.contentType && !how.contentType.test(contentType))
      throw new FetchRefused('type', `answered with the content type '${contentType.slice(0, 100)}'`)
    refuseAnnouncedSize(firstOf(headers['content-length']), how.bytesMax)
    return { contentType, bytes: await readBody(body, firstOf(headers['content-encoding']) ?? '', how.bytesMax) }
  }

  return {
    async get(address, how) {
      const late = deadline(how.timeoutMs)
      const signal = AbortSignal.any([how.signal, late])
      try {
        let visit = await unlessAborted(visitOf(address), signal)
        for (let hops = 0; ; hops++) {
          const found = await ask(visit, how, signal)
          if (!('next' in found)) return found
          if (hops >= how.redirectsMax)
            throw new FetchRefused('redirect', hops === 0 ? 'must not redirect' : `redirects more than ${hops} times`)
          visit = await unlessAborted(visitOf(found.next, visit.url), signal)
        }
      } catch (error) {
        if (error instanceof FetchRefused) throw error
        how.signal.throwIfAborted()
        if (late.aborted) throw new FetchRefused('timeout', `took longer than ${how.timeoutMs} ms`)
        throw new FetchRefused('unreachable', 'could not be read', { cause: error })
      }
    },
  }
}
