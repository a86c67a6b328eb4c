import { generateKeyPairSync } from 'node:crypto'
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { callJsonRpc } from '#plumbing/json-rpc.js'
import { tokenAccountOf, usdcMint } from './svm-ledger.js'
import type { SvmNode } from './svm-node.js'

export const solanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/** A key as Solana's tools write it, with its address. */
export const createSolanaKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const half = (jwk: string | undefined) => Buffer.from(String(jwk), 'base64url')
  const publicBytes = half(publicKey.export({ format: 'jwk' }).x)
  const decode = getBase58Decoder().decode
  return {
    address: decode(publicBytes) as Address,
    secret: decode(Buffer.concat([half(privateKey.export({ format: 'jwk' }).d), publicBytes])),
  }
}

const integer = (bytes: 4 | 8, value: bigint) => {
  const data = Buffer.alloc(8)
  data.writeBigUInt64LE(value)
  return data.subarray(0, bytes)
}

/** The instructions of a payment, and of what should not be one. */
export const instructions = {
  computeLimit: (units = 20_000): Instruction => ({
    programAddress: address('ComputeBudget111111111111111111111111111111'),
    data: Uint8Array.of(2, ...integer(4, BigInt(units))),
  }),
  computePrice: (microLamports = 1n): Instruction => ({
    programAddress: address('ComputeBudget111111111111111111111111111111'),
    data: Uint8Array.of(3, ...integer(8, microLamports)),
  }),
  memo: (text: string): Instruction => ({
    programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    data: new TextEncoder().encode(text),
  }),
  systemTransfer: (from: string, to: string, lamports: bigint): Instruction => ({
    programAddress: address('11111111111111111111111111111111'),
    accounts: [
      { address: address(from), role: AccountRole.WRITABLE_SIGNER },
      { address: address(to), role: AccountRole.WRITABLE },
    ],
    data: Uint8Array.of(...integer(4, 2n), ...integer(8, lamports)),
  }),
  transfer: ({ source, mint = usdcMint, destination, authority, amount, decimals = 6 }: Transfer): Instruction => ({
    programAddress: address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
    accounts: [
      { address: address(source), role: AccountRole.WRITABLE },
      { address: address(mint), role: AccountRole.READONLY },
      { address: address(destination), role: AccountRole.WRITABLE },
      { address: address(authority), role: AccountRole.READONLY_SIGNER },
    ],
    data: Uint8Array.of(12, ...integer(8, amount), decimals),
  }),
}

type Transfer = {
  source: string
  mint?: string
  destination: string
  authority: string
  amount: bigint
  decimals?: number
}

type Craft = {
  feePayer: string
  blockhash: string
  signers: KeyPairSigner[]
  version?: 0 | 'legacy'
  /** Accounts that are named by a lookup table instead of the transaction. */
  lookedUp?: string[]
}

/** A transaction of any shape, in base64, signed by those who are named. */
export const craft = async (
  parts: Instruction[],
  { feePayer, blockhash: text, signers, version = 0, lookedUp = [] }: Craft,
) => {
  const message = pipe(
    createTransactionMessage({ version: version as 0 }),
    (message) => setTransactionMessageFeePayer(address(feePayer), message),
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash(text), lastValidBlockHeight: 0n }, message),
    (message) => appendTransactionMessageInstructions(parts, message),
    (message) =>
      compressTransactionMessageUsingAddressLookupTables(message, { [usdcMint as Address]: lookedUp.map(address) }),
  )
  const transaction = compileTransaction(message)
  const keys = signers.map(({ keyPair }) => keyPair)
  return getBase64EncodedWireTransaction(await partiallySignTransaction(keys, transaction))
}

/** The four instructions of a usual payment, which a test can change. */
export const usualPayment = async (payer: string, payTo: string, amount: bigint) => ({
  limit: instructions.computeLimit(),
  price: instructions.computePrice(),
  transfer: instructions.transfer({
    source: await tokenAccountOf(payer),
    destination: await tokenAccountOf(payTo),
    authority: payer,
    amount,
  }),
  memo: instructions.memo(`test ${Math.random()}`),
})

/** Somebody with USDC and the official client. */
export const createPayer = async (node: SvmNode, amount = 20_000_000n) => {
  const signer = await generateKeyPairSigner()
  await node.mintTo(signer.address, amount)
  const client = new ExactSvmScheme(signer, { rpcUrl: node.url })
  return {
    signer,
    address: signer.address,
    async pay(requirements: object | undefined): Promise<Record<string, unknown>> {
      const { payload } = await client.createPaymentPayload(2, requirements as never)
      return payload as Record<string, unknown>
    },
    async latestBlockhash() {
      const { value } = (await callJsonRpc(node.url, 'getLatestBlockhash', [])) as { value: { blockhash: string } }
      return value.blockhash
    },
  }
}
