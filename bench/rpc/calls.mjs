// Measures calls of a node, alone and in batches, that are new every time or always the same.
import { buildRequest, clock, openConnection, percentilesUs, sendAll } from '../load.mjs'
import { readUsage } from '../processes.mjs'
import { createRenewal } from './questions.mjs'

const settleRequests = 10
/** Of calls that should have been kept, so many may reach the node: some are asked again when they are forgotten. */
const keptMissesMax = 0.01

const openForCalls = async (request, { isNew, results: fixedResults }) => {
  // Each connection has bytes of its own, which change only while nothing is under way.
  const bytes = Buffer.from(request.bytes)
  const renew = isNew ? createRenewal(bytes) : () => fixedResults
  let results
  let parts = []
  const connection = await openConnection({ ...request, bytes }, (part) => parts.push(part))
  return {
    ...connection,
    ask(onAnswer) {
      results = renew()
      connection.ask(onAnswer)
    },
    /** Every result must be there, byte for byte and in order. */
    isRight(status) {
      const body = (parts.length === 1 ? parts[0] : Buffer.concat(parts)).latin1Slice()
      parts = []
      if (status !== 200) return false
      let from = 0
      for (const result of results) {
        const at = body.indexOf(`"result":${result}`, from)
        if (at < 0) return false
        from = at + result.length
      }
      return true
    },
  }
}

export const requestFor = ({ url, headers }, { body }) =>
  buildRequest({ url, method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })

/** `targets` says where this contender is reached for each node, and `questionOf` what the load asks. */
export const measureCalls = async ({ targets, keeps, node, questionOf, questions, connections, requests, limitMs }) => {
  const target = targets[node]
  const question = questionOf(questions)
  const request = requestFor(target, question)
  const opened = await Promise.all(Array.from({ length: connections }, () => openForCalls(request, question)))
  const isRight = (connection, status) => connection.isRight(status)
  try {
    const settled = await sendAll(opened, { count: settleRequests * connections, isRight, limitMs })
    const askedBefore = await target.countAsked()
    const { result, seconds, cpu, databaseCpu, ...busy } = await clock(
      () => readUsage(target.pid),
      () => sendAll(opened, { count: requests, isRight, limitMs }),
    )
    const asked = (await target.countAsked()) - askedBefore
    const answers = result.latenciesMs.length
    const calls = answers * question.calls
    // Who should have asked the node and did not, or the other way round, was measured doing something else.
    const isAsking = question.isNew || !keeps
    const astray = isAsking ? Math.max(0, calls - asked) : asked > calls * keptMissesMax ? asked : 0
    return {
      answers,
      errors: settled.errors + result.errors + astray,
      seconds,
      perSecond: answers / seconds,
      callsPerSecond: calls / seconds,
      cpuUs: (cpu / calls) * 1e6,
      databaseCpuUs: (databaseCpu / calls) * 1e6,
      ...percentilesUs(result.latenciesMs),
      ...busy,
    }
  } finally {
    for (const connection of opened) connection.close()
  }
}
