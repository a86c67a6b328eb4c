// The cheapest useful request, so what it costs beyond bare node:http is what the floor of the service costs.
import { fetchOnce, startBareServer, startService } from '../contenders.mjs'

export const name = 'models'
export const title = 'GET /models'
export const reference = 'bare node:http'

/** The goal: the CPU of GET /models, as a multiple of a bare server's that answers the same bytes. */
const cpuRatioMax = 1.6

export const start = async (stage, options) => {
  const service = await startService(stage, options)
  const path = '/models?type=all'
  const url = service.baseUrl + path
  const answer = await fetchOnce(url)
  if (answer.status !== 200) throw new Error(`GET ${url} answered ${answer.status}: ${answer.body}`)
  const bare = await startBareServer(stage, answer, options)
  await proveSame(answer, await fetchOnce(bare.baseUrl + path))

  const expected = { status: 200, length: answer.body.length }
  return [
    {
      name: reference,
      pid: bare.pid,
      request: { url: bare.baseUrl + path },
      expected,
    },
    { name: 'without key', pid: service.pid, request: { url }, expected, cpuRatioMax },
    { name: 'with key', pid: service.pid, request: { url, headers: service.headers }, expected, cpuRatioMax },
  ]
}

const proveSame = (ours, bare) => {
  const shape = ({ status, headers }) =>
    Object.entries(headers)
      .map(([name, value]) => `${status} ${name}: ${value.length} characters`)
      .join('\n')
  if (shape(ours) !== shape(bare) || !ours.body.equals(bare.body))
    throw new Error(`The bare server answers something else.\nOurs:\n${shape(ours)}\nBare:\n${shape(bare)}`)
}
