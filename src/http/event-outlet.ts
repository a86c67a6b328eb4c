import type { FastifyReply } from 'fastify'
import type { Outlet } from '#capabilities/text/outlet.js'
import { createStop, type StopSignal } from '#plumbing/stop-signal.js'

/** Load balancers cut connections that are silent for a minute; a comment now and then keeps them open. */
const pingMs = 15_000
/** A caller who takes nothing for so long will not come back, and must not keep credit and a model busy. */
const stalledMs = 60_000

const eventStream = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Proxies such as nginx would otherwise collect events before they pass them on.
  'x-accel-buffering': 'no',
}

/** Fires when the caller leaves before the answer is complete. */
export const departureOf = (reply: FastifyReply): StopSignal => {
  const { signal, stop } = createStop()
  // The request's own `close` has fired long ago; only the response's tells that the connection is gone.
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) stop()
  })
  return signal
}

/** Sends an event stream over the connection of a request, as fast as the caller reads and no faster. */
export const createEventOutlet = (reply: FastifyReply, signal: StopSignal): Outlet & { close(): void } => {
  const { raw } = reply
  let announced: Record<string, string> = {}
  let hasBegun = false
  const ping = setInterval(() => {
    if (!hasBegun) begin({})
    raw.write(': ping\n\n')
  }, pingMs)

  const begin = (headers: Record<string, string>) => {
    if (hasBegun || signal.aborted) return
    hasBegun = true
    reply.hijack()
    const usual = reply.getHeaders() as Record<string, string>
    raw.writeHead(200, { ...usual, ...eventStream, ...announced, ...headers })
  }

  const drained = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => raw.destroy(), stalledMs)
      const leave = () => {
        clearTimeout(timer)
        raw.off('drain', go)
        reject(signal.reason)
      }
      const go = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        resolve()
      }
      if (signal.aborted) return leave()
      raw.once('drain', go)
      signal.addEventListener('abort', leave)
    })

  return {
    signal,
    get hasBegun() {
      return hasBegun
    },
    announce(headers) {
      announced = headers
    },
    begin,
    write(text) {
      ping.refresh()
      return raw.write(text) ? undefined : drained()
    },
    end(text) {
      clearInterval(ping)
      raw.end(text)
    },
    /** Nothing more will be sent. */
    close: () => clearInterval(ping),
  }
}
