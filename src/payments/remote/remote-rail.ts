import { randomUUID } from 'node:crypto'
import { paymentFailure } from '#contract/errors.js'
import {
  type Outcome,
  type Rail,
  type RecordAttempt,
  type Requirements,
  type SignedPayment,
  shownTransaction,
  unknownTransaction,
} from '../rail.js'
import { createFacilitatorClient, type FacilitatorSettings, type SettleReply } from './facilitator.js'

/** What we know about a chain without a key of our own. `extra` is what the facilitator adds to the terms. */
export type LocalParts = {
  network: string
  shortName: string
  requirements(amount: bigint, extra: Record<string, unknown>): Requirements
  read(payload: unknown, extra: Record<string, unknown>): SignedPayment
  /**
   * What the chain says about a payment, whoever sent it; with its transaction if that is known. `failed` means that no
   * transaction can move money for it any more. Where the chain cannot be asked, the facilitator is believed.
   */
  find?(payment: SignedPayment, transaction: string | undefined, extra: Record<string, unknown>): Promise<Outcome>
  /** Whether payments can arrive at all; throws when not. */
  prepare?(): Promise<void>
}

type Needs = FacilitatorSettings & { local: LocalParts }

const pending: Outcome = { state: 'pending' }

/**
 * A chain on which somebody else sends transactions and pays the fees. It is not known before what will be sent, so a
 * placeholder is written down instead. An answer that does not come leaves a payment pending. Then the chain is asked;
 * and the facilitator is asked again, which is safe, because a signed transfer moves money once, however often it is
 * sent. A payment of which neither knows anything stays pending until an operator looks, unless the chain can say that
 * its time is up.
 */
export const createRemoteRail = async ({ local, ...settings }: Needs): Promise<Rail> => {
  const facilitator = await createFacilitatorClient(settings)
  const { network } = local
  let extra: Record<string, unknown> | undefined

  const knownExtra = () => {
    if (!extra) throw paymentFailure('chainUnreachable', network, { network })
    return extra
  }
  const termsOf = ({ amount }: SignedPayment) => local.requirements(amount, knownExtra())

  /** Nothing is believed that the chain does not confirm, where it can be asked. */
  const confirm = async (payment: SignedPayment, transaction: string | undefined): Promise<Outcome> => {
    if (local.find) return local.find(payment, transaction, knownExtra())
    return transaction === undefined ? pending : { state: 'settled', transaction }
  }

  const askToSettle = async (payment: SignedPayment, record: RecordAttempt): Promise<SettleReply | Outcome> => {
    const reply = await facilitator.settle(termsOf(payment), payment.payload)
    if (!reply?.isSuccess) return reply ?? pending
    const isOurs = reply.transaction !== '' && (reply.network === network || reply.network === local.shortName)
    if (!isOurs) return pending
    await record({ transaction: reply.transaction, raw: '', feeNonce: null })
    return confirm(payment, reply.transaction)
  }

  return {
    network,
    shortName: local.shortName,
    requirements: (amount) => extra && local.requirements(amount, extra),
    read: (payload) => local.read(payload, knownExtra()),

    async verify(payment) {
      const { isValid, reason, says, payer } = await facilitator.verify(termsOf(payment), payment.payload)
      if (!isValid) return { isGood: false, reason, says }
      if (payer !== undefined && payer.toLowerCase() !== payment.payer.toLowerCase())
        throw new Error('the facilitator takes this for a payment of somebody else')
      return { isGood: true }
    },

    async settle(payment, record) {
      await record({ transaction: unknownTransaction(randomUUID()), raw: '', feeNonce: null })
      const reply = await askToSettle(payment, record)
      if ('state' in reply) return reply
      const { reason, says } = reply
      if (!isRefusedUnsent(reply)) return pending
      // It may have sent it all the same, or somebody else has; once it is refused, nobody looks any more.
      const found = await confirm(payment, undefined)
      return found.state === 'settled' ? found : { state: 'failed', reason, says }
    },

    async look(payment, attempts, record) {
      const known = attempts.map(({ transaction }) => shownTransaction(transaction)).findLast((one) => one !== null)
      const found = await confirm(payment, known ?? undefined)
      if (found.state !== 'pending') return found
      const reply = await askToSettle(payment, record)
      // What it refuses now it may have sent before.
      return 'state' in reply ? reply : pending
    },

    feeWallet: async () => undefined,

    async prepare() {
      await local.prepare?.()
      extra = await facilitator.extraFor(network)
    },
  }
}

/** It checks a payment before it sends it, and says so in words of its own; about one that it has sent, in others. */
const isRefusedUnsent = ({ reason, transaction }: SettleReply): boolean =>
  transaction === '' &&
  /^(invalid|insufficient)_/.test(reason) &&
  !/already_used|transaction_(state|failed)/.test(reason)
