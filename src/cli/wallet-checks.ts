import type { OperatorConfig } from '#catalog/config/config-file.js'
import type { Rail } from '#payments/rail.js'
import { findUnfinished } from '#payments/unfinished.js'
import { systemClock } from '#plumbing/clock.js'
import { messageOf } from '#plumbing/message-of.js'
import type { Sql } from '#store/sql.js'
import { createRails } from '../service/rails.js'

type Check = { check: string; ok: boolean; detail: string }

/** Whether payments can be taken on every chain of the config file, whether fees can be paid, and what is stuck. */
export const checkWallets = async (sql: Sql, { x402 }: OperatorConfig): Promise<Check[]> => {
  const none = { rails: [], troubles: [] }
  const { rails, troubles } = x402 ? await createRails(x402, { sql, clock: systemClock }) : none
  const checks = await Promise.all(rails.map(checkRail))
  const broken = troubles.map(({ chain, reason }) => ({
    check: `payments can be taken on ${chain}`,
    ok: false,
    detail: messageOf(reason),
  }))
  return [...broken, ...checks.flat(), await checkUnfinished(sql)]
}

const checkRail = async (rail: Rail): Promise<Check[]> => {
  const check = `payments can be taken on ${rail.network}`
  try {
    await rail.prepare()
    const purse = await rail.feeWallet()
    const taken = { check, ok: true, detail: 'the chain answers' }
    if (purse === undefined) return [taken]
    const { address, balance, unit, isLow } = purse
    const detail = `${balance} ${unit} in ${address}${isLow ? '; fill it up' : ''}`
    return [taken, { check: `the fee wallet on ${rail.network} has enough`, ok: !isLow, detail }]
  } catch (error) {
    return [{ check, ok: false, detail: messageOf(error) }]
  }
}

/** Minutes after which a payment that was sent should be final. */
const patienceMinutes = 10

const checkUnfinished = async (sql: Sql): Promise<Check> => {
  const stuck = await findUnfinished(sql, { nowMs: systemClock.nowMs(), olderThanMs: patienceMinutes * 60_000 })
  return {
    check: 'no payment is stuck',
    ok: stuck.length === 0,
    detail:
      stuck.length === 0
        ? 'yes'
        : `${stuck.length} for more than ${patienceMinutes} minutes; tessera wallets payments --unfinished`,
  }
}
