import type { TestContext } from 'node:test'
import type { Instruction } from '@solana/kit'
import type { Attempt, SignedPayment } from '#payments/rail.js'
import { createSolanaRail } from '#payments/solana/rail.js'
import type { SolanaSettings } from '#payments/solana/settings.js'
import { createTestClock } from '../service.js'
import { startSvmNode } from './svm-node.js'
import { craft, createPayer, createSolanaKey, solanaNetwork, usualPayment } from './svm-payments.js'

export const startLamports = 100_000_000n

/** A rail with everything around it: a chain, a recipient, a fee wallet with SOL, and a payer with 20 USDC. */
export const openSolanaShop = async (t: TestContext, change: Partial<SolanaSettings> = {}) => {
  const node = await startSvmNode(t)
  const feeKey = createSolanaKey()
  const payTo = createSolanaKey().address
  const clock = createTestClock()
  const settings: SolanaSettings = {
    rpcUrl: node.url,
    payTo,
    feeWalletKey: feeKey.secret,
    asset: node.mint,
    network: solanaNetwork,
    confirmation: 'confirmed',
    lowFeeBalance: '0.05',
    maxTimeoutSeconds: 300,
    ...change,
  }
  /** As a process that has just started and knows nothing. */
  const openRail = async (more: Partial<SolanaSettings> = {}) => {
    const rail = await createSolanaRail({ ...settings, ...more }, { clock, waitMs: 30 })
    await rail.prepare()
    return rail
  }
  node.fund(feeKey.address, startLamports)
  await node.mintTo(payTo, 0n)
  const payer = await createPayer(node)
  const rail = await openRail()
  const attempts: Attempt[] = []
  const record = async (attempt: Attempt) => void attempts.push(attempt)
  const sign = async (amount = 5_000_000n) => rail.read(await payer.pay(rail.requirements(amount)))
  const craftPayment = async (
    shape: (usual: Awaited<ReturnType<typeof usualPayment>>) => Instruction[],
  ): Promise<SignedPayment> => {
    const parts = shape(await usualPayment(payer.address, payTo, 5_000_000n))
    const at = { feePayer: feeKey.address, blockhash: await payer.latestBlockhash(), signers: [payer.signer] }
    return rail.read({ transaction: await craft(parts, at) })
  }
  const sends = () => node.calls.filter(({ method }) => method === 'sendTransaction').length
  const received = () => node.tokenBalance(payTo)
  return {
    node,
    rail,
    openRail,
    settings,
    clock,
    payer,
    payTo,
    feeKey,
    attempts,
    record,
    sign,
    craftPayment,
    sends,
    received,
  }
}
