import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { script } from './upstream-scripts.js'

export { script } from './upstream-scripts.js'

type ReceivedBody = {
  model?: string
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  input?: string | string[]
  dimensions?: number
  encoding_format?: string
  [more: string]: unknown
}

export type ReceivedRequest = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: ReceivedBody
  /** What was given to the socket so far. */
  bytesWritten: number
  /** How it ended: we answered completely, we cut the connection, or the client left before the end. */
  ended: Promise<'complete' | 'cut' | 'left'>
}

/** What a script has in its hands: one request, and ways to answer it well or badly. */
export type Conversation = {
  request: ReceivedRequest
  head(status: number, headers: Record<string, string>): void
  /** Waits until the bytes have left. False when the client has. */
  write(bytes: string | Buffer): Promise<boolean>
  end(): void
  /** Closes the connection in the middle of whatever is going on. */
  cut(): void
  /** Bytes straight onto the connection, without the framing of HTTP. */
  writeRaw(bytes: string): void
}

export type Script = (conversation: Conversation) => void | Promise<void>

const converse = (request: ReceivedRequest, response: ServerResponse, cutsOff: () => void): Conversation => ({
  request,
  head: (status, headers) => {
    response.writeHead(status, headers)
    response.flushHeaders()
  },
  async write(bytes) {
    if (response.destroyed) return false
    request.bytesWritten += Buffer.byteLength(bytes)
    await new Promise((resolve) => response.write(bytes, resolve))
    return !response.destroyed
  },
  end: () => void response.end(),
  cut() {
    cutsOff()
    response.socket?.destroy()
  },
  writeRaw: (bytes) => void response.socket?.write(bytes),
})

/**
 * An OpenAI-compatible upstream that does what a test tells it: `upstream.next(script.cutAfterFirstToken())`. Without
 * being told, it answers correctly, streams when asked to, and knows /chat/completions and /embeddings.
 */
export const startFakeUpstream = async (test: { after(work: () => void): void }) => {
  const planned: Script[] = []
  const requests: ReceivedRequest[] = []
  const arrivals: (() => void)[] = []
  let usual: Script = script.answer()
  let connections = 0

  const server = createServer(async (incoming, response) => {
    let text = ''
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk
    let isCut = false
    const request: ReceivedRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: text === '' ? {} : JSON.parse(text),
      bytesWritten: 0,
      ended: new Promise((resolve) =>
        response.once('close', () => resolve(isCut ? 'cut' : response.writableFinished ? 'complete' : 'left')),
      ),
    }
    requests.push(request)
    for (const arrived of arrivals.splice(0)) arrived()
    const conversation = converse(request, response, () => {
      isCut = true
    })
    await (planned.shift() ?? usual)(conversation)
  })
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  test.after(stop)

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    /** How many connections were ever opened to it. */
    connections: () => connections,
    /** What happens to the next request, and to the one after it, ... */
    next: (...scripts: Script[]) => void planned.push(...scripts),
    /** What happens to requests that nothing was planned for. */
    usually(script: Script) {
      usual = script
    },
    /** The request with this number, as soon as it is here. */
    async request(index = 0): Promise<ReceivedRequest> {
      while (requests.length <= index) await new Promise<void>((resolve) => arrivals.push(resolve))
      return requests[index] as ReceivedRequest
    },
    /** From here on nobody listens: connections are refused. */
    stop,
  }
}
export type FakeUpstream = Awaited<ReturnType<typeof startFakeUpstream>>
