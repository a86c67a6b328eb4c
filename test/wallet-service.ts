import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { openWallet } from '#accounts/wallets/wallets.js'
import { grantCredit } from '#ledger/credit/grant.js'
import { startEvmNode } from './chains/evm-node.js'
import { startSvmNode } from './chains/svm-node.js'
import { createSolanaKey } from './chains/svm-payments.js'
import { startTextService } from './text-service.js'
import { createEvmWallet, createSolanaWallet, type TestWallet } from './wallets.js'

type Test = { after(work: () => void | Promise<void>): void }

export const hello = { model: 'acme', messages: [{ role: 'user', content: 'Hi' }] }

/** Two chains with USDC, and the section of the config file that takes payments on both. */
export const startChains = async (test: Test) => {
  const evm = await startEvmNode(test)
  const svm = await startSvmNode(test)
  const feeWalletKey = generatePrivateKey()
  const payTo = privateKeyToAddress(generatePrivateKey())
  const [solanaFee, solanaPayTo] = [createSolanaKey(), createSolanaKey()]
  await evm.fund(privateKeyToAddress(feeWalletKey), 10n ** 18n)
  svm.fund(solanaFee.address, 1_000_000_000n)
  /** `more` is further lines of the section. */
  const section = (more = '') => `
x402:
  evm: { rpcUrl: "${evm.url}", payTo: "${payTo}", feeWalletKey: "${feeWalletKey}" }
  solana: { rpcUrl: "${svm.url}", payTo: "${solanaPayTo.address}", feeWalletKey: "${solanaFee.secret}" }
${more}`
  return {
    evm,
    svm,
    payTo,
    solanaPayTo: solanaPayTo.address as string,
    feeWallet: privateKeyToAddress(feeWalletKey),
    section,
    /** A wallet with USDC on the chain. */
    async evmWallet(units = 100_000_000n) {
      const wallet = createEvmWallet()
      if (units > 0n) await evm.mint(wallet.address as `0x${string}`, units)
      return wallet
    },
    async solanaWallet(units = 100_000_000n) {
      const wallet = await createSolanaWallet(svm.url)
      await svm.mintTo(wallet.address, units)
      return wallet
    },
  }
}

export type Chains = Awaited<ReturnType<typeof startChains>>

/** A service with text models that takes wallets on two chains. */
export const startWalletService = async (
  test: Test,
  { more = '', models = '', chains }: { more?: string; models?: string; chains?: Chains } = {},
) => {
  const ground = chains ?? (await startChains(test))
  const logLines: string[] = []
  const service = await startTextService(test, { sections: ground.section(more), models, logLines })
  // The recipient's token account is made when the service starts.
  while (logLines.filter((line) => line.includes('payments are taken')).length < 2) await wait(20)
  const signedIn = async (wallet: Pick<TestWallet, 'signIn'>) => ({
    'sign-in-with-x': await wallet.signIn(service.origin),
  })
  return {
    ...service,
    ...ground,
    topUpUrl: `${service.baseURL}/x402/top-up`,
    signedIn,
    /** What the wallet has here, as the ledger says. */
    async credit(wallet: { normal: string }): Promise<bigint> {
      const row = await service.sql.maybeOne<{ balance: bigint }>`
        select a.balance from wallet w join ledger_account a on a.owner = w.account_id and a.currency = 'USD'
        where w.address = ${wallet.normal}`
      return row?.balance ?? 0n
    },
    /** A wallet with credit here, without the way over the chain. */
    async richWallet(nanos = 5_000_000_000n, wallet = createEvmWallet()) {
      const { accountId } = await openWallet(service.sql, wallet.normal, Date.now())
      const grant = { accountId, amountNanos: nanos, idempotencyKey: randomUUID(), nowMs: Date.now() }
      if (nanos > 0n) await grantCredit(service.sql, grant)
      return { ...wallet, accountId }
    },
    chat: (headers: Record<string, string>, body: object = hello) =>
      service.post('/chat/completions', body, { headers }),
    /** The official client pays, with whichever of the options it prefers. */
    async topUp(wallet: Pick<TestWallet, 'fetch'>): Promise<Response> {
      return wallet.fetch(`${service.baseURL}/x402/top-up`, { method: 'POST' })
    },
  }
}
