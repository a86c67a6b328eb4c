import type { HttpNode } from './http-node.js'

type Needs = {
  nodes: readonly HttpNode[]
  isLagging(node: HttpNode): boolean
  isOlder(node: HttpNode): boolean
  nowMs: number
  random(): number
  /** Undefined where several are asked at once. */
  method: string | undefined
  mayAsk(node: HttpNode): boolean
}

/** Nodes whose scores differ by no more than that are equally good. */
const alikeFactor = 1.3
const alikeMs = 5

/**
 * The best node that may be asked now; one of them by chance where several are about equally good, so that none is
 * forgotten. What is wrong with a node weighs in this order: it lags behind, it does not have the method, it said that it
 * has too much to do, it may not have the newest block that callers were shown. Such a node is asked only if there is no
 * better one.
 */
export const chooseNode = (needs: Needs): HttpNode | undefined => {
  const { nodes, random, mayAsk } = needs
  let bestRank = Number.POSITIVE_INFINITY
  let bestScore = Number.POSITIVE_INFINITY
  const candidates: HttpNode[] = []
  for (const node of nodes) {
    if (!mayAsk(node) || node.breaker.waitMs() > 0) continue
    const rank = rankOf(node, needs)
    if (rank > bestRank) continue
    if (rank < bestRank) {
      bestRank = rank
      bestScore = Number.POSITIVE_INFINITY
      candidates.length = 0
    }
    bestScore = Math.min(bestScore, node.health.score() ?? Number.POSITIVE_INFINITY)
    candidates.push(node)
  }
  if (candidates.length < 2) return candidates[0]
  const alike = candidates.filter((node) => (node.health.score() ?? 0) <= bestScore * alikeFactor + alikeMs)
  return alike[Math.floor(random() * alike.length)]
}

const rankOf = (node: HttpNode, { isLagging, isOlder, nowMs, method }: Needs): number =>
  (isLagging(node) ? 8 : 0) +
  (isLacking(node, method, nowMs) ? 4 : 0) +
  (node.avoidedUntilMs > nowMs ? 2 : 0) +
  (isOlder(node) ? 1 : 0)

const isLacking = (node: HttpNode, method: string | undefined, nowMs: number): boolean =>
  method !== undefined && node.lacking.size > 0 && (node.lacking.get(method) ?? 0) > nowMs
