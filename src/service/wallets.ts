import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { readStake } from '#accounts/wallet-keys/chain.js'
import type { OperatorConfig } from '#catalog/config/config-file.js'
import { nanosFromDecimal } from '#catalog/prices.js'
import { challengeOf, createSignIn, type SignInPlace } from '#guard/sign-in/sign-in.js'
import { createWalletDoor, type WalletDoor } from '#guard/wallet-door.js'
import type { WalletTerms } from '#http/payment-required.js'
import type { NetworkFeeWallet } from '#payments/hooks.js'
import { createPaymentMetrics } from '#payments/metrics.js'
import { createPayments, type Payments } from '#payments/payments.js'
import type { Rail } from '#payments/rail.js'
import { createStakeReader } from '#payments/stake-reader.js'
import type { Clock } from '#plumbing/clock.js'
import { messageOf } from '#plumbing/message-of.js'
import { OperatorError } from '#plumbing/operator-error.js'
import type { Sql } from '#store/sql.js'
import { createRails, solanaMainnet, type X402 } from './rails.js'

/** Everything about wallets. What gives `undefined` does so while the config file has no section `x402`. */
export type Wallets = {
  door(): WalletDoor | undefined
  payments(): Payments | undefined
  terms(): WalletTerms | undefined
  start(): Promise<void>
  stop(): Promise<void>
}

type Needs = {
  sql: Sql
  clock: Clock
  config: () => OperatorConfig
  /** Where clients reach us; what wallets sign is bound to it. */
  publicUrl: () => string
  registry: Registry
  log: Logger
  /** How long a payment is kept from others after its process has died; see createPayments. */
  leaseMs?: number | undefined
}

const configEveryMs = 1_000
const warnEveryMs = 600_000

export const createWallets = ({ sql, clock, config, publicUrl, registry, log, leaseMs }: Needs): Wallets => {
  const metrics = createPaymentMetrics(registry)
  let desk: { of: string; payments: Payments; close(): Promise<void> } | undefined
  let timer: NodeJS.Timeout | undefined
  let following: Promise<void> = Promise.resolve()
  let isStopping = false

  /** A chain is not offered while it is known that no payment can arrive there. */
  const offeredIfUsable = (rail: Rail): Rail => {
    let isUsable = true
    return {
      ...rail,
      requirements: (amount) => (isUsable ? rail.requirements(amount) : undefined),
      async prepare() {
        await rail.prepare().catch((error) => {
          // One that cannot be reached may be fine: who pays meanwhile is told to retry, and nothing is sent.
          isUsable = !(error instanceof OperatorError)
          throw error
        })
        isUsable = true
        log.info({ network: rail.network }, 'payments are taken')
      },
    }
  }

  // What is wrong with a chain is found again and again; the log need not hear it each time.
  const warnedAtMs = new Map<string, number>()
  const warn = (trouble: string) => {
    const nowMs = performance.now()
    if (nowMs - (warnedAtMs.get(trouble) ?? -warnEveryMs) < warnEveryMs) return
    if (warnedAtMs.size > 100) warnedAtMs.clear()
    warnedAtMs.set(trouble, nowMs)
    log.warn(trouble)
  }

  const onFeeWallets = (wallets: NetworkFeeWallet[]) => {
    metrics.onFeeWallets(wallets)
    for (const { network, address, balance, unit, isLow } of wallets)
      if (isLow) warn(`the fee wallet ${address} on ${network} has only ${balance} ${unit} left; fill it up`)
  }

  const open = async (x402: X402) => {
    const { rails, troubles } = await createRails(x402, { sql, clock })
    for (const { chain, reason } of troubles) warn(`payments cannot be taken on ${chain}: ${messageOf(reason)}`)
    const payments = createPayments({
      ...{ sql, clock },
      limits: () => ({
        minimumUsdNanos: nanosFromDecimal(x402.minimumTopUpUsd),
        maximumUsdNanos: nanosFromDecimal(x402.maximumTopUpUsd),
      }),
      rails: rails.map(offeredIfUsable),
      ...metrics,
      onFeeWallets,
      onTrouble: warn,
      ...(leaseMs !== undefined && { leaseMs }),
    })
    payments.start()
    return { of: JSON.stringify(x402), payments, close: () => payments.stop() }
  }

  /** The config file may have changed: then payments go on with what it says now. */
  const follow = async () => {
    const { x402 } = config()
    if (JSON.stringify(x402) === desk?.of) return
    const before = desk
    try {
      // Two may work on the same payments, as two processes do: so nobody is turned away meanwhile.
      desk = x402 && (await open(x402))
    } catch (error) {
      desk = undefined
      throw error
    } finally {
      await before?.close()
    }
  }

  /** One after the other: closing what was open before takes its time. */
  const tick = () => {
    following = follow()
      .catch((error) => warn(`payments cannot be taken: ${messageOf(error)}`))
      .finally(() => {
        if (!isStopping) timer = setTimeout(tick, configEveryMs).unref()
      })
  }

  const place = (): SignInPlace => {
    const { evm, solana, signIn } = config().x402 ?? {}
    return {
      publicUrl: publicUrl(),
      evm,
      solana: solana && { network: solanaMainnet },
      maxAgeSeconds: signIn?.maxAgeSeconds ?? 300,
      isReusable: signIn?.isReusable ?? false,
    }
  }
  const door = createWalletDoor({ signIn: createSignIn({ sql, clock, place }), sql, clock })

  const stakes = createStakeReader({
    sql,
    clock,
    terms: () => {
      const { staking } = config()
      return staking?.diemPerToken === undefined ? undefined : { ...staking, diemPerToken: staking.diemPerToken }
    },
    stakeOf: async (address) => {
      const { staking } = config()
      if (staking === undefined) throw new Error('there is no staking contract any more')
      return readStake(staking, address)
    },
    onTrouble: (error) =>
      log.warn({ reason: messageOf(error) }, 'stakes cannot be read; grants of diem stay as they are'),
  })

  return {
    door: () => (config().x402 === undefined ? undefined : door),
    payments: () => desk?.payments,
    terms: () => {
      const { x402 } = config()
      return (
        x402 && {
          publicUrl: publicUrl(),
          accepts: (amountNanos) => desk?.payments.accepts(amountNanos) ?? [],
          challenge: (uri) => challengeOf(place(), { nowMs: clock.nowMs(), uri }),
          minimumTopUpNanos: nanosFromDecimal(x402.minimumTopUpUsd),
          suggestedTopUpNanos: nanosFromDecimal(x402.suggestedTopUpUsd),
          minimumBalanceNanos: nanosFromDecimal(x402.minimumBalanceUsd),
          answersMissingKeyWith402: x402.answerMissingKeyWith402,
        }
      )
    },
    async start() {
      await follow()
      timer = setTimeout(tick, configEveryMs).unref()
      stakes.start()
    },
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await following
      await stakes.stop()
      await desk?.close()
    },
  }
}
