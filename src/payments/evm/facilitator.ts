import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import type { FacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { type Abi, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { JsonRpcError } from '#plumbing/json-rpc.js'
import type { Attempt, RecordAttempt, Requirements, SignedPayment, Verdict } from '../rail.js'
import type { Chain, Receipt } from './chain.js'
import type { FeeWallet } from './fee-wallet.js'
import { sentenceOf, Unpayable } from './reasons.js'

type Needs = {
  chain: Chain
  feeWallet: FeeWallet
  confirmations: number
  waitMs: number
  walletFactories: readonly string[]
  /** Throws when no wallet is deployed at the moment. */
  allowDeployment(): Promise<void>
  requirements(amount: bigint): Requirements
}

/** What happened during one call of the library, which answers every exception with a verdict on the payment. */
type Session = { trouble: unknown; unpayable: Unpayable | undefined; sent: Sent[] }
type Sent = Awaited<ReturnType<FeeWallet['submit']>>

/** `reason` says why it was not settled; when something was sent, only the chain knows. */
type Settlement = { transaction: string } | { reason: string; sent: readonly Attempt[] }

// A transfer takes about 60 000 gas, and several times that for a wallet whose contract checks a passkey. A wallet's
// contract may burn all the gas it is given, at our expense.
const transferGasMax = 500_000n
const deploymentGasMax = 2_000_000n

const pollMs = (waitedMs: number) => Math.min(1_000, Math.max(20, waitedMs / 4))

/** The official facilitator code, on our way to ask the chain and to send. */
export const createFacilitator = (needs: Needs) => {
  const { chain, feeWallet, confirmations, waitMs, walletFactories, allowDeployment, requirements } = needs

  const deepReceipt = async (hash: Hex): Promise<Receipt | undefined> => {
    const receipt = await chain.receipt(hash)
    if (receipt === undefined || confirmations <= 1) return receipt
    const { number } = await chain.head()
    return number - receipt.blockNumber + 1n >= BigInt(confirmations) ? receipt : undefined
  }

  const isLost = async ({ transaction }: Sent) => (await chain.receipt(transaction).catch(() => null)) === undefined

  const waitForReceipt = async (attempt: Sent): Promise<Receipt> => {
    let { isAccepted } = attempt
    let unblockAtMs = isAccepted ? 1_000 : 100
    const beganMs = performance.now()
    for (;;) {
      const receipt = await deepReceipt(attempt.transaction as Hex).catch(() => undefined)
      if (receipt !== undefined) return receipt
      // Also the time that the node took: one that hangs must not hold the caller.
      const waitedMs = performance.now() - beganMs
      if (waitedMs >= waitMs) throw new Error('not confirmed yet')
      if (!isAccepted) isAccepted = await chain.send(attempt.raw).catch(() => false)
      if (waitedMs >= unblockAtMs) {
        const next = await feeWallet.unblock(attempt.feeNonce).catch(() => 0n)
        if (next > attempt.feeNonce && (await isLost(attempt))) throw new Error('its nonce was taken')
        unblockAtMs *= 2
      }
      await sleep(Math.min(pollMs(waitedMs), waitMs - waitedMs))
    }
  }

  const signerOf = (session: Session, record: RecordAttempt): FacilitatorEvmSigner => {
    const codes = new Map<Hex, Promise<Hex | undefined>>()
    const isVerdict = (error: unknown) => error instanceof JsonRpcError && error.isRevert
    const remember = (error: unknown) => {
      if (error instanceof Unpayable) session.unpayable ??= error
      else if (!isVerdict(error)) session.trouble ??= error
    }
    const remembering = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work
      } catch (error) {
        remember(error)
        throw error
      }
    }
    const submit = async (to: Hex, data: Hex, gasMax: bigint): Promise<Hex> => {
      if (session.trouble !== undefined) throw session.trouble
      const attempt = await remembering(feeWallet.submit({ to, data, gasMax }, record))
      session.sent.push(attempt)
      return attempt.transaction as Hex
    }
    const encode = (call: { abi: readonly unknown[]; functionName: string; args?: readonly unknown[] }) =>
      encodeFunctionData({ abi: call.abi as Abi, functionName: call.functionName, args: call.args ?? [] })
    return {
      getAddresses: () => [feeWallet.address],
      async readContract({ address, abi, functionName, args }) {
        const call = { to: address, data: encode({ abi, functionName, args: args ?? [] }) }
        const data = await remembering(chain.call(call))
        return decodeFunctionResult({ abi: abi as Abi, functionName, args: args ?? [], data })
      },
      // Never rejects: the library asks for the token's code without waiting for the answer in every case.
      getCode({ address }) {
        const code = codes.get(address) ?? chain.codeOf(address).catch((error) => void remember(error))
        codes.set(address, code)
        return code as Promise<Hex | undefined>
      },
      writeContract: ({ address, ...call }) => submit(address, encode(call), transferGasMax),
      async sendTransaction({ to, data }) {
        await remembering(allowDeployment())
        return submit(to, data, deploymentGasMax)
      },
      async waitForTransactionReceipt({ hash }) {
        const { status, logs } = await waitForReceipt(session.sent.find(({ transaction }) => transaction === hash)!)
        return { status, logs: logs as never }
      },
      verifyTypedData: () => Promise.reject(new Error('the library checks signatures by itself')),
    }
  }

  const open = (payment: SignedPayment, record: RecordAttempt) => {
    const session: Session = { trouble: undefined, unpayable: undefined, sent: [] }
    // One for each call, because it remembers in memory what it has sent: we remember it in the database.
    const scheme = new ExactEvmScheme(signerOf(session, record), { eip6492AllowedFactories: [...walletFactories] })
    const accepted = requirements(payment.amount) as PaymentRequirements
    const payload: PaymentPayload = { x402Version: 2, accepted, payload: payment.payload }
    return { session, scheme, accepted, payload }
  }

  const sendsNothing: RecordAttempt = () => Promise.reject(new Error('nothing is sent to verify a payment'))

  return {
    /** Throws when the chain could not be asked. */
    async verify(payment: SignedPayment): Promise<Verdict> {
      const { session, scheme, accepted, payload } = open(payment, sendsNothing)
      const { isValid, invalidReason } = await scheme.verify(payload, accepted)
      if (session.trouble !== undefined) throw session.trouble
      if (isValid) return { isGood: true }
      const reason = invalidReason ?? 'invalid_payload'
      return { isGood: false, reason, says: sentenceOf(reason) }
    },

    /** Throws when the chain could not be asked, and nothing was sent. */
    async settle(payment: SignedPayment, record: RecordAttempt): Promise<Settlement> {
      const { session, scheme, accepted, payload } = open(payment, record)
      const { success, transaction, errorReason } = await scheme.settle(payload, accepted)
      if (success) return { transaction }
      const { trouble, unpayable, sent } = session
      if (trouble !== undefined && sent.length === 0) throw trouble
      return { reason: unpayable?.reason ?? errorReason ?? 'invalid_payload', sent }
    },
  }
}
