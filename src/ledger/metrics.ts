import { Counter, Histogram, type Registry } from 'prom-client'

/** What an operator sees of the ledger in /metrics. */
export const createLedgerMetrics = (registry: Registry) => {
  const registers = [registry]
  const seconds = new Histogram({
    name: 'tessera_ledger_commit_seconds',
    help: 'Time of one commit of the ledger, for all requests that share it',
    labelNames: ['operation'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers,
  })
  const requests = new Counter({
    name: 'tessera_ledger_requests_total',
    help: 'Requests that were held or settled',
    labelNames: ['operation'],
    registers,
  })
  const swept = new Counter({
    name: 'tessera_ledger_holds_expired_total',
    help: 'Holds that nobody settled and that were given back when their time was up',
    registers,
  })
  const shortfalls = new Counter({
    name: 'tessera_ledger_shortfalls_total',
    help: 'Requests that used more than was held for them; anything but 0 is a bug in how the worst case is reckoned',
    registers,
  })
  return {
    onBatch(operation: 'hold' | 'settle', size: number, ms: number) {
      seconds.observe({ operation }, ms / 1000)
      requests.inc({ operation }, size)
    },
    onSwept: (holds: number) => swept.inc(holds),
    onShortfall: () => shortfalls.inc(),
  }
}
