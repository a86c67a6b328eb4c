// The inference server behind every contender: OpenAI's chat, whole and as a stream, at the least cost that node:http
// allows. Started by a scenario, which gets the port as a message, sets the pace of streams, and asks how many requests
// have arrived.
import { createServer } from 'node:http'
import { chatAnswer, promptTokens } from './talk.mjs'

let pace = { chunks: 100, intervalMs: 0 }
let reached = 0

const answer = Buffer.from(JSON.stringify(chatAnswer))
const answerHeaders = { 'content-type': 'application/json', 'content-length': answer.length }
const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }

const event = (rest) =>
  `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench-chat",${rest}}\n\n`
const [chunkStart, chunkEnd] = event(
  '"choices":[{"index":0,"delta":{"content":"@STAMP "},"logprobs":null,"finish_reason":null}]',
).split('STAMP')
const finish = event('"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]')
const usageOf = (tokens) =>
  event(
    `"choices":[],"usage":{"prompt_tokens":${promptTokens},"completion_tokens":${tokens},"total_tokens":${promptTokens + tokens}}`,
  )

/** The monotonic clock is one for all processes of a machine, so whoever reads this knows how long it was under way. */
const chunk = () => chunkStart + (process.hrtime.bigint() / 1000n).toString() + chunkEnd

// One timer for all streams: as inference servers do, which compute the next token of all of them in one step.
const paced = new Set()
let timer
const runPaced = (step, intervalMs) => {
  paced.add(step)
  timer ??= setInterval(() => {
    for (const each of paced) if (each() === 'over') paced.delete(each)
    if (paced.size > 0) return
    clearInterval(timer)
    timer = undefined
  }, intervalMs)
}

const stream = (response, isUsageWanted) => {
  let isGone = false
  let sent = 0
  response.on('close', () => {
    isGone = true
  })
  const step = () => {
    if (isGone) return 'over'
    if (sent < pace.chunks) {
      sent++
      response.write(chunk())
      return 'going on'
    }
    response.end(`${finish}${isUsageWanted ? usageOf(sent) : ''}data: [DONE]\n\n`)
    return 'over'
  }
  const runFlatOut = () => {
    if (step() !== 'over') setImmediate(runFlatOut)
  }
  response.writeHead(200, streamHeaders)
  if (pace.intervalMs === 0) return runFlatOut()
  step()
  runPaced(step, pace.intervalMs)
}

const reply = (request, response, body) => {
  if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end()
  reached++
  if (/"stream"\s*:\s*true/.test(body)) return stream(response, /"include_usage"\s*:\s*true/.test(body))
  response.writeHead(200, answerHeaders)
  response.end(answer)
}

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('latin1')
  request.on('data', (part) => {
    body += part
  })
  request.on('end', () => reply(request, response, body))
})
// Longer than any pause of the bench, so that no contender meets a connection that is just being closed.
server.keepAliveTimeout = 600_000
server.requestTimeout = 0
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => process.send({ port: server.address().port }))

process.on('message', (wanted) => {
  pace = { ...pace, ...wanted.pace }
  process.send({ reached })
})
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
