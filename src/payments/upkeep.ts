import type { NetworkFeeWallet, PaymentHooks } from './hooks.js'
import type { Claim, Journal } from './journal.js'
import type { Rail } from './rail.js'
import { brief } from './settlement.js'

type Needs = Required<Omit<PaymentHooks, 'onPayment'>> & {
  journal: Journal
  rails: readonly Rail[]
  advance: (rail: Rail, claim: Claim) => Promise<unknown>
  feeWallets: () => Promise<NetworkFeeWallet[]>
}

const roundMs = 5_000
const feeWalletMs = 60_000
/** Of one round; what is left over waits for the next, or for another process. */
const dueMax = 64
const atOnceMax = 8

/** What is done for payments while nobody asks. */
export const createUpkeep = ({ journal, rails, advance, feeWallets, onUnfinished, onFeeWallets, onTrouble }: Needs) => {
  const timers = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  let isStopped = false
  let round: Promise<void> | undefined

  const reconcileDue = async () => {
    const railOf = new Map(rails.map((rail) => [rail.network, rail]))
    for (let left = dueMax; left > 0; left -= atOnceMax) {
      // Few at a time, so that none waits for its turn longer than its lease lasts.
      const claims = await journal.takeDue([...railOf.keys()], atOnceMax)
      const looked = await Promise.allSettled(
        claims.map((claim) => advance(railOf.get(claim.row.network) as Rail, claim)),
      )
      for (const { reason } of looked.filter((one) => one.status === 'rejected'))
        onTrouble(`a payment could not be looked at: ${brief(reason)}`)
      if (claims.length < atOnceMax) break
    }
    await journal.expire()
    const counts = new Map(rails.map(({ network }) => [network, 0]))
    for (const { network, payments } of await journal.countUnfinished()) counts.set(network, Number(payments))
    onUnfinished([...counts].map(([network, payments]) => ({ network, payments })))
  }

  const reconcile = (): Promise<void> => {
    round ??= reconcileDue().finally(() => {
      round = undefined
    })
    return round
  }

  /** Now, and then again and again; what goes wrong is told, and tried again. */
  const repeat = (what: string, everyMs: number, work: () => Promise<boolean>) => {
    const once = async () => {
      const isDone = await work().catch((error: unknown) => {
        onTrouble(`${what}: ${brief(error)}`)
        return false
      })
      if (isDone || isStopped) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        begin()
      }, everyMs).unref()
      timers.add(timer)
    }
    const begin = () => {
      const run: Promise<void> = once().finally(() => running.delete(run))
      running.add(run)
    }
    begin()
  }

  return {
    reconcile,
    start() {
      for (const rail of rails)
        repeat(`${rail.network} cannot be paid yet`, roundMs, () => rail.prepare().then(() => true))
      repeat('payments that were sent could not be looked at', roundMs, () => reconcile().then(() => false))
      repeat('fee wallets could not be read', feeWalletMs, async () => {
        onFeeWallets(await feeWallets())
        return false
      })
    },
    async stop() {
      isStopped = true
      for (const timer of timers) clearTimeout(timer)
      await Promise.allSettled(running)
    },
  }
}
