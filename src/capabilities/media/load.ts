import { fail, failField } from '#contract/errors.js'
import { FetchRefused } from '#plumbing/guarded-fetch/fetch-refused.js'
import type { FetchOptions, GuardedFetch } from '#plumbing/guarded-fetch/guarded-fetch.js'
import { isDataUrl, readDataUrl } from './data-url.js'

const megabyte = 1024 * 1024
const timeoutMs = 30_000

export type Loaded = {
  bytes: Buffer
  contentType: string
  /** The address that it was fetched from; undefined for what came with the request. */
  url?: string
  /** Whether the request already holds it in the form that engines are given. */
  isBase64: boolean
}

export type LoadOptions = { bytesMax: number; redirectsMax: number } & Pick<FetchOptions, 'accept' | 'contentType'>

type LoadNeeds = {
  guardedFetch: GuardedFetch
  signal: AbortSignal
  /** Of everything in one request, after decoding. */
  totalMax: number
  /** What holds it all, such as `messages`. */
  whole: string
}

/** Gets what a request names, for one request: all of it together is bounded. `place` is what its failures point at. */
export const createLoad = ({ guardedFetch, signal, totalMax, whole }: LoadNeeds) => {
  let left = totalMax

  const tooLarge = (place: string, bytesMax: number) =>
    fail('fileTooLarge', place, String(Math.ceil(bytesMax / megabyte)))

  /** Counts what was brought along or fetched. */
  const count = (place: string, bytes: Uint8Array, bytesMax: number): void => {
    if (bytes.length > bytesMax) throw tooLarge(place, bytesMax)
    left -= bytes.length
    if (left < 0) throw failField(whole, `must hold at most ${totalMax / megabyte} MB of media`)
  }

  const fetchIt = async (place: string, url: string, options: LoadOptions): Promise<Loaded> => {
    try {
      const fetched = await guardedFetch.get(url, { ...options, timeoutMs, signal })
      return { ...fetched, isBase64: false }
    } catch (error) {
      if (!(error instanceof FetchRefused)) throw error
      if (error.reason === 'size') throw tooLarge(place, options.bytesMax).because(error)
      throw fail('mediaUnavailable', place, error.message).because(error)
    }
  }

  const load = async (place: string, url: string, options: LoadOptions): Promise<Loaded> => {
    const content = isDataUrl(url) ? readDataUrl(url) : undefined
    if (!content && !/^https?:/i.test(url))
      throw failField(place, 'must be a data URL that is well encoded, or a URL that begins with http:// or https://')
    const loaded = content ?? (await fetchIt(place, url, options))
    count(place, loaded.bytes, options.bytesMax)
    return loaded
  }

  return { load, count }
}
