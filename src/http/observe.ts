import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client'

/** Measures and logs every request once it is answered: one line, without bodies, query values or credentials. */
export const observeRequests = (app: FastifyInstance, log: Logger, registry: Registry) => {
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

  app.addHook('onRequest', (_request, _reply, done) => {
    running++
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    running--
    const { method, id: requestId } = request
    // The pattern, not the path: paths hold ids, and a metric per id would grow without end.
    const route = request.routeOptions.url ?? 'unknown'
    const { statusCode: status, elapsedTime } = reply
    duration.observe({ method, route, status }, elapsedTime / 1000)
    log.info(
      { requestId, method, route, status, ms: Math.round(elapsedTime * 100) / 100, keyId: request.caller?.keyId },
      'request',
    )
    done()
  })
}
