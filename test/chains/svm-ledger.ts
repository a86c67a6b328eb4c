import { createHash } from 'node:crypto'
import {
  type Address,
  address,
  getAddressCodec,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getProgramDerivedAddress,
  getTransactionDecoder,
} from '@solana/kit'
import litesvm from 'litesvm/dist/internal.js'
import { type SvmError, spellError } from './svm-errors.js'

/** USDC, at the address that it has on the main network. */
export const usdcMint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const systemProgram = '11111111111111111111111111111111'
const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'

const addressBytes = (text: string) => getAddressCodec().encode(address(text)) as Uint8Array

export const tokenAccountOf = async (owner: string, mint = usdcMint): Promise<Address> =>
  (
    await getProgramDerivedAddress({
      programAddress: address(associatedTokenProgram),
      seeds: [addressBytes(owner), addressBytes(tokenProgram), addressBytes(mint)],
    })
  )[0]

const encodeMint = (decimals: number) => {
  const data = Buffer.alloc(82)
  data.writeBigUInt64LE(10n ** 15n, 36)
  data.writeUInt8(decimals, 44)
  data.writeUInt8(1, 45)
  return data
}

const encodeTokenAccount = (mint: string, owner: string, amount: bigint) => {
  const data = Buffer.alloc(165)
  data.set(addressBytes(mint), 0)
  data.set(addressBytes(owner), 32)
  data.writeBigUInt64LE(amount, 64)
  data.writeUInt8(1, 108)
  return data
}

export type Landed = {
  signature: string
  slot: number
  error: SvmError | null
  logs: string[]
  raw: string
  accounts: string[]
}

type Execution = { error: SvmError | null; logs: string[]; unitsConsumed: number }

const decode = (bytes: Uint8Array) => {
  const transaction = getTransactionDecoder().decode(bytes)
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
  return {
    signature: getBase58Decoder().decode(Object.values(transaction.signatures)[0] ?? new Uint8Array(64)),
    // A node knows what it has processed by its message: whoever changes a signature does not make another transaction.
    messageHash: createHash('sha256').update(Uint8Array.from(transaction.messageBytes)).digest('hex'),
    accounts: message.staticAccounts.map(String),
  }
}

/** A real SVM with the real token programs: what a node knows, without the node. Bytes go in, and nothing is mocked. */
export const createSvmLedger = () => {
  const svm = new litesvm.LiteSvm()
  // Every transaction that is sent again must be recognised.
  svm.setTransactionHistory(1_000_000n)
  const landed = new Map<string, Landed>()
  const processed = new Set<string>()
  const blockhashes = [svm.latestBlockhash()]
  let slot = 1_000

  const put = (at: string, { lamports, data = Buffer.alloc(0), owner = systemProgram }: PutAccount) =>
    svm.setAccount(addressBytes(at), new litesvm.Account(lamports, data, addressBytes(owner), false, 0n))
  const putToken = (at: string, data: Buffer) =>
    put(at, { lamports: svm.minimumBalanceForRentExemption(BigInt(data.length)), data, owner: tokenProgram })
  const account = (at: string) => {
    const found = svm.getAccount(addressBytes(at))
    return found
      ? { lamports: found.lamports(), data: Buffer.from(found.data()), owner: getAddressCodec().decode(found.owner()) }
      : undefined
  }
  const tokenBalance = async (owner: string, mint?: string) =>
    account(await tokenAccountOf(owner, mint))?.data.readBigUInt64LE(64) ?? 0n
  const putMint = (mint: string, decimals = 6) => putToken(mint, encodeMint(decimals))

  const toExecution = (result: InstanceType<typeof litesvm.FailedTransactionMetadata> | { meta(): Meta } | Meta) => {
    const isFailed = result instanceof litesvm.FailedTransactionMetadata
    const meta = 'meta' in result ? result.meta() : result
    return {
      error: isFailed ? spellError(result) : null,
      logs: meta.logs(),
      unitsConsumed: Number(meta.computeUnitsConsumed()),
    }
  }

  const simulate = (bytes: Uint8Array, { verifiesSignatures = false, replacesBlockhash = false } = {}): Execution => {
    if (processed.has(decode(bytes).messageHash)) return { error: 'AlreadyProcessed', logs: [], unitsConsumed: 0 }
    svm.setSigverify(verifiesSignatures)
    svm.setBlockhashCheck(!replacesBlockhash)
    try {
      return toExecution(svm.simulateVersionedTransaction(bytes))
    } finally {
      svm.setSigverify(true)
      svm.setBlockhashCheck(true)
    }
  }

  /** Runs it for good. What never gets into a block, such as one with a blockhash that is too old, leaves no trace. */
  const execute = (bytes: Uint8Array): Execution & { signature: string } => {
    const { signature, messageHash, accounts } = decode(bytes)
    if (processed.has(messageHash)) return { signature, error: 'AlreadyProcessed', logs: [], unitsConsumed: 0 }
    const execution = toExecution(svm.sendVersionedTransaction(bytes))
    if (typeof execution.error !== 'string') {
      processed.add(messageHash)
      const { error, logs } = execution
      landed.set(signature, {
        signature,
        slot: ++slot,
        error,
        logs,
        raw: Buffer.from(bytes).toString('base64'),
        accounts,
      })
    }
    return { signature, ...execution }
  }

  putMint(usdcMint)
  return {
    account,
    blockhashes,
    execute,
    landed,
    putMint,
    signatureOf: (bytes: Uint8Array) => decode(bytes).signature,
    simulate,
    tokenBalance,
    rentExemption: (bytes: number) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
    slot: () => slot,
    fund: (at: string, lamports: bigint) => put(at, { lamports: lamports + (account(at)?.lamports ?? 0n) }),
    mintTo: async (owner: string, amount: bigint, mint = usdcMint) =>
      putToken(
        await tokenAccountOf(owner, mint),
        encodeTokenAccount(mint, owner, amount + (await tokenBalance(owner, mint))),
      ),
    expireBlockhash: () => {
      svm.expireBlockhash()
      blockhashes.push(svm.latestBlockhash())
      slot += 151
    },
  }
}

type PutAccount = { lamports: bigint; data?: Buffer; owner?: string }
type Meta = { logs(): string[]; computeUnitsConsumed(): bigint }

export type SvmLedger = ReturnType<typeof createSvmLedger>
