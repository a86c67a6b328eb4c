import { Pool } from 'undici'
import type { ServerSentEvent } from '#plumbing/event-stream.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import { createEvents } from './events.js'
import { startExchange } from './exchange.js'
import { createTroubles } from './trouble.js'

const answerBytesMax = 64 * 1024 * 1024
const defaultTimeouts = { connectMs: 5_000, firstByteMs: 120_000, betweenMs: 60_000, totalMs: 600_000 }

type Needs = {
  /** A path in it is kept: requests go below it. */
  baseUrl: string
  /** Sent as a bearer token. */
  apiKey?: string | undefined
  /** Sent with every request. */
  headers?: Record<string, string> | undefined
  /**
   * `totalMs` bounds every call. `firstByteMs` and `betweenMs` are for streams, and any byte counts, also a ping; a whole
   * answer may be silent until it is there.
   */
  timeouts?: Partial<typeof defaultTimeouts> | undefined
}

type Call = { signal: StopSignal; headers?: Record<string, string> | undefined }

export type UpstreamClient = {
  /** Host and port, for engines that must know whom they talk to. */
  host: string
  /** The parsed answer of POST. Throws `EngineError`, or the reason of the signal. */
  postForJson(path: string, body: string | Buffer, call: Call): Promise<unknown>
  /**
   * The events of an answer to POST; each item holds those that came together. They are read no faster than they are
   * taken. Leaving the loop, or the signal, closes the connection. `isLast` says which event completes the answer: it is
   * the last one given, and an answer that ends without it throws `EngineError` (broken).
   */
  postForEvents(
    path: string,
    body: string | Buffer,
    call: Call & { isLast(event: ServerSentEvent): boolean },
  ): AsyncIterable<ServerSentEvent[]>
  /** The error that an upstream put into a stream, given the object that holds it. */
  errorFromEvent(body: unknown): EngineError
  /** Takes no more calls. Those that run are finished first. */
  close(): Promise<void>
}

const isJson = (contentType: string) => contentType.includes('json')
const isEventStream = (contentType: string) => contentType.startsWith('text/event-stream')

/** Calls one upstream: keeps connections alive, bounds time and size, and turns every fault into an `EngineError`. */
export const createUpstreamClient = ({ baseUrl, apiKey, headers = {}, timeouts }: Needs): UpstreamClient => {
  const { connectMs, firstByteMs, betweenMs, totalMs: wantedMs } = { ...defaultTimeouts, ...timeouts }
  // A timer that is asked for more than this fires at once.
  const totalMs = Math.min(wantedMs, 2 ** 31 - 1)
  const { origin, host, pathname, search, username, password } = new URL(baseUrl)
  const basePath = pathname.replace(/\/+$/, '')
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  const authorization = apiKey !== undefined ? `Bearer ${apiKey}` : username !== '' ? `Basic ${basic}` : undefined

  const fixedHeaders = [
    ...['content-type', 'application/json'],
    ...(authorization === undefined ? [] : ['authorization', authorization]),
    ...Object.entries(headers).flat(),
  ]
  const secrets = [apiKey ?? '', password, host, ...Object.values(headers)].filter(({ length }) => length >= 6)
  const troubles = createTroubles(secrets)

  // A language model answers slowly: a second request on the same connection would only wait behind the first.
  const pool = new Pool(origin, { pipelining: 1, connectTimeout: connectMs, headersTimeout: 0, bodyTimeout: 0 })

  let closing: Promise<void> | undefined

  const requestTo = (
    path: string,
    body: string | Buffer,
    accept: string,
    more: Record<string, string> | undefined,
  ) => ({
    method: 'POST' as const,
    path: `${basePath}${path}${search}`,
    headers: ['accept', accept, ...fixedHeaders, ...(more === undefined ? [] : Object.entries(more).flat())],
    body,
  })

  return {
    host,

    postForJson: (path, body, { signal, headers: more }) =>
      new Promise((resolve, reject) => {
        const parts: Buffer[] = []
        let bytesRead = 0
        const exchange = startExchange({
          dispatcher: pool,
          request: requestTo(path, body, 'application/json', more),
          signal,
          troubles,
          totalMs,
          isExpected: isJson,
          onData(bytes) {
            parts.push(bytes)
            bytesRead += bytes.length
            if (bytesRead > answerBytesMax)
              exchange.fail(
                new EngineError('broken', `the answer of the upstream is larger than ${answerBytesMax} bytes`),
              )
          },
          onEnd() {
            const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
            try {
              resolve(JSON.parse(whole.toString('utf8')))
            } catch {
              // What the parser says quotes the text, so it is not passed on.
              reject(new EngineError('broken', 'the answer of the upstream is not JSON'))
            }
          },
          onFailure: reject,
        })
      }),

    postForEvents: (path, body, { signal, headers: more, isLast }) =>
      createEvents({
        isLast,
        start: (listener) =>
          startExchange({
            dispatcher: pool,
            request: requestTo(path, body, 'text/event-stream', more),
            signal,
            troubles,
            totalMs,
            silence: { firstByteMs, betweenMs },
            isExpected: isEventStream,
            ...listener,
          }),
      }),

    errorFromEvent: troubles.fromEvent,
    close() {
      closing ??= pool.close()
      return closing
    },
  }
}
