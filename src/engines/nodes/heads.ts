import { cutJson } from '#plumbing/json-cut.js'
import { Attempt, type Watching } from './attempt.js'
import type { Heads } from './chain-nodes.js'
import type { HttpNode, Question } from './http-node.js'
import { judgeError, readError } from './judge-error.js'
import type { Family, JsonText } from './node.js'
import { NodeFault } from './node-fault.js'

type Needs = {
  nodes: readonly HttpNode[]
  family: Family
  blockTimeMs: number
  watching: Watching
  pollMs: { min: number; max: number }
  pollTimeoutMs: number
}

/** Nodes are asked how far they are only while somebody uses them. */
const idleAfterMs = 30_000
/** What is final changes slowly, and is dear to ask: every so many times. */
const finalizedEvery = 4
const missedMax = 3
/** Heights that differ by more than that are not those of the same chain at about the same time. */
const reachMs = 24 * 3_600_000
const reachBlocksMin = 1_000
/** So many times faster than blocks come, a node is still catching up. */
const paceMax = 3
const stepMax = 5
/** Going back further than within such a time is not the same chain. */
const backMs = 60_000

/** How a chain is asked for its newest block, and for the newest that will never change. */
const questions: Record<Family, { latest: Question; finalized: Question; member?: string }> = {
  evm: {
    latest: { method: 'eth_blockNumber', params: '[]' },
    finalized: { method: 'eth_getBlockByNumber', params: '["finalized",false]' },
    member: 'number',
  },
  solana: {
    latest: { method: 'getSlot', params: '[{"commitment":"confirmed"}]' },
    finalized: { method: 'getSlot', params: '[{"commitment":"finalized"}]' },
  },
  starknet: {
    latest: { method: 'starknet_blockNumber', params: '[]' },
    finalized: { method: 'starknet_getBlockWithTxHashes', params: '["l1_accepted"]' },
    member: 'block_number',
  },
}

/** A height: a number, or hexadecimal digits in a string. */
export const readHeight = (text: JsonText | undefined): number | undefined => {
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  return /^"0x[0-9a-f]{1,13}"$/i.test(text) ? Number(text.slice(1, -1)) : undefined
}

const memberOf = (text: JsonText, member: string | undefined): JsonText | undefined => {
  if (member === undefined) return text
  const whole = cutJson(text)
  return whole.kind === 'object' ? whole.members.get(member) : undefined
}

type Progress = {
  told: number | undefined
  toldAtMs: number
  movedAtMs: number | undefined
  missed: number
  isPolled: boolean
}

