// A blockchain node that has nothing to work: it answers at once, at the least cost that node:http allows. Started by a
// scenario, which gets the port as a message and asks how many calls have arrived.
import { createServer } from 'node:http'
import { balanceOf, finalBlock } from './questions.mjs'

let asked = 0

const block = (number) => ({ number: `0x${number.toString(16)}`, hash: `0x${number.toString(16).padStart(64, '0')}` })
const head = { latest: block(finalBlock + 64), safe: block(finalBlock), finalized: block(finalBlock) }

/** Whoever stands in front asks how far the chain is, too; that is not counted. */
const resultOf = ({ method, params }) => {
  if (method === 'eth_blockNumber') return head.latest.number
  if (method === 'eth_getBlockByNumber') return head[params[0]] ?? null
  if (method === 'eth_chainId') return '0x1'
  asked++
  return balanceOf(params[0])
}

const answer = (call) => `{"jsonrpc":"2.0","id":${call.id},"result":${JSON.stringify(resultOf(call))}}`

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('latin1')
  request.on('data', (part) => {
    body += part
  })
  request.on('end', () => {
    const calls = JSON.parse(body)
    const text = Array.isArray(calls) ? `[${calls.map(answer).join(',')}]` : answer(calls)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
    response.end(text)
  })
})
// Longer than any pause of the bench, so that no contender meets a connection that is just being closed.
server.keepAliveTimeout = 600_000
server.requestTimeout = 0
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => process.send({ port: server.address().port }))

process.on('message', () => process.send({ asked }))
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
