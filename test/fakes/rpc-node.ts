import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type FakeRpcCall = { method: string; params: unknown; id: unknown }

/** What a handler gives to be answered as `error` instead of `result`. */
export class FakeRpcError {
  constructor(
    readonly code: number,
    readonly message: string,
    readonly data?: unknown,
  ) {}
}

type Handler = (params: unknown, call: FakeRpcCall) => unknown

/** What is wrong with a node. Everything is as it should be until a test says otherwise. */
const noFaults = () => ({
  /** Only requests with a call of one of these methods; undefined is all. */
  only: undefined as ReadonlySet<string> | undefined,
  /** How many requests are still wrong. */
  times: Number.POSITIVE_INFINITY,
  /** Whether the calls take effect (and are counted in `handled`) though their answer is not as it should be. */
  takesEffect: false,
  delayMs: 0,
  /** No answer, until `release()`. */
  hang: false,
  /** The connection is cut before anything is said. */
  cutConnection: false,
  /** The answer ends in the middle, and the connection with it. */
  truncate: false,
  /** The answer ends in the middle, as if it were whole. */
  truncateText: false,
  /** Said with the right answer. */
  status: 200,
  /** 429 and no answer. */
  rateLimited: false,
  retryAfterSeconds: undefined as number | undefined,
  /** This status, and this text instead of an answer. */
  says: undefined as { status: number; text: string } | undefined,
  /** 200 and a page of HTML. */
  html: false,
  /** The answer has so many bytes more. */
  oversizeBytes: 0,
  /** Answers name another id. */
  wrongIds: false,
  noIds: false,
  /** Batches are not done: one error object, or a status. */
  refuseBatches: undefined as 'error' | 'status' | undefined,
  reverseBatch: false,
  /** From the end of a batch, so many items are not answered. */
  dropItems: 0,
  /** The first item of a batch is answered twice. */
  repeatItem: false,
})
export type FakeRpcFaults = ReturnType<typeof noFaults>

const notFound = new FakeRpcError(-32601, 'Method not found')
const hex = (number: number) => `0x${number.toString(16)}`

