import { type Cut, cutJson } from '#plumbing/json-cut.js'
import type { HttpAnswer } from './exchange.js'
import { readError } from './judge-error.js'
import type { JsonText, NodeAnswer } from './node.js'
import { NodeFault } from './node-fault.js'

/** What a batch came to: an answer or a fault for each call, or the news that this node does no batches. */
export type BatchAnswer = (NodeAnswer | NodeFault)[] | NodeFault | { refused: JsonText }

/**
 * What a status alone decides, whatever came with it. What stands in front of a node answers 502 and the like, and the
 * refusal of our own key is no business of a caller. Undefined: the body decides.
 */
const faultOfStatus = ({ status, retryAfterMs }: HttpAnswer): NodeFault | undefined => {
  if (status >= 200 && status < 300) return undefined
  if (status === 429) return new NodeFault('overloaded', 'it answered 429', { mayBeTaken: false, retryAfterMs })
  if (status > 500)
    return new NodeFault('unreachable', `it answered ${status}`, { mayBeTaken: true, isPassing: true, retryAfterMs })
  if (status === 401 || status === 402 || status === 403 || status === 407)
    return new NodeFault('unreachable', `it does not let us in (${status})`, { mayBeTaken: false })
  return undefined
}

/** What a body means that is no JSON-RPC. */
const faultOfNonsense = (status: number): NodeFault => {
  if (status >= 200 && status < 300) return broken('what it answered is not JSON-RPC')
  if (status === 500) return new NodeFault('unreachable', 'it answered 500', { mayBeTaken: true, isPassing: true })
  if (status === 404 || status < 400)
    return new NodeFault('unreachable', `it answered ${status}`, { mayBeTaken: false })
  // Perhaps for what a caller wrote, which must not make a node look ill.
  return new NodeFault('broken', `it answered ${status}`, { mayBeTaken: false, isOfNode: false })
}

const broken = (message: string) => new NodeFault('broken', message, { mayBeTaken: true })

const wanted = { names: new Set(['id', 'result', 'error']) }

const cut = (text: JsonText): Cut | undefined => {
  try {
    return cutJson(text, wanted)
  } catch {
    return undefined
  }
}

const parseError = -32700

/** It cannot read what a caller wrote, such as what is nested too deeply for it, and so not the id either. */
export const isUnreadable = (error: JsonText): boolean => readError(error).code === parseError

/** `result` or `error`, if it has one of them. Old servers write the other one as null. */
const answerIn = (members: Map<string, JsonText>): NodeAnswer | undefined => {
  const result = members.get('result')
  const error = members.get('error')
  if (error === undefined || error === 'null') return result === undefined ? undefined : { result }
  if (result !== undefined && result !== 'null') return undefined
  return error.startsWith('{') ? { error } : undefined
}

export const readAnswer = (answer: HttpAnswer, id: number): NodeAnswer | NodeFault => {
  const fault = faultOfStatus(answer)
  if (fault) return fault
  const { status, text } = answer
  const whole = cut(text)
  const isGood = status >= 200 && status < 300
  if (whole?.kind !== 'object') return faultOfNonsense(status)
  const said = answerIn(whole.members)
  if (said === undefined || (!isGood && 'result' in said)) return faultOfNonsense(status)
  const saidId = whole.members.get('id')
  if (saidId === String(id) || (saidId === 'null' && 'error' in said && isUnreadable(said.error))) return said
  return isGood ? broken('it answered another call') : faultOfNonsense(status)
}

/** `count` calls were asked, with ids from `firstId` on. */
export const readBatchAnswer = (answer: HttpAnswer, firstId: number, count: number): BatchAnswer => {
  const fault = faultOfStatus(answer)
  if (fault) return fault
  const { status, text } = answer
  const whole = cut(text)
  if (whole?.kind === 'array' && status < 300) return matched(whole.parts, firstId, count)
  const error = whole?.kind === 'object' ? whole.members.get('error') : undefined
  if (error?.startsWith('{')) return { refused: error }
  const nonsense = faultOfNonsense(status)
  return status >= 400 && status < 500 ? { refused: '{}' } : nonsense
}

const matched = (parts: JsonText[], firstId: number, count: number): (NodeAnswer | NodeFault)[] => {
  const answers = new Array<NodeAnswer | NodeFault | undefined>(count).fill(undefined)
  for (const part of parts) {
    const item = cut(part)
    if (item?.kind !== 'object') continue
    const id = item.members.get('id') ?? ''
    const place = Number(id) - firstId
    if (!(place >= 0 && place < count) || String(firstId + place) !== id) continue
    const isSecond = answers[place] !== undefined
    answers[place] =
      (isSecond ? undefined : answerIn(item.members)) ??
      brokenItem(isSecond ? 'it answered a call of a batch twice' : 'an item of a batch is not JSON-RPC')
  }
  return answers.map((said) => said ?? brokenItem('it did not answer every call of a batch'))
}

/** Asked alone, it may go well. */
const brokenItem = (message: string) => new NodeFault('broken', message, { mayBeTaken: true, isPassing: true })
