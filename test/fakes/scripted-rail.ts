import { paymentFailure } from '#contract/errors.js'
import type { Attempt, Outcome, Rail, RecordAttempt, SignedPayment, Verdict } from '#payments/rail.js'

/** What happens to a transaction when it is sent. */
export type Fate =
  /** The chain has it, and whoever waits sees it. */
  | 'settles'
  /** The chain has it, but whoever waits gives up before it says so. */
  | 'settles unseen'
  /** Lost on the way; it settles when it is sent again. */
  | 'is lost'
  /** The chain takes it and moves no money. */
  | 'fails'
  /** The payer has sent it meanwhile, so there is nothing left to send; the chain is not sure of it yet. */
  | 'comes otherwise'

/** A chain in memory that all processes share: for faults that no real node can be brought to on command. */
export const createScriptedChain = () => {
  const balances = new Map<string, bigint>()
  const chain = {
    /** What became of transactions that the chain has. */
    landed: new Map<string, 'moved' | 'failed'>(),
    /** The transaction that moved the money for a key: there can be one only. */
    moved: new Map<string, string>(),
    fates: new Map<string, Fate>(),
    /** Every transaction that was sent, in order, also again. */
    sent: [] as string[],
    verified: 0,
    isDown: false,
    fill: (payer: string, amount: bigint) => void balances.set(payer, amount),
    send({ paymentKey, payer, amount }: SignedPayment, transaction: string, fate: Fate = 'settles') {
      chain.sent.push(transaction)
      if (chain.landed.has(transaction) || (fate === 'is lost' && !chain.sent.slice(0, -1).includes(transaction)))
        return
      const balance = balances.get(payer) ?? 0n
      const moves = fate !== 'fails' && !chain.moved.has(paymentKey) && balance >= amount
      chain.landed.set(transaction, moves ? 'moved' : 'failed')
      if (!moves) return
      chain.moved.set(paymentKey, transaction)
      balances.set(payer, balance - amount)
    },
    verdictOn: ({ paymentKey, payer, amount }: SignedPayment): Verdict => {
      if (chain.moved.has(paymentKey))
        return { isGood: false, reason: 'invalid_exact_evm_nonce_already_used', says: 'its nonce is used' }
      if ((balances.get(payer) ?? 0n) < amount)
        return { isGood: false, reason: 'insufficient_funds', says: 'the wallet has too little USDC' }
      return { isGood: true }
    },
  }
  return chain
}

export type ScriptedChain = ReturnType<typeof createScriptedChain>

/** What a test signs: anything else about it (`salt`) makes other bytes for the same transfer. */
export type ScriptedPayload = { key: string; payer: string; amount: string; salt?: string; validUntilMs?: number }

export const scriptedHeader = (payload: ScriptedPayload, network = 'eip155:8453'): string =>
  Buffer.from(JSON.stringify({ x402Version: 2, accepted: { scheme: 'exact', network }, payload })).toString('base64')

let signed = 0

/** A rail on that chain. `step` is called between any two things it does, and may end the process by throwing. */
export const createScriptedRail = (
  chain: ScriptedChain,
  step: (where: string) => unknown = () => {},
  network = 'eip155:8453',
): Rail => {
  const ask = async (where: string) => {
    await step(where)
    if (chain.isDown) throw new Error('connect ECONNREFUSED')
  }

  const outcomeOf = ({ paymentKey }: SignedPayment, transactions: readonly string[]): Outcome => {
    const moved = chain.moved.get(paymentKey)
    if (moved !== undefined) return { state: 'settled', transaction: moved }
    const isOver = transactions.every((transaction) => chain.landed.get(transaction) === 'failed')
    if (isOver) return { state: 'failed', reason: 'transaction_failed', says: 'the chain reverted the transfer' }
    return { state: 'pending' }
  }

  return {
    network,
    shortName: 'base',
    requirements: (amount) => ({
      scheme: 'exact',
      network,
      amount: String(amount),
      asset: 'usdc',
      payTo: 'us',
      maxTimeoutSeconds: 300,
      extra: {},
    }),
    read(payload) {
      const { key, payer, amount, validUntilMs } = payload as Partial<ScriptedPayload>
      if (typeof key !== 'string' || typeof payer !== 'string' || !/^[1-9]\d{0,30}$/.test(String(amount)))
        throw paymentFailure('paymentUnreadable', 'it is no payment', { reason: 'invalid_payload' })
      return {
        network,
        paymentKey: key,
        payer,
        amount: BigInt(String(amount)),
        validUntilMs: typeof validUntilMs === 'number' ? validUntilMs : null,
        payload: payload as Record<string, unknown>,
      }
    },
    async verify(payment) {
      await ask('before verify')
      chain.verified++
      const verdict = chain.verdictOn(payment)
      await step('after verify')
      return verdict
    },
    async settle(payment: SignedPayment, record: RecordAttempt) {
      await ask('before record')
      if (chain.fates.get(payment.paymentKey) === 'comes otherwise') {
        chain.send(payment, `by ${payment.payer}`)
        return { state: 'pending' }
      }
      const transaction = `tx-${++signed}`
      await record({ transaction, raw: `raw ${transaction}`, feeNonce: null })
      await ask('before send')
      const fate = chain.fates.get(payment.paymentKey) ?? 'settles'
      chain.send(payment, transaction, fate)
      await step('after send')
      return fate === 'settles unseen' ? { state: 'pending' } : outcomeOf(payment, [transaction])
    },
    async look(payment: SignedPayment, attempts: readonly Attempt[]) {
      await ask('before look')
      const transactions = attempts.map(({ transaction }) => transaction)
      const found = outcomeOf(payment, transactions)
      if (found.state !== 'pending') return found
      for (const transaction of transactions) chain.send(payment, transaction, chain.fates.get(payment.paymentKey))
      await step('after look')
      return outcomeOf(payment, transactions)
    },
    feeWallet: async () => {
      await ask('fee wallet')
      return { address: 'fees', balance: '0.5', unit: 'ETH', isLow: true }
    },
    prepare: () => ask('prepare'),
  }
}
