import { setTimeout as wait } from 'node:timers/promises'
import { type Dispatcher, errors, request } from 'undici'
import type { Journal } from './paid-journal.js'
import type { PaidProcess } from './paid-processes.js'
import { createRandom, type Random } from './random.js'

/** Moments at which a fault hurts most: a settlement is running, or has just been committed. */
export type Moment = 'all but the last event' | 'the head of an answer'

type Needs = {
  processes: readonly PaidProcess[]
  payers: readonly { accountId: string; key: string }[]
  journal: Journal
  dispatcher: Dispatcher
  seed: number
  clients?: number
  onMoment?: (moment: Moment, process: PaidProcess) => void
}

export type Load = {
  inFlight(process: PaidProcess): number
  /** No new requests; those that run come to their end, and retries go on until they got their answer. */
  stop(): Promise<void>
}

/** Longer than a settlement waits for a database that is away. */
const patienceMs = 60_000
/** After anything but an answer: who is away refuses at once, and asking all the time would only heat the machine. */
const pauseMs = 60

// No two requests of a test ask for the same quantity, so the books tell them apart even when no answer arrived.
let quantities = 1_000

/** Callers of every kind, who write down what they were given: see Journal. */
export const startLoad = (needs: Needs): Load => {
  const { processes, clients = 12, seed } = needs
  const running = new Map<PaidProcess, number>(processes.map((process) => [process, 0]))
  const state = { isStopping: false, running }
  const all = Array.from({ length: clients }, (_, index) => runClient(needs, state, createRandom(seed * 1_000 + index)))
  return {
    inFlight: (process) => running.get(process) ?? 0,
    async stop() {
      state.isStopping = true
      await Promise.all(all)
    },
  }
}

type State = { isStopping: boolean; running: Map<PaidProcess, number> }

const runClient = async (needs: Needs, state: State, random: Random) => {
  const { journal } = needs
  const payer = random.pick(needs.payers)
  const send = createSend(needs, state, payer.key, random)

  const note = (answer: Answer | undefined, asked: { quantity?: number; isFailing?: boolean } = {}): boolean => {
    if (!answer) return false
    if (answer.status !== 200) {
      const isExpected = /"(SERVICE_UNAVAILABLE|IDEMPOTENCY_KEY_IN_USE)"/.test(answer.text)
      const isFailure = asked.isFailing && answer.status === 500
      if (!isExpected && !isFailure && answer.isWhole) journal.surprises.push(`${answer.status} ${answer.text}`)
      return false
    }
    const bill = readBill(answer)
    if (!bill) return false
    journal.delivered.push({ accountId: payer.accountId, quantity: asked.quantity, text: answer.text, ...bill })
    return true
  }

  const whole = async (signal?: AbortSignal) => {
    const quantity = ++quantities
    note(await send('/test/paid', { body: { quantity, delayMs: random.below(30) }, signal }), { quantity })
  }

  /** Tries until it has an answer, sometimes twice at once, and sometimes once more to be sure. */
  const retried = async () => {
    const quantity = ++quantities
    const body = { quantity, delayMs: random.below(30) }
    const headers = { 'idempotency-key': `order ${quantity}` }
    const tryOnce = async () => note(await send('/test/paid', { body, headers }), { quantity })
    const deadlineMs = performance.now() + patienceMs
    const isTwin = random.chance(0.3)
    while (!(await Promise.all(isTwin ? [tryOnce(), tryOnce()] : [tryOnce()])).includes(true))
      if (performance.now() > deadlineMs) {
        journal.surprises.push(`${quantity} never got its answer`)
        return
      }
    if (random.chance(0.3)) await tryOnce()
  }

  /** Several at once: what runs at the same time is paid together. */
  const tabbed = async (signal?: AbortSignal) => {
    const one = async () => {
      const units = 1 + random.below(50)
      const body = {
        quantity: units,
        worst: units + random.below(50),
        delayMs: random.below(20),
        fails: random.chance(0.1),
      }
      const answer = await send('/test/tab', { body, signal })
      const isDelivered = answer?.status === 200 && answer.text.endsWith('"isWhole":true}')
      if (isDelivered) journal.tabbed.push({ accountId: payer.accountId, requestId: answer.requestId, units })
      else if (answer?.status !== 200) note(answer, { isFailing: body.fails })
    }
    await Promise.all(Array.from({ length: 1 + random.below(6) }, one))
  }

  const stream = async (signal?: AbortSignal) => {
    const events = 1 + random.below(20)
    const body = { events, step: 1 + random.below(8), pauseMs: random.below(4) }
    note(await send('/test/stream', { body, events, signal }))
  }

  const failing = async () => {
    const quantity = ++quantities
    journal.failing.push(quantity)
    const [path, body] = random.chance(0.5)
      ? ['/test/paid', { quantity, delayMs: random.below(20), fails: true }]
      : ['/test/stream', { events: 9, step: 3, failsAfter: random.below(9) }]
    note(await send(path, { body }), { quantity, isFailing: true })
  }

  const leaving = () => random.pick([whole, tabbed, stream])(AbortSignal.timeout(1 + random.below(40)))

  const kinds = [whole, whole, retried, retried, tabbed, tabbed, stream, stream, failing, leaving]
  while (!state.isStopping) await random.pick(kinds)()
}

type Answer = { status: number; requestId: string; text: string; isWhole: boolean }
type Sent = {
  body: object
  headers?: Record<string, string>
  /** How many events come before the last one. */
  events?: number
  signal?: AbortSignal | undefined
}

const createSend = ({ processes, journal, dispatcher, onMoment }: Needs, state: State, key: string, random: Random) => {
  const count = (process: PaidProcess, change: number) =>
    state.running.set(process, (state.running.get(process) ?? 0) + change)

  /** What arrived; undefined when that is nothing. */
  return async (path: string, { body, headers, events, signal }: Sent): Promise<Answer | undefined> => {
    const process = random.pick(processes)
    let answer: Answer | undefined
    journal.sent++
    count(process, 1)
    try {
      const response = await request(`${process.url}${path}`, {
        dispatcher,
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: signal ?? null,
        headersTimeout: patienceMs,
        bodyTimeout: patienceMs,
      })
      const requestId = String(response.headers['x-request-id'])
      answer = { status: response.statusCode, requestId, text: '', isWhole: false }
      if (events === undefined) onMoment?.('the head of an answer', process)
      for await (const chunk of response.body) {
        answer.text += chunk
        if (answer.text.split('data: ').length - 1 === events) onMoment?.('all but the last event', process)
      }
      answer.isWhole = true
    } catch (error) {
      // The connection broke, or we left. What arrived until then may still be a whole answer.
      if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
        journal.surprises.push(`${path} was silent for ${patienceMs} ms`)
    }
    count(process, -1)
    if (answer?.status !== 200) await wait(pauseMs)
    return answer
  }
}

/** What an answer says that it cost; undefined when its end is missing. */
const readBill = ({ requestId, text }: Answer) => {
  const isStream = text.startsWith('data:')
  const last = isStream ? /data: (.*)\n\ndata: \[DONE\]\n\n$/.exec(text)?.[1] : text.endsWith('}}') ? text : undefined
  if (last === undefined) return undefined
  const { id = requestId, cost } = JSON.parse(last) as { id?: string; cost: { usd: string; diem: string } }
  return { requestId: id, usd: BigInt(cost.usd), diem: BigInt(cost.diem) }
}
