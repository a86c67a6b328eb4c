import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { createAnswerCalls } from '#capabilities/rpc/answer-calls.js'
import { createRpcCache } from '#capabilities/rpc/cache.js'
import { createRpcMetrics } from '#capabilities/rpc/metrics.js'
import { createRpc } from '#capabilities/rpc/rpc.js'
import { createSendLog } from '#capabilities/rpc/send-log.js'
import type { OperatorConfig, Rpc } from '#catalog/config/config-file.js'
import { batchAnswersMax } from '#engines/nodes/node.js'
import { hashOfSend } from '#engines/nodes/transaction-hash.js'
import { Sealed } from '#ledger/charge.js'
import type { RpcAllowance } from '#limits/rpc/rpc-limits.js'
import type { Clock } from '#plumbing/clock.js'
import { createRoom } from '#plumbing/room.js'
import type { Sql } from '#store/sql.js'
import { blockTimeMs, createChains } from './chains.js'

type Needs = { config: () => OperatorConfig; sql: Sql; clock: Clock; registry: Registry; log: Logger }

/** Calls of blockchain nodes, as the config file says right now. */
export const createRpcService = ({ config, sql, clock, registry, log }: Needs) => {
  const room = createRoom(() => roomFor(config().rpc))
  const chains = createChains({
    config: () => config().rpc,
    room,
    onTrouble: (network, node, { trouble, message }) =>
      log.warn({ network, node, trouble, reason: message }, 'a node failed'),
    observe: (network, event) => metrics.onNodeEvent(network, event),
  })
  const cache = createRpcCache({ bytesMax: () => config().rpc?.cacheBytesMax ?? 0, clock })
  const metrics = createRpcMetrics({
    registry,
    status: chains.status,
    cacheBytes: () => cache.size().bytes,
    answerBytes: room.taken,
  })
  const answerCalls = createAnswerCalls({
    nodesOf: chains.nodesOf,
    cache,
    clock,
    blockTimeMs: (network) => {
      const entry = config().rpc?.networks[network]
      return entry === undefined ? 0 : blockTimeMs(network, entry)
    },
    hashOfSend,
  })
  return {
    rpc: createRpc({
      config: () => config().rpc,
      answerCalls: Sealed.seal(answerCalls),
      sendLog: createSendLog({ sql, clock }),
      onOutcomes: metrics.onOutcomes,
    }),
    room,
    allowanceOf: (tier: string): RpcAllowance => {
      const { requestsPerMinute, creditsPerDay, tiers } = config().rpc ?? none
      return { requestsPerMinute, creditsPerDay, ...tiers?.[tier] }
    },
    close: chains.close,
  }
}

/**
 * Nobody can have more than half of it, and that is at least what one request may need: the results of a batch, and what is
 * around them, such as the ids that its caller chose.
 */
const roomFor = (rpc: Rpc | undefined): number =>
  rpc === undefined ? 0 : Math.max(rpc.largeAnswersBytesMax, 2 * (batchAnswersMax + 1) * rpc.answerBytesMax)

const none = { requestsPerMinute: 0, creditsPerDay: 0, tiers: undefined }
