import { Pool } from 'undici'
import type { Clock } from '#plumbing/clock.js'
import type { Room } from '#plumbing/room.js'
import { type Breaker, createBreaker, usualBreaker } from '../routing/breaker.js'
import { Exchange, type HttpAnswer } from './exchange.js'
import { createHealth, type Health } from './health.js'
import { judgeError, readError } from './judge-error.js'
import type { Family, JsonText, NodeAnswer } from './node.js'
import { NodeFault } from './node-fault.js'
import { isUnreadable, readAnswer, readBatchAnswer } from './read-answer.js'

/** Enough for a thousand calls a second that take 100 ms each; more would wait in line. */
const connectionsMax = 128
const connectTimeoutMs = 5_000
/** A node that refused a batch is asked one by one, so many at once, and for so long. */
const singlesAtOnceMax = 8
const noBatchesMs = 10 * 60_000

export type Upstream = { url: string; headers?: Record<string, string> | undefined }
export type Question = { method: string; params: JsonText | undefined }
/** What came of one question, or why nothing came. */
export type Said = NodeAnswer | NodeFault
export type Asking = { abort(): void }
type OnSaid = (place: number, said: Said) => void

export type HttpNode = {
  /** Its host and no more: paths and queries often hold a secret. */
  readonly name: string
  readonly breaker: Breaker
  readonly health: Health
  /** Others are asked first until then. */
  avoidedUntilMs: number
  /** Methods that it does not have, and until when that is believed. */
  readonly lacking: Map<string, number>
  /** How far it is, as it told last. */
  latest: number | undefined
  /** The newest block that its answers showed. */
  shown: number | undefined
  finalized: number | undefined
  ask(question: Question, onSaid: (said: Said) => void): Asking
  /** As a batch if it does them and nothing speaks against it. Each is told once, as soon as it is known, unless aborted. */
  askAll(questions: readonly Question[], isOneByOne: boolean, onSaid: OnSaid): Asking
  close(): Promise<void>
}

type Needs = {
  name: string
  family: Family
  upstream: Upstream
  answerBytesMax: number
  room: Room
  clock: Clock
}

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const createHttpNode = ({ name, family, upstream, answerBytesMax, room, clock }: Needs): HttpNode => {
  const { origin, pathname, search, username, password } = new URL(upstream.url)
  const basic = Buffer.from(`${unescaped(username)}:${unescaped(password)}`).toString('base64')
  const headers = [
    // Without the third, everything that HTTP can pack might come.
    ...['accept', 'application/json', 'content-type', 'application/json', 'accept-encoding', 'identity'],
    ...(username === '' && password === '' ? [] : ['authorization', `Basic ${basic}`]),
    ...Object.entries(upstream.headers ?? {}).flat(),
  ]
  const dispatcher = new Pool(origin, {
    connections: connectionsMax,
    pipelining: 1,
    connectTimeout: connectTimeoutMs,
    // Whoever asks bounds the time of the whole.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const path = `${pathname}${search}`
  let lastId = 0
  let noBatchesUntilMs = 0

  const takeIds = (count: number): number => {
    const first = lastId + 1
    lastId = first + count > 1e9 ? 0 : first + count - 1
    return first
  }

  const textOf = (id: number, { method, params }: Question): JsonText =>
    params === undefined
      ? `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}}`
      : `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`

  const post = (text: JsonText, onEnd: (outcome: HttpAnswer | NodeFault) => void): Exchange =>
    new Exchange({
      dispatcher,
      request: { method: 'POST', path, headers, body: Buffer.from(text, 'latin1') },
      answerBytesMax,
      room,
      clock,
      onEnd,
    })

  const ask: HttpNode['ask'] = (question, onSaid) => {
    const id = takeIds(1)
    return post(textOf(id, question), (outcome) =>
      onSaid(outcome instanceof NodeFault ? outcome : readAnswer(outcome, id)),
    )
  }

  const askOneByOne = (questions: readonly Question[], onSaid: OnSaid): Asking => {
    const running = new Set<Asking>()
    let next = 0
    const start = () => {
      const place = next++
      const question = questions[place]
      if (question === undefined) return
      let isOver = false
      // Told at once where it is closed already, before there is anything to take out.
      let asking: Asking | undefined
      asking = ask(question, (said) => {
        isOver = true
        if (asking) running.delete(asking)
        onSaid(place, said)
        start()
      })
      if (!isOver) running.add(asking)
    }
    for (let lane = 0; lane < singlesAtOnceMax; lane++) start()
    return {
      abort() {
        next = questions.length
        for (const asking of running) asking.abort()
      },
    }
  }

  const askBatch = (questions: readonly Question[], onSaid: OnSaid): Asking => {
    const firstId = takeIds(questions.length)
    let asking: Asking
    const sayToAll = (said: Said) => {
      for (let place = 0; place < questions.length; place++) onSaid(place, said)
    }
    asking = post(`[${questions.map((question, place) => textOf(firstId + place, question)).join()}]`, (outcome) => {
      const told = outcome instanceof NodeFault ? outcome : readBatchAnswer(outcome, firstId, questions.length)
      if (Array.isArray(told)) for (const [place, said] of told.entries()) onSaid(place, said)
      else if (!(told instanceof NodeFault)) {
        if (judgeError(family, readError(told.refused)) === 'busy')
          return sayToAll(new NodeFault('overloaded', 'it has too many calls', { mayBeTaken: false }))
        if (!isUnreadable(told.refused)) noBatchesUntilMs = clock.nowMs() + noBatchesMs
        asking = askOneByOne(questions, onSaid)
      }
      // Together they are too large; each of them may not be.
      else if (told.trouble === 'tooLarge') asking = askOneByOne(questions, onSaid)
      else sayToAll(told)
    })
    return { abort: () => asking.abort() }
  }

  return {
    name,
    breaker: createBreaker({ clock, settings: usualBreaker }),
    health: createHealth(),
    avoidedUntilMs: 0,
    lacking: new Map(),
    latest: undefined,
    shown: undefined,
    finalized: undefined,
    ask,
    askAll(questions, isOneByOne, onSaid) {
      const isSingle = questions.length === 1 || isOneByOne || noBatchesUntilMs > clock.nowMs()
      return (isSingle ? askOneByOne : askBatch)(questions, onSaid)
    },
    close: () => dispatcher.destroy(),
  }
}
