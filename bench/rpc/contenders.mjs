// Two nodes, and who stands between them and the load generator: nobody, a bare proxy, and we.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchOnce, forkServer, startService } from '../contenders.mjs'
import { fixed } from './questions.mjs'

const contenderNames = ['direct', 'undici', 'tessera']

const startNode = async (stage, module, { nodeArgs }) => {
  const { child, pid, origin, told } = await forkServer(stage, module, { nodeArgs })
  const countAsked = async () => {
    child.send({})
    const [{ asked }] = await once(child, 'message')
    return asked
  }
  return { pid, origin, countAsked, questions: told.questions }
}

const ask = (target, { body }) =>
  fetchOnce({
    url: target.url,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...target.headers },
    body,
  })

/** What the chain itself answers is what everybody must answer, byte for byte. */
const learnAnswers = async (target, questions) => {
  const learned = {}
  for (const [name, calls] of Object.entries(questions)) {
    const { status, body } = await ask(target, fixed(calls))
    const answers = [JSON.parse(body.toString())].flat()
    if (status !== 200 || answers.some(({ result }) => result === undefined))
      throw new Error(`The chain does not answer '${name}': ${body.toString().slice(0, 300)}`)
    learned[name] = fixed(
      calls,
      answers.map(({ result }) => JSON.stringify(result)),
    )
  }
  return learned
}

/** As in production: a key, a hold, a settlement and a log line for every request, and limits that nobody reaches. */
const serviceConfig = (nodes) => {
  const networks = Object.entries(nodes).map(([name, { origin }]) => [
    `${name}-node`,
    { family: 'evm', upstreams: [origin] },
  ])
  const limits = { requestsPerMinute: 100_000_000, creditsPerDay: 1_000_000_000_000 }
  // So cheap that the credit of the first account lasts.
  return `rpc: ${JSON.stringify({ networks: Object.fromEntries(networks), usdPerCredit: '0.00000001', ...limits })}\n`
}

const startTessera = async (stage, { nodes, nodeArgs }) => {
  const file = join(stage.folder(), 'tessera.yaml')
  writeFileSync(file, serviceConfig(nodes))
  const { pid, baseUrl, headers, dataFolder } = await startService(stage, { nodeArgs, env: { TESSERA_CONFIG: file } })
  const targets = Object.entries(nodes).map(([name, { countAsked }]) => [
    name,
    { pid, url: `${baseUrl}/crypto/rpc/${name}-node`, headers, countAsked },
  ])
  return { targets: Object.fromEntries(targets), dataFolder, keeps: true }
}

const keptWithinMs = 20_000

/** What is final is kept only when the service has learned how far the chain is. */
const untilKept = async (target, question) => {
  const untilMs = Date.now() + keptWithinMs
  for (;;) {
    const { status, headers, body } = await ask(target, question)
    if (status !== 200) throw new Error(`tessera does not work: ${status} ${body.toString().slice(0, 300)}`)
    const [, cache] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-svc-rpc-cache') ?? []
    if (cache === 'HIT') return
    if (Date.now() > untilMs) throw new Error(`tessera does not keep: ${question.body.slice(0, 300)}`)
    await sleep(100)
  }
}

/** Starts the nodes and those in front of them that are wanted. `kept` gives the questions that are to be kept. */
export const startContenders = async (stage, { only = contenderNames, nodeArgs, kept }) => {
  const unknown = only.find((name) => !contenderNames.includes(name))
  if (unknown !== undefined)
    throw new Error(`There is no contender '${unknown}'; there are: ${contenderNames.join(', ')}.`)
  const mock = await startNode(stage, 'rpc/mock-node.mjs', { nodeArgs })
  const chain = await startNode(stage, 'rpc/chain-node.mjs', { nodeArgs })
  const plain = ({ pid, origin, countAsked }) => ({ pid, url: `${origin}/`, countAsked })
  const questions = await learnAnswers(plain(chain), chain.questions)

  const contenders = []
  const take = (name, { targets, ...rest }) => {
    const { pid, url } = targets.mock
    contenders.push({ name, pid, request: { url }, targets, questions, ...rest })
  }
  take('direct', { targets: { mock: plain(mock), chain: plain(chain) } })
  if (only.includes('undici')) {
    const message = { origin: mock.origin }
    const { pid, origin } = await forkServer(stage, 'chat/pass-through.mjs', { nodeArgs, message })
    take('undici', { targets: { mock: { ...plain(mock), pid, url: `${origin}/` } } })
  }
  if (only.includes('tessera')) {
    const service = await startTessera(stage, { nodes: { mock, chain }, nodeArgs })
    take('tessera', service)
    for (const { node, questionOf } of kept) await untilKept(service.targets[node], questionOf(questions))
  }
  return { contenders, leftOut: [] }
}
