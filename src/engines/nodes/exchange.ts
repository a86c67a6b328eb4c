import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Clock } from '#plumbing/clock.js'
import { Place, type Room } from '#plumbing/room.js'
import type { JsonText } from './node.js'
import { NodeFault } from './node-fault.js'

export type HttpAnswer = { status: number; text: JsonText; retryAfterMs: number | undefined }

type Needs = {
  dispatcher: Dispatcher
  request: Dispatcher.DispatchOptions
  answerBytesMax: number
  room: Room
  clock: Clock
  /** Told once, unless it is aborted. */
  onEnd(outcome: HttpAnswer | NodeFault): void
}

const noLongerWanted = new Error('no longer wanted')

/** One POST and its answer. A class, because there is one for every call and its functions are the same. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #needs: Needs
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  readonly #parts: Buffer[] = []
  readonly #place: Place

  constructor(needs: Needs) {
    this.#needs = needs
    this.#place = new Place(needs.room)
    needs.dispatcher.dispatch(needs.request, this)
  }

  abort() {
    if (this.#isOver) return
    this.#isOver = true
    this.#place.leave()
    // Without a controller it still waits for its connection, and is aborted when it has one.
    this.#controller?.abort(noLongerWanted)
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#isOver) controller.abort(noLongerWanted)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders) {
    if (this.#isOver || status < 200) return
    this.#status = status
    this.#headers = headers
    if (Number(headers['content-length'] ?? 0) > this.#needs.answerBytesMax) this.#tooLarge()
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer) {
    if (this.#isOver) return
    const hasRoom = this.#place.grow(bytes.length)
    if (this.#place.bytes > this.#needs.answerBytesMax) this.#tooLarge()
    else if (!hasRoom) this.#refuse('noRoom', 'there is no room for another large answer')
    else this.#parts.push(bytes)
  }

  onResponseEnd() {
    if (this.#isOver) return
    const bytes = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts)
    this.#end({
      status: this.#status,
      // What is not UTF-8 is not JSON either, and must not be passed on as such.
      text: isUtf8(bytes) ? bytes.toString('latin1') : '',
      retryAfterMs: this.#retryAfterMs(),
    })
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error & { code?: string }) {
    if (this.#isOver) return
    const { code = error.name } = error
    // The error itself is not kept as a cause: that of the HTTP parser carries what was received.
    const wasSent = this.#controller !== undefined
    const hasAnswered = this.#status > 0
    this.#end(
      hasAnswered
        ? new NodeFault('broken', `its answer ended in the middle (${code})`, { mayBeTaken: true, isPassing: true })
        : new NodeFault(
            code === 'UND_ERR_CONNECT_TIMEOUT' ? 'timeout' : 'unreachable',
            wasSent ? `the connection was lost (${code})` : `no connection (${code})`,
            { mayBeTaken: wasSent, isPassing: true },
          ),
    )
  }

  #end(outcome: HttpAnswer | NodeFault) {
    this.#isOver = true
    this.#place.leave()
    this.#needs.onEnd(outcome)
  }

  #tooLarge() {
    this.#refuse('tooLarge', `its answer is larger than ${this.#needs.answerBytesMax} bytes`)
  }

  /** It is not the node's fault that we do not take it. */
  #refuse(trouble: 'tooLarge' | 'noRoom', message: string) {
    this.abort()
    this.#needs.onEnd(new NodeFault(trouble, message, { mayBeTaken: true, isOfNode: false }))
  }

  #retryAfterMs(): number | undefined {
    const after = this.#headers['retry-after']
    if (after === undefined) return undefined
    const seconds = Number(after)
    const ms = Number.isNaN(seconds) ? Date.parse(after) - this.#needs.clock.nowMs() : seconds * 1000
    return Number.isNaN(ms) ? undefined : Math.max(0, ms)
  }
}
