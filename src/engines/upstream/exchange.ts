import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { StopSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type { Troubles } from './trouble.js'

const errorBodyBytesMax = 64 * 1024
/** After the last event of a stream, its connection may take this long to end, and can then be used again. */
const lingerMs = 1000

type Needs = {
  dispatcher: Dispatcher
  request: Dispatcher.DispatchOptions
  signal: StopSignal
  troubles: Troubles
  totalMs: number
  /** Only where bytes are expected to come steadily. */
  silence?: { firstByteMs: number; betweenMs: number }
  isExpected(contentType: string): boolean
  onData(bytes: Buffer): void
  onEnd(): void
  /** Told at most once, and instead of `onEnd`. */
  onFailure(error: unknown): void
}

export type Exchange = {
  /** Ends it and closes the connection. */
  fail(error: unknown): void
  /** All that was wanted has come. The connection may end in its own time, but not in any time. */
  linger(): void
  /** While paused, the upstream is held back by TCP and its silence is not counted. */
  pause(): void
  resume(): void
}

/** One request and its answer, with everything that can end it early: time, the caller, the upstream. */
export const startExchange = (needs: Needs): Exchange => {
  const { signal, troubles, silence, totalMs } = needs
  let controller: Dispatcher.DispatchController | undefined
  let isOver = false
  let hasStarted = false
  let hasData = false
  let status = 0
  let headers: IncomingHttpHeaders = {}
  const errorBody: Buffer[] = []
  let errorBodyBytes = 0
  let lingering: NodeJS.Timeout | undefined

  const abortWith = () => fail(signal.reason)
  const end = () => {
    isOver = true
    clearTimeout(totalTimer)
    clearTimeout(silenceTimer)
    signal.removeEventListener('abort', abortWith)
  }
  const fail = (error: unknown) => {
    if (isOver) return
    end()
    // Without a controller it still waits for its connection, and is aborted when it has one.
    controller?.abort(new Error('no longer wanted'))
    needs.onFailure(error)
  }
  const late = (ms: number | undefined) => fail(new EngineError('timeout', `the upstream was silent for ${ms} ms`))

  const totalTimer = setTimeout(
    () => fail(new EngineError('timeout', `the upstream was not finished after ${totalMs} ms`)),
    totalMs,
  )
  let silenceTimer = silence && setTimeout(late, silence.firstByteMs, silence.firstByteMs)
  const hear = () => {
    if (silence === undefined) return
    if (hasData) return void silenceTimer?.refresh()
    hasData = true
    clearTimeout(silenceTimer)
    silenceTimer = setTimeout(late, silence.betweenMs, silence.betweenMs)
  }

  const failWithAnswer = () => fail(troubles.fromAnswer(status, headers, Buffer.concat(errorBody).toString('utf8')))
  const collectError = (bytes: Buffer) => {
    errorBody.push(bytes.subarray(0, errorBodyBytesMax - errorBodyBytes))
    errorBodyBytes += bytes.length
    if (errorBodyBytes > errorBodyBytesMax) failWithAnswer()
  }
  const isGood = () => status >= 200 && status < 300

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      if (isOver) started.abort(new Error('no longer wanted'))
    },
    onResponseStart(_, statusCode, answerHeaders) {
      if (isOver || statusCode < 200) return
      hasStarted = true
      status = statusCode
      headers = answerHeaders
      const contentType = String(answerHeaders['content-type'] ?? '')
      if (isGood() && !needs.isExpected(contentType.toLowerCase()))
        fail(new EngineError('broken', `the upstream answered ${status} with an unexpected content type`))
    },
    onResponseData(_, bytes) {
      if (isOver) return
      hear()
      if (isGood()) needs.onData(bytes)
      else collectError(bytes)
    },
    onResponseEnd() {
      clearTimeout(lingering)
      if (isOver) return
      if (!isGood()) return failWithAnswer()
      end()
      needs.onEnd()
    },
    onResponseError(_, error) {
      clearTimeout(lingering)
      fail(troubles.fromConnection(error, hasStarted))
    },
  }

  const exchange: Exchange = {
    fail,
    linger() {
      if (isOver) return
      end()
      lingering = setTimeout(() => controller?.abort(new Error('no longer wanted')), lingerMs).unref()
    },
    pause() {
      controller?.pause()
      clearTimeout(silenceTimer)
    },
    resume() {
      if (isOver) return
      if (silence) silenceTimer = setTimeout(late, silence.betweenMs, silence.betweenMs)
      controller?.resume()
    },
  }

  if (signal.aborted) fail(signal.reason)
  else {
    signal.addEventListener('abort', abortWith, { once: true })
    needs.dispatcher.dispatch(needs.request, handler)
  }
  return exchange
}
