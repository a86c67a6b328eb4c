// The least that node:http can do: one answer, prepared beforehand, to whatever is asked. Started by a scenario, which
// sends the answer as a message and gets the port back.
import { createServer } from 'node:http'

process.once('message', ({ status, headers, body, keepAliveTimeoutMs }) => {
  const bytes = Buffer.from(body, 'base64')
  const server = createServer((_request, response) => {
    response.writeHead(status, headers)
    response.end(bytes)
  })
  server.keepAliveTimeout = keepAliveTimeoutMs
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
})
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
