import { Counter, type Registry } from 'prom-client'
import type { LimitType } from './standing.js'

/** What an operator sees of limits in /metrics. */
export const createLimitMetrics = (registry: Registry) => {
  const registers = [registry]
  const refused = new Counter({
    name: 'tessera_limited_requests_total',
    help: 'Requests that were answered with 429, by the limit that was in the way and by who shares it',
    labelNames: ['type', 'scope'],
    registers,
  })
  const troubles = new Counter({
    name: 'tessera_limits_failures_total',
    help: 'Times that rate limits could not be counted and requests were let in without',
    registers,
  })
  const lost = new Counter({
    name: 'tessera_limits_log_lost_total',
    help: 'Refusals that are missing in the log of rate limits because the database did not take them',
    registers,
  })
  return {
    onRefused: (type: LimitType, scope: string) => refused.inc({ type, scope }),
    onTrouble: () => troubles.inc(),
    onLost: (count: number) => lost.inc(count),
  }
}
