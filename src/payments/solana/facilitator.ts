import { JsonRpcError } from '#plumbing/json-rpc.js'
import type { Attempt, Outcome, RecordAttempt, Requirements, SignedPayment, Verdict } from '../rail.js'
import type { FeeKey } from './fee-key.js'
import type { ChainError, SolanaNode } from './node.js'
import { isFeeWalletEmpty, sayChainError, sayReason } from './refusals.js'
import { readWireAgain, writeWire } from './wire.js'

type Scheme = typeof import('@x402/svm/exact/facilitator').ExactSvmScheme
type Signer = ConstructorParameters<Scheme>[0]

/**
 * What a payer may make the fee wallet pay for at most: two signatures, and 0.00005 SOL to be served sooner. A transfer
 * with a memo takes a fifth of the compute units.
 */
const limits = { maxRequiredSignatures: 2, maxComputeUnits: 100_000, maxPriorityFeeMicroLamports: 500_000 }

const simulationFailed = 'invalid_exact_svm_transaction_simulation_failed'

type Needs = {
  ExactSvmScheme: Scheme
  node: SolanaNode
  feeKey: FeeKey
  base58: { decode(bytes: Uint8Array): string }
}

type Delivery = {
  attempt: Attempt
  /** Writes the transaction down before it is sent. */
  record: RecordAttempt
  /** Sends it and waits. Throws nothing. */
  deliver(attempt: Attempt): Promise<Outcome>
  /** What the chain says of it; undefined when it does not know it. */
  find(attempts: readonly Attempt[]): Promise<Outcome | undefined>
}

/** The official scheme of x402, told apart: what is wrong with a payment, and what went wrong with us. */
export const createFacilitator = ({ ExactSvmScheme, node, feeKey, base58 }: Needs) => {
  /** With the signature of the fee wallet, by which the chain names it. */
  const complete = (payment: SignedPayment): Attempt => {
    const wire = readWireAgain(payment.payload.transaction)
    const signature = feeKey.sign(wire.message)
    return { transaction: base58.decode(signature), raw: writeWire(wire, signature), feeNonce: null }
  }

  // The scheme takes everything that its signer throws for a fault of the payment, and prints some of it. So ours throws
  // only what is one, and keeps the rest for us. A scheme remembers what it has settled; ours does it once.
  const createRun = (delivery?: Delivery) => {
    const run: { trouble?: { cause: unknown }; chainError?: ChainError; outcome?: Outcome } = {}

    const simulate = async (wire: string) => {
      try {
        const error = await node.simulate(wire)
        if (error === null) return
        if (isFeeWalletEmpty(error)) throw new Error(`the fee wallet ${feeKey.address} has too little SOL`)
        run.chainError = error
      } catch (cause) {
        // The node could not make sense of this transaction; every other refusal is about the node.
        if (!(cause instanceof JsonRpcError && cause.code === -32602)) run.trouble = { cause }
      }
      throw new Error('the transaction cannot be simulated')
    }

    const delivered = () => {
      if (!delivery) throw new Error('a payment that is only looked at is not sent')
      return delivery
    }

    const signer: Signer = {
      getAddresses: () => [feeKey.address],
      simulateTransaction: simulate,
      signTransaction: async () => delivered().attempt.raw,
      sendTransaction: async () => {
        const { attempt, record, deliver } = delivered()
        try {
          await record(attempt)
          run.outcome = await deliver(attempt)
        } catch (cause) {
          run.trouble = { cause }
        }
        return attempt.transaction
      },
      confirmTransaction: async () => {},
    }
    return { run, scheme: new ExactSvmScheme(signer, undefined, limits) }
  }

  const asPayload = (payment: SignedPayment, accepted: Requirements) =>
    ({ x402Version: 2, accepted, payload: payment.payload }) as Parameters<InstanceType<Scheme>['verify']>[0]

  const refusal = (reason: string, chainError: ChainError | undefined) => ({
    reason,
    says: reason === simulationFailed && chainError !== undefined ? sayChainError(chainError) : sayReason(reason),
  })

  return {
    complete,

    async verify(payment: SignedPayment, requirements: Requirements): Promise<Verdict> {
      const { run, scheme } = createRun()
      const { isValid, invalidReason } = await scheme.verify(asPayload(payment, requirements), requirements as never)
      if (run.trouble) throw run.trouble.cause
      return isValid ? { isGood: true } : { isGood: false, ...refusal(String(invalidReason), run.chainError) }
    },

    async settle(
      payment: SignedPayment,
      requirements: Requirements,
      delivery: Omit<Delivery, 'attempt'>,
    ): Promise<Outcome> {
      const attempt = complete(payment)
      const { run, scheme } = createRun({ attempt, ...delivery })
      const { errorReason } = await scheme.settle(asPayload(payment, requirements), requirements as never)
      if (run.trouble) throw run.trouble.cause
      if (run.outcome) return run.outcome
      // What is on the chain already cannot be sent again, but failed would mean that no money has moved.
      const found = await delivery.find([attempt])
      if (found) return found
      if (run.chainError === 'AlreadyProcessed') return { state: 'pending' }
      return { state: 'failed', ...refusal(String(errorReason), run.chainError) }
    },
  }
}
