import { type FormData, Pool, Response } from 'undici'
import type { ServerSentEvent } from '#plumbing/event-stream.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import { createEvents } from './events.js'
import { startExchange } from './exchange.js'
import { openSocket, type Socket, type SocketListener } from './socket.js'
import { createTroubles, parseJson } from './trouble.js'

const usualAnswerBytesMax = 64 * 1024 * 1024
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

type Call = {
  signal: StopSignal
  headers?: Record<string, string> | undefined
  /** A larger answer is broken. */
  answerBytesMax?: number | undefined
  /** What a status that is not 2xx means, where an engine knows more than everybody; undefined for the usual meaning. */
  explain?: ((status: number, body: unknown) => EngineError | undefined) | undefined
}

export type UpstreamClient = {
  /** Host and port, for engines that must know whom they talk to. */
  host: string
  /** What bounds every call; for engines whose work takes several of them. */
  totalMs: number
  /** The parsed answer of POST. Throws `EngineError`, or the reason of the signal. */
  postForJson(path: string, body: string | Buffer, call: Call): Promise<unknown>
  /** The same, with fields and files instead of JSON. */
  postFormForJson(path: string, form: FormData, call: Call): Promise<unknown>
  /** POST of something whose answer says nothing but that it was taken. */
  tell(path: string, body: string, call: Call): Promise<void>
  getForJson(path: string, call: Call): Promise<unknown>
  getForBytes(path: string, call: Call): Promise<Buffer>
  /**
   * What lies at a URL that the upstream gave, absolute or not. Only the upstream itself is asked: its answer must not lead
   * us to other servers, least of all with its credentials.
   */
  download(url: string, call: Call): Promise<Buffer>
  /** A WebSocket with the same credentials. It never throws; that it is closed is all that can happen to it. */
  openSocket(path: string, listener: SocketListener): Socket
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
const isAnything = () => true
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
    ...(authorization === undefined ? [] : ['authorization', authorization]),
    ...Object.entries(headers).flat(),
  ]
  const secrets = [apiKey ?? '', password, host, ...Object.values(headers)].filter(({ length }) => length >= 6)
  const troubles = createTroubles(secrets)

  // A language model answers slowly: a second request on the same connection would only wait behind the first.
  const pool = new Pool(origin, { pipelining: 1, connectTimeout: connectMs, headersTimeout: 0, bodyTimeout: 0 })

  let closing: Promise<void> | undefined

  const pathTo = (path: string) => `${basePath}${path}${path.includes('?') ? search.replace('?', '&') : search}`

  type Body = { bytes: string | Buffer; contentType: string }
  const requestTo = (path: string, body: Body | undefined, accept: string, more: Record<string, string> = {}) => ({
    method: body === undefined ? ('GET' as const) : ('POST' as const),
    path,
    headers: [
      ...['accept', accept],
      ...(body === undefined ? [] : ['content-type', body.contentType]),
      ...fixedHeaders,
      ...Object.entries(more).flat(),
    ],
    body: body?.bytes ?? null,
  })
  const jsonBody = (bytes: string | Buffer): Body => ({ bytes, contentType: 'application/json' })

  const troublesOf = ({ explain }: Call): typeof troubles =>
    explain === undefined
      ? troubles
      : {
          ...troubles,
          fromAnswer: (status, answerHeaders, body) =>
            explain(status, parseJson(body)) ?? troubles.fromAnswer(status, answerHeaders, body),
        }

  const exchangeBytes = (
    request: ReturnType<typeof requestTo>,
    call: Call,
    isExpected: (contentType: string) => boolean,
  ): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const { signal, answerBytesMax = usualAnswerBytesMax } = call
      const parts: Buffer[] = []
      let bytesRead = 0
      const exchange = startExchange({
        dispatcher: pool,
        request,
        signal,
        troubles: troublesOf(call),
        totalMs,
        isExpected,
        onData(bytes) {
          parts.push(bytes)
          bytesRead += bytes.length
          if (bytesRead > answerBytesMax)
            exchange.fail(
              new EngineError('broken', `the answer of the upstream is larger than ${answerBytesMax} bytes`),
            )
        },
        onEnd: () => resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)),
        onFailure: reject,
      })
    })

  const exchangeJson = async (request: ReturnType<typeof requestTo>, call: Call): Promise<unknown> => {
    const whole = await exchangeBytes(request, call, isJson)
    try {
      return JSON.parse(whole.toString('utf8'))
    } catch {
      // What the parser says quotes the text, so it is not passed on.
      throw new EngineError('broken', 'the answer of the upstream is not JSON')
    }
  }

  return {
    host,
    totalMs,

    postForJson: (path, body, call) =>
      exchangeJson(requestTo(pathTo(path), jsonBody(body), 'application/json', call.headers), call),

    async postFormForJson(path, form, call) {
      const encoded = new Response(form)
      const contentType = encoded.headers.get('content-type') ?? ''
      const body = { bytes: Buffer.from(await encoded.arrayBuffer()), contentType }
      return exchangeJson(requestTo(pathTo(path), body, 'application/json', call.headers), call)
    },

    async tell(path, body, call) {
      await exchangeBytes(requestTo(pathTo(path), jsonBody(body), '*/*', call.headers), call, isAnything)
    },

    getForJson: (path, call) =>
      exchangeJson(requestTo(pathTo(path), undefined, 'application/json', call.headers), call),

    getForBytes: (path, call) =>
      exchangeBytes(requestTo(pathTo(path), undefined, '*/*', call.headers), call, isAnything),

    async download(url, call) {
      const target = URL.canParse(url, origin) ? new URL(url, origin) : undefined
      if (target?.origin !== origin)
        throw new EngineError(
          'broken',
          'the upstream gave an address that is not its own; nothing is fetched from there',
        )
      const path = `${target.pathname}${target.search}`
      return exchangeBytes(requestTo(path, undefined, '*/*', call.headers), call, isAnything)
    },

    openSocket: (path, listener) =>
      openSocket({ dispatcher: pool, url: new URL(pathTo(path), origin), headers: fixedHeaders, listener }),

    postForEvents: (path, body, { isLast, ...call }) =>
      createEvents({
        isLast,
        start: (listener) =>
          startExchange({
            dispatcher: pool,
            request: requestTo(pathTo(path), jsonBody(body), 'text/event-stream', call.headers),
            signal: call.signal,
            troubles: troublesOf(call),
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
