import type { ServerResponse } from 'node:http'
import type { Outlet } from '#capabilities/text/outlet.js'
import { createStop, type StopSignal } from '#plumbing/stop-signal.js'
import type { Exchange } from './exchange.js'

/** Load balancers cut connections that are silent for a minute; a comment now and then keeps them open. */
const pingMs = 15_000
/** A caller who takes nothing for so long will not come back, and must not keep credit and a model busy. */
export const stalledMs = 60_000

const eventStream = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Proxies such as nginx would otherwise collect events before they pass them on.
  'x-accel-buffering': 'no',
}

/** Fires when the caller leaves before the answer is complete, or has left. */
export const departureOf = (response: ServerResponse): StopSignal => {
  const { signal, stop } = createStop()
  // The request's own `close` has fired long ago; only the response's tells that the connection is gone.
  whenClosed(response, () => {
    if (!response.writableFinished) stop()
  })
  return signal
}

/** Tells when the answer is out, or nobody waits for it any more; at once where that has happened. Perhaps twice. */
export const whenClosed = (response: ServerResponse, tell: () => void) => {
  if (response.closed) return tell()
  response.on('close', tell)
  onLostConnection(response, tell)
}

/** An answer that waits behind another one has no connection yet, and is not told when that is gone. */
const onLostConnection = (response: ServerResponse, tell: () => void) => {
  if (response.socket !== null) return
  const { socket } = response.req
  if (socket.destroyed) return tell()
  // As many as wait in line.
  socket.setMaxListeners(0).once('close', tell)
  response.once('close', () => socket.off('close', tell))
}

/** Sends an event stream over the connection of a request, as fast as the caller reads and no faster. */
export const createEventOutlet = (
  { response, begin: beginAnswer }: Pick<Exchange, 'response' | 'begin'>,
  signal: StopSignal,
): Outlet & { close(): void } => {
  let announced: Record<string, string> = {}
  let hasBegun = false
  const ping = setInterval(() => {
    if (!hasBegun) begin({})
    response.write(': ping\n\n')
  }, pingMs)

  const begin = (headers: Record<string, string>) => {
    if (hasBegun || signal.aborted) return
    hasBegun = true
    beginAnswer(200, { ...eventStream, ...announced, ...headers })
  }

  const drained = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => response.destroy(), stalledMs)
      const leave = () => {
        clearTimeout(timer)
        response.off('drain', go)
        reject(signal.reason)
      }
      const go = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        resolve()
      }
      if (signal.aborted) return leave()
      response.once('drain', go)
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
      return response.write(text) ? undefined : drained()
    },
    end(text) {
      clearInterval(ping)
      response.end(text)
    },
    /** Nothing more will be sent. */
    close: () => clearInterval(ping),
  }
}
