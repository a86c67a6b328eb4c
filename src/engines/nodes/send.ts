import { setTimeout as sleep } from 'node:timers/promises'
import { Attempt } from './attempt.js'
import { chooseNode } from './choose-node.js'
import type { HttpNode, Question, Said } from './http-node.js'
import { isAlreadyThere, isBlockhashUnknown, judgeError, readError } from './judge-error.js'
import { type JsonText, type NodeAnswer, type NodeCall, NodeError } from './node.js'
import { NodeFault } from './node-fault.js'
import { allPaused, type Chain, type Outcome } from './read-task.js'
import { hashOfSend } from './transaction-hash.js'

const triesMax = 3
const lookMsMax = 5_000
const lookAtMax = 4

/** Lets whoever asked go: what runs is aborted, and nothing new begins. */
export type Leash = { readonly leaveAll: Set<() => void>; isGone: boolean }

export const createLeash = (): Leash => ({ leaveAll: new Set(), isGone: false })

export const letGo = (leash: Leash) => {
  leash.isGone = true
  for (const leave of leash.leaveAll) leave()
}

/** Sends what may not be sent twice by accident: to one node, and to another only when the first has certainly not got it. */
export const send = async (chain: Chain, call: NodeCall, untilMs: number, leash: Leash): Promise<Outcome> => {
  if (chain.clock.nowMs() >= untilMs) return new NodeError('overloaded', 'those before it have left it no time')
  const hash = call.kind === 'send' ? hashOfSend(chain.family, call.method, call.params) : undefined
  const taken: NodeAnswer = { result: `"${hash}"` }
  const restMs = () => Math.max(untilMs - chain.clock.nowMs(), 1)
  const look = () => (hash === undefined ? 'unseen' : find(chain, hash, Math.min(restMs() / 2, lookMsMax), leash))
  const isThere = async () => (await look()) === 'there'
  const tried: HttpNode[] = []
  let isUnknown = false
  let error: NodeAnswer | undefined
  let fault: NodeFault | undefined

  for (let tries = 0; tries < triesMax && !leash.isGone; tries++) {
    const node = nextNode(chain, call.method, tried) ?? (await sameNode(chain, tried, fault))
    if (node === undefined) break
    tried.push(node)
    // What goes wrong with it must be found out in the other half.
    const said = await ask(chain, node, call, hash === undefined ? restMs() : restMs() / 2, leash)
    if (said instanceof NodeFault) {
      fault = said
      if (!said.mayBeTaken) continue
      const seen = await look()
      if (seen === 'there') return taken
      const isSecond = isUnknown
      isUnknown = true
      // Where nobody could say that it is not there, it is not sent again.
      if (seen === 'unseen' || isSecond) break
    } else if ('result' in said) return said
    else {
      fault = undefined
      const refusal = readError(said.error)
      const there = hash === undefined ? 'no' : isAlreadyThere(chain.family, refusal)
      if (there === 'has' || ((there === 'perhaps' || isUnknown) && (await isThere()))) return taken
      const verdict = isBlockhashUnknown(refusal) ? 'behind' : judgeError(chain.family, refusal)
      if (verdict === 'proper') {
        if (isUnknown) break
        return said
      }
      // It may have failed after it passed the transaction on.
      if (verdict === 'local' && (await isThere())) return taken
      if (verdict === 'local' && hash === undefined) return said
      error ??= said
    }
  }
  if (isUnknown && hash !== undefined) {
    // A transaction may take a moment to be seen.
    await pause(chain)
    if (await isThere()) return taken
  }
  if (isUnknown) return new NodeError('unknown', 'the transaction may have been taken, or not', { cause: fault })
  return error ?? fault ?? new NodeError('unreachable', allPaused(chain.network))
}

const nextNode = (chain: Chain, method: string, tried: HttpNode[]) =>
  chooseNode({ ...chain, method, nowMs: chain.clock.nowMs(), mayAsk: (node) => !tried.includes(node) })

/** There is only this one, and it has got nothing yet: once more, after a moment. */
const sameNode = async (chain: Chain, tried: HttpNode[], fault: NodeFault | undefined) => {
  const [node] = tried
  if (tried.length !== 1 || node === undefined || !fault?.isPassing || fault.mayBeTaken) return undefined
  await pause(chain)
  return node.breaker.waitMs() > 0 ? undefined : node
}

const pause = ({ secondTryMs, random }: Chain) => sleep(secondTryMs * (0.5 + random()))

const ask = (chain: Chain, node: HttpNode, question: Question, limitMs: number, leash: Leash): Promise<Said> =>
  new Promise((resolve) => {
    const nothing = () => new NodeFault('timeout', 'it was silent for too long', { mayBeTaken: true })
    if (leash.isGone) return resolve(nothing())
    const attempt = new Attempt(node, chain)
    const leave = () => {
      clearTimeout(late)
      leash.leaveAll.delete(leave)
      attempt.leave()
    }
    leash.leaveAll.add(leave)
    const end = (said: Said) => {
      leave()
      resolve(said)
    }
    const late = setTimeout(() => {
      attempt.late()
      end(nothing())
    }, limitMs)
    attempt.asking = node.ask(question, (said) => {
      if (said instanceof NodeFault) attempt.noteFault(said)
      else if ('error' in said && judgeError(chain.family, readError(said.error)) === 'busy') attempt.noteBusy()
      attempt.ended('batch')
      end(said)
    })
  })

/** `absent`: no node knows it that could be asked. `unseen`: none could be. */
type Seen = 'there' | 'absent' | 'unseen'

const find = async (chain: Chain, hash: string, limitMs: number, leash: Leash): Promise<Seen> => {
  const isEvm = chain.family === 'evm'
  const question: Question = isEvm
    ? { method: 'eth_getTransactionByHash', params: `["${hash}"]` }
    : { method: 'getSignatureStatuses', params: `[["${hash}"],{"searchTransactionHistory":false}]` }
  let seen: Seen = 'unseen'
  const lookAt = async (node: HttpNode) => {
    const said = await ask(chain, node, question, limitMs, leash)
    if (said instanceof NodeFault || !('result' in said)) throw said
    if (isEvm ? said.result.toLowerCase().includes(hash.slice(2)) : hasStatus(said.result)) return
    seen = 'absent'
    throw said
  }
  const able = chain.nodes.filter(({ breaker }) => breaker.waitMs() === 0).slice(0, lookAtMax)
  return Promise.any(able.map(lookAt)).then(
    () => 'there',
    () => seen,
  )
}

const hasStatus = (result: JsonText): boolean => {
  try {
    const { value } = JSON.parse(result) as { value?: unknown[] } & object
    return Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null
  } catch {
    return false
  }
}
