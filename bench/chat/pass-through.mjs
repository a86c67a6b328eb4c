// The least that a proxy on node:http and undici can do: it looks at nothing and passes everything on. Started by a
// scenario, which sends the upstream's origin as a message and gets the port back.
import { createServer } from 'node:http'
import { Pool } from 'undici'

/** Those of one connection, which a proxy must not pass on. */
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host'])
const passedOn = (headers) => {
  const passed = {}
  for (const name in headers) if (!hopByHop.has(name)) passed[name] = headers[name]
  return passed
}

const relayTo = (response) => ({
  onRequestStart(controller) {
    response.once('close', () => {
      if (!response.writableFinished) controller.abort(new Error('The caller has left.'))
    })
  },
  onResponseStart(_controller, status, headers) {
    response.writeHead(status, passedOn(headers))
  },
  onResponseData(controller, bytes) {
    if (response.write(bytes)) return
    controller.pause()
    response.once('drain', () => controller.resume())
  },
  onResponseEnd: () => response.end(),
  onResponseError: () => response.destroy(),
})

process.once('message', ({ origin }) => {
  const upstream = new Pool(origin, { keepAliveTimeout: 300_000, bodyTimeout: 0, headersTimeout: 0 })
  const server = createServer((request, response) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const body = parts.length === 1 ? parts[0] : Buffer.concat(parts)
      const { method, url: path, headers } = request
      upstream.dispatch({ method, path, headers: passedOn(headers), body }, relayTo(response))
    })
  })
  server.keepAliveTimeout = 600_000
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => process.send({ port: server.address().port }))
})
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
