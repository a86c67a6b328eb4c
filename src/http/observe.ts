import type { ServerResponse } from 'node:http'
import { collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client'
import { isoNow } from '#plumbing/iso-now.js'
import { whenClosed } from './event-outlet.js'

/** What is known about a request once it is answered. */
export type Answered = {
  requestId: string
  method: string
  /** The pattern, not the path: paths hold ids, and a metric per id would grow without end. */
  route: string
  status: number
  ms: number
  keyId: string | undefined
}

/** A request from its beginning until it is answered, or its caller has left. */
export type Watched = Pick<Answered, 'requestId' | 'method' | 'route'> & {
  response: ServerResponse
  startedMs: number
  /** Asked at the end, when it is known. */
  keyId(): string | undefined
}

export type Observer = {
  watch(request: Watched): void
  answered(request: Answered): void
}

/** What proxies write into their logs for a client that left before its answer was complete. */
const statusOfLeft = 499

type Needs = {
  registry: Registry
  /** Takes finished log lines; undefined where requests are not logged. */
  writeLine: ((line: string) => void) | undefined
}

/** Measures and logs every request once it is answered: one line, without bodies, query values or credentials. */
export const createObserver = ({ registry, writeLine }: Needs): Observer => {
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'tessera_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100],
    registers: [registry],
  })
  let running = 0
  new Gauge({
    name: 'tessera_http_requests_running',
    help: 'Requests that are being answered now',
    registers: [registry],
    collect() {
      this.set(running)
    },
  })

  const answered = ({ requestId, method, route, status, ms, keyId }: Answered) => {
    duration.observe({ method, route, status }, ms / 1000)
    // Written by hand, because a logger costs as much as the rest of the request. Every value is ours and safe.
    writeLine?.(
      `{"level":"info","time":"${isoNow()}","requestId":"${requestId}","method":"${method}","route":"${route}","status":${status},"ms":${Math.round(ms * 100) / 100}${keyId === undefined ? '' : `,"keyId":"${keyId}"`},"msg":"request"}\n`,
    )
  }

  return {
    answered,
    watch({ response, requestId, method, route, startedMs, keyId }) {
      running++
      let isOver = false
      const over = () => {
        if (isOver) return
        isOver = true
        running--
        const status = response.writableFinished ? response.statusCode : statusOfLeft
        answered({ requestId, method, route, status, ms: performance.now() - startedMs, keyId: keyId() })
      }
      // The framework's own hook does not run for callers who leave.
      whenClosed(response, over)
    },
  }
}