/** Follows how far a chain is, by what its nodes tell and what their answers show. */
export const createHeads = ({ nodes, family, blockTimeMs, watching, pollMs, pollTimeoutMs }: Needs) => {
  const { clock } = watching
  const asked = questions[family]
  const intervalMs = Math.min(Math.max(blockTimeMs, pollMs.min), pollMs.max)
  const reach = Math.max(reachBlocksMin, Math.ceil(reachMs / blockTimeMs))
  // Two blocks, or as many as come between two polls.
  const lagMax = Math.max(2, Math.ceil((intervalMs + 500) / blockTimeMs))
  const backMax = Math.max(lagMax, Math.ceil(backMs / blockTimeMs))
  const movingMs = Math.max(20 * blockTimeMs, 5 * intervalMs)
  const progress = new Map(
    nodes.map((node): [HttpNode, Progress] => [
      node,
      { told: undefined, toldAtMs: 0, movedAtMs: undefined, missed: 0, isPolled: false },
    ]),
  )
  const running = new Set<Attempt>()
  let latest: number | undefined
  /** The same, also while nobody tells anything. */
  let latestKnown = 0
  let finalized: number | undefined
  /** The newest that callers were shown. */
  let seen: number | undefined
  let restarts = 0
  let lastUseMs = 0
  let timer: NodeJS.Timeout | undefined
  let isHastened = false
  let isClosed = false
  let rounds = 0
  let finalizedAwaited = 0

  const progressOf = (node: HttpNode) => progress.get(node) as Progress

  /**
   * The highest that is told, unless it is far above the next: then that. A node that stands still, or is catching up, is
   * not heard while others move as the chain does: of two which disagree wildly, it cannot hold the other back.
   */
  const toldLatest = (): number | undefined => {
    const told = nodes.filter((node) => node.latest !== undefined)
    const sinceMs = clock.nowMs() - movingMs
    const moving = told.filter((node) => (progressOf(node).movedAtMs ?? Number.NEGATIVE_INFINITY) >= sinceMs)
    const heights = (moving.length > 0 ? moving : told).map((node) => node.latest as number).sort((a, b) => b - a)
    const [highest, second] = heights
    return highest !== undefined && second !== undefined && highest - second > reach ? second : highest
  }

  const update = () => {
    const told = toldLatest()
    if (told !== undefined && seen !== undefined && seen > told + reach) seen = undefined
    latest = told === undefined ? seen : Math.max(told, seen ?? 0)
    latestKnown = latest ?? latestKnown
  }

  /** How far a node is, as it told or its answers showed; -1 where nothing is known. */
  const heightOf = ({ latest = -1, shown = -1 }: HttpNode): number => Math.max(latest, shown)

  const isLagging = (node: HttpNode): boolean => {
    const height = heightOf(node)
    return latest !== undefined && height >= 0 && latest - height > lagMax
  }

  /** Callers were shown a block that it does not have yet, as far as is known: blocks come while nobody asks. */
  const isOlder = (node: HttpNode): boolean => {
    if (seen === undefined || heightOf(node) >= seen) return false
    if (node.latest === undefined) return true
    return node.latest + Math.floor((clock.nowMs() - progressOf(node).toldAtMs) / blockTimeMs) < seen
  }

  /** It is asked where nobody else answers, but does not have everything. */
  const isBehind = (node: HttpNode): boolean =>
    isLagging(node) || (finalized !== undefined && heightOf(node) < finalized)

  /** A node went back, and no other is further: the chain itself did. */
  const goBack = (from: number, to: number) => {
    seen = undefined
    for (const node of nodes) node.shown = undefined
    if (from - to <= backMax && to >= (finalized ?? 0)) return
    restarts += 1
    finalized = undefined
    for (const node of nodes) node.finalized = undefined
  }

  /** The lowest of what healthy nodes tell, once all have been asked: what is kept for ever must be true. */
  const updateFinalized = () => {
    const told = nodes
      .filter((node) => node.finalized !== undefined && node.breaker.isClosed() && !isLagging(node))
      .filter((node) => node.latest !== undefined && (node.finalized as number) <= node.latest)
      .map((node) => node.finalized as number)
    const lowest = Math.min(...told)
    if (told.length > 0 && lowest <= (latest ?? -1)) finalized = Math.max(finalized ?? 0, lowest)
  }

  /** Undefined when the node did not tell. */
  const poll = (node: HttpNode, question: Question, onTold: (result: JsonText | undefined) => void) => {
    const attempt = new Attempt(node, watching)
    running.add(attempt)
    const end = (result: JsonText | undefined) => {
      clearTimeout(late)
      running.delete(attempt)
      onTold(result)
    }
    const late = setTimeout(() => {
      attempt.late()
      end(undefined)
    }, pollTimeoutMs).unref()
    attempt.asking = node.ask(question, (said) => {
      if (!running.has(attempt)) return
      if (said instanceof NodeFault) attempt.noteFault(said)
      else if ('error' in said && judgeError(family, readError(said.error)) === 'busy') attempt.noteBusy()
      attempt.ended('poll')
      end(!(said instanceof NodeFault) && 'result' in said ? said.result : undefined)
    })
  }

  const hearLatest = (node: HttpNode, height: number | undefined) => {
    const own = progressOf(node)
    own.isPolled = false
    own.missed = height === undefined ? own.missed + 1 : 0
    if (height !== undefined) {
      const nowMs = clock.nowMs()
      const step = height - (node.latest ?? height)
      if (step > 0 && step <= Math.max(stepMax, ((nowMs - own.toldAtMs) / blockTimeMs) * paceMax)) own.movedAtMs = nowMs
      const isBack = height < (own.told ?? 0) - lagMax
      if (isBack) node.shown = undefined
      own.told = height
      own.toldAtMs = nowMs
      node.latest = height
      const told = toldLatest()
      if (isBack && told !== undefined && told < latestKnown - lagMax) goBack(latestKnown, told)
    } else if (own.missed >= missedMax) node.latest = undefined
    update()
  }

  const round = () => {
    const isFinalizedDue = rounds++ % finalizedEvery === 0
    for (const node of nodes) {
      if (node.breaker.waitMs() > 0 || progressOf(node).isPolled) continue
      progressOf(node).isPolled = true
      poll(node, asked.latest, (result) => {
        hearLatest(node, readHeight(result))
        if (isFinalizedDue && result !== undefined && !isClosed) pollFinalized(node)
      })
    }
  }

  const pollFinalized = (node: HttpNode) => {
    finalizedAwaited += 1
    poll(node, asked.finalized, (result) => {
      finalizedAwaited -= 1
      node.finalized = result === undefined ? undefined : readHeight(memberOf(result, asked.member))
      if (finalizedAwaited === 0) updateFinalized()
    })
  }

  const tick = () => {
    timer = undefined
    if (clock.nowMs() - lastUseMs > idleAfterMs) return
    round()
    timer = setTimeout(tick, intervalMs).unref()
    isHastened = false
  }

  /** Who may have a new block by now is soon asked, so that it is not passed over for long. */
  const hasten = () => {
    if (timer === undefined || isHastened || intervalMs <= pollMs.min || !nodes.some(isOlder)) return
    clearTimeout(timer)
    timer = setTimeout(tick, pollMs.min).unref()
    isHastened = true
  }

  return {
    isLagging,
    isOlder,
    isBehind,
    heads: (): Heads => ({ latest, finalized, restarts }),
    /** Somebody asks the nodes something: from now on it matters how far they are. Never waits. */
    use() {
      lastUseMs = clock.nowMs()
      if (timer !== undefined || isClosed) return
      rounds = 0
      tick()
    },
    saw(height: number, node: HttpNode | undefined) {
      if (!Number.isSafeInteger(height) || height < 0) return
      if (latest !== undefined && height > latest + reach) return
      if (node) node.shown = Math.max(node.shown ?? 0, height)
      if (height <= (seen ?? -1)) return
      seen = height
      update()
      hasten()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      for (const attempt of running) attempt.leave()
      running.clear()
    },
  }
}
