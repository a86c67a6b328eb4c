// The cheapest useful request, so what it costs beyond bare node:http is what the floor of the service costs.
import { fetchOnce, startBareServer, startService } from '../contenders.mjs'
import { measureAnswers } from '../load.mjs'
import { reportAnswers } from '../report.mjs'

export const name = 'models'
export const title = 'GET /models'
export const loads = [
  { name: 'many', measure: measureAnswers, connections: 32, requests: 4_000 },
  { name: 'one', measure: measureAnswers, connections: 1, requests: 400 },
]
/** A server that has answered fewer still gets cheaper from slice to slice: 5,000 were seen to be too few for Node. */
export const warmUp = { ...loads[0], requests: 12_000 }

const reference = 'bare node:http'

/** The goal: the CPU of GET /models, as a multiple of a bare server's that answers the same bytes. */
const cpuRatioMax = 1.6

export const start = async (stage, options) => {
  const service = await startService(stage, options)
  const path = '/models?type=all'
  const url = service.baseUrl + path
  const answer = await fetchOnce({ url })
  if (answer.status !== 200) throw new Error(`GET ${url} answered ${answer.status}: ${answer.body}`)
  const bare = await startBareServer(stage, answer, options)
  await proveSame(answer, await fetchOnce({ url: bare.baseUrl + path }))

  const expected = { status: 200, length: answer.body.length }
  const contenders = [
    { name: reference, pid: bare.pid, request: { url: bare.baseUrl + path }, expected },
    { name: 'without key', pid: service.pid, request: { url }, expected, cpuRatioMax },
    { name: 'with key', pid: service.pid, request: { url, headers: service.headers }, expected, cpuRatioMax },
  ]
  return { contenders }
}

export const report = (measured) => reportAnswers({ title, reference, loads, ...measured })

const proveSame = (ours, bare) => {
  const shape = ({ status, headers }) =>
    Object.entries(headers)
      .map(([name, value]) => `${status} ${name}: ${value.length} characters`)
      .join('\n')
  if (shape(ours) !== shape(bare) || !ours.body.equals(bare.body))
    throw new Error(`The bare server answers something else.\nOurs:\n${shape(ours)}\nBare:\n${shape(bare)}`)
}