/** A JSON-RPC node that does what a test tells it, badly if wanted. Knows how far its chain is, and nothing else. */
export const startFakeRpcNode = async (test: { after(work: () => void): void }) => {
  const faults = noFaults()
  const chain = { head: 1_000 as number | undefined, finalized: 900 as number | undefined }
  const handlers = new Map<string, Handler>()
  const rawAnswers = new Map<string, string>()
  const calls: FakeRpcCall[] = []
  const handled: FakeRpcCall[] = []
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const hanging: (() => void)[] = []
  const waiting: { method: string; count: number; resolve(): void }[] = []
  let connections = 0
  let left = 0

  const block = (tag: unknown) => {
    const number = tag === 'finalized' ? chain.finalized : tag === 'latest' ? chain.head : Number(tag)
    if (number === undefined) return new FakeRpcError(-32602, 'invalid block tag')
    return number > (chain.head ?? 0)
      ? null
      : { number: hex(number), hash: `0x${number.toString(16).padStart(64, '0')}` }
  }
  const told = (number: number | undefined) => number ?? notFound
  handlers.set('eth_chainId', () => '0x1')
  handlers.set('eth_blockNumber', () => (chain.head === undefined ? notFound : hex(chain.head)))
  handlers.set('eth_getBlockByNumber', (params) => block((params as unknown[])[0]))
  handlers.set('getSlot', (params) => {
    const { commitment } = ((params as unknown[] | undefined)?.[0] ?? {}) as { commitment?: string }
    return told(commitment === 'finalized' ? chain.finalized : chain.head)
  })
  handlers.set('starknet_blockNumber', () => told(chain.head))

  const answerText = (call: FakeRpcCall): string => {
    handled.push(call)
    const id = faults.noIds ? '' : `"id":${JSON.stringify(faults.wrongIds && isWrong(call) ? 'other' : call.id)},`
    const raw = rawAnswers.get(call.method)
    if (raw !== undefined) return `{"jsonrpc":"2.0",${id}${raw}}`
    const value = (handlers.get(call.method) ?? (() => notFound))(call.params, call)
    const member = value instanceof FakeRpcError ? 'error' : 'result'
    return `{"jsonrpc":"2.0",${id}"${member}":${JSON.stringify(value)}}`
  }

  const isWrong = (call: FakeRpcCall) => faults.only?.has(call.method) ?? true
  const isFaulty = (asked: FakeRpcCall[]) => {
    if (faults.times <= 0 || !asked.some(isWrong)) return false
    faults.times -= 1
    return true
  }

  const batchText = (asked: FakeRpcCall[], isBad: boolean) => {
    const texts = asked.map(answerText)
    if (isBad && faults.dropItems > 0) texts.splice(-faults.dropItems)
    if (isBad && faults.repeatItem) texts.push(texts[0] as string)
    return `[${(isBad && faults.reverseBatch ? texts.reverse() : texts).join(',')}]`
  }

  const misbehave = async (asked: FakeRpcCall[], isBatch: boolean, response: ServerResponse): Promise<boolean> => {
    if (faults.delayMs > 0) await sleep(faults.delayMs)
    if (faults.hang) await new Promise<void>((resolve) => hanging.push(resolve))
    const refusal = isBatch ? faults.refuseBatches : undefined
    const says = faults.rateLimited
      ? { status: 429, text: 'Too many requests' }
      : faults.html
        ? { status: 200, text: '<!doctype html><p>Welcome' }
        : refusal === 'status'
          ? { status: 400, text: 'no batches' }
          : refusal === 'error'
            ? { status: 200, text: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}' }
            : faults.says
    if (!says && !faults.cutConnection) return false
    if (faults.takesEffect) for (const call of asked) answerText(call)
    if (says) {
      const after = faults.retryAfterSeconds
      response.writeHead(says.status, after === undefined ? {} : { 'retry-after': String(after) }).end(says.text)
    } else response.socket?.destroy()
    return true
  }

  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    const asked = JSON.parse(body.toString('utf8')) as FakeRpcCall | FakeRpcCall[]
    const isBatch = Array.isArray(asked)
    const all = isBatch ? asked : [asked]
    bodies.push(body.toString('latin1'))
    headers.push(incoming.headers)
    calls.push(...all)
    response.once('close', () => {
      if (!response.writableFinished) left += 1
    })
    tellArrivals()
    const isBad = isFaulty(all)
    if (isBad && (await misbehave(all, isBatch, response))) return
    const text = Buffer.from(isBatch ? batchText(all, isBad) : answerText(asked as FakeRpcCall), 'latin1')
    const padded =
      isBad && faults.oversizeBytes > 0 ? Buffer.concat([text, Buffer.alloc(faults.oversizeBytes, ' ')]) : text
    const whole = isBad && faults.truncateText ? padded.subarray(0, padded.length >> 1) : padded
    response.writeHead(isBad ? faults.status : 200, {
      'content-type': 'application/json',
      'content-length': whole.length,
    })
    if (!isBad || !faults.truncate) return response.end(whole)
    response.write(whole.subarray(0, whole.length >> 1), () => response.socket?.destroy())
  })
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  test.after(stop)

  const times = (method: string) => calls.reduce((sum, call) => sum + Number(call.method === method), 0)
  const tellArrivals = () => {
    for (const [place, { method, count, resolve }] of [...waiting.entries()].reverse())
      if (times(method) >= count) {
        waiting.splice(place, 1)
        resolve()
      }
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Change its members. */
    faults,
    /** How far it is: what `eth_blockNumber`, `getSlot` and the like say. Undefined: it does not know the method. */
    chain,
    /** Everything it was asked, in order. */
    calls,
    /** Of these, what took effect. */
    handled,
    /** The bytes of each request, as latin1. */
    bodies,
    /** Of each request. */
    headers,
    requests: () => bodies.length,
    connections: () => connections,
    /** How many requests ended before their answer was out. */
    left: () => left,
    /** How often it was asked this. */
    times,
    /** A value, or a function of the parameters; a `FakeRpcError` becomes `error`. */
    answer(method: string, value: unknown) {
      handlers.set(method, typeof value === 'function' ? (value as Handler) : () => value)
    },
    /** The bytes of `result`, as latin1. */
    rawResult: (method: string, text: string) => void rawAnswers.set(method, `"result":${text}`),
    rawError: (method: string, text: string) => void rawAnswers.set(method, `"error":${text}`),
    /** Everything after the id, such as `"result":1,"error":{}`. */
    rawMembers: (method: string, text: string) => void rawAnswers.set(method, text),
    /** Resolves once it was asked this so often. */
    async asked(method: string, count = 1): Promise<void> {
      if (times(method) < count) await new Promise<void>((resolve) => waiting.push({ method, count, resolve }))
    },
    /** No more faults; what hangs is answered. */
    recover() {
      Object.assign(faults, noFaults())
      for (const resume of hanging.splice(0)) resume()
    },
    /** What hangs goes on; the faults stay. */
    release() {
      for (const resume of hanging.splice(0)) resume()
    },
    /** From here on nobody listens: connections are refused. */
    stop,
  }
}
export type FakeRpcNode = Awaited<ReturnType<typeof startFakeRpcNode>>
