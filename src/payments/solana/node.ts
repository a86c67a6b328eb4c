import { callJsonRpc, JsonRpcError } from '#plumbing/json-rpc.js'

export type Commitment = 'processed' | 'confirmed' | 'finalized'

/** An error of a transaction in the chain's own spelling, such as `{ InstructionError: [2, { Custom: 1 }] }`. */
export type ChainError = string | Record<string, unknown>

export type TransactionStatus = { error: ChainError | null; commitment: Commitment }

const commitments = new Set<unknown>(['processed', 'confirmed', 'finalized'])
const base64 = { encoding: 'base64' }

/**
 * The few questions that we ask a node of Solana. Answers are checked: whoever takes nonsense for "not found" tells a
 * payer that no money has moved.
 *
 * Not the client of `@solana/kit`: it speaks through the global fetch, which refuses its content-length once the undici
 * package is loaded.
 */
export const createSolanaNode = (rpcUrl: string, timeoutMs = 8_000) => {
  const once = (method: string, params: unknown[]) => callJsonRpc(rpcUrl, method, params, timeoutMs)

  const call = (method: string, params: unknown[]): Promise<unknown> =>
    once(method, params).catch((error) => {
      // A connection that was idle for too long is found dead only when it is used. All calls may be made twice.
      if (deadConnection.has((error as { cause?: { code?: string } }).cause?.code)) return once(method, params)
      throw error
    })

  const callForValue = async (method: string, params: unknown[]): Promise<unknown> => {
    const value = ((await call(method, params)) as { value?: unknown } | null)?.value
    if (value === undefined) throw malformed(method)
    return value
  }

  return {
    async genesisHash(): Promise<string> {
      return String(await call('getGenesisHash', []))
    },

    async balance(address: string, commitment: Commitment): Promise<bigint> {
      const value = await callForValue('getBalance', [address, { commitment }])
      if (!Number.isSafeInteger(value)) throw malformed('getBalance')
      return BigInt(value as number)
    },

    async account(address: string, commitment: Commitment): Promise<{ owner: string; data: Buffer } | undefined> {
      const value = await callForValue('getAccountInfo', [address, { ...base64, commitment }])
      if (value === null) return undefined
      const { owner, data } = value as { owner?: unknown; data?: unknown }
      if (typeof owner !== 'string' || !Array.isArray(data)) throw malformed('getAccountInfo')
      return { owner, data: Buffer.from(String(data[0]), 'base64') }
    },

    async latestBlockhash(): Promise<{ blockhash: string; lastValidBlockHeight: bigint }> {
      const value = (await callForValue('getLatestBlockhash', [{ commitment: 'confirmed' }])) as Record<string, unknown>
      return { blockhash: String(value.blockhash), lastValidBlockHeight: BigInt(Number(value.lastValidBlockHeight)) }
    },

    async isBlockhashValid(blockhash: string, commitment: Commitment): Promise<boolean> {
      const value = await callForValue('isBlockhashValid', [blockhash, { commitment }])
      if (typeof value !== 'boolean') throw malformed('isBlockhashValid')
      return value
    },

    /** Why the chain would refuse it now; null when it would not. At the newest state, which knows every blockhash. */
    async simulate(wire: string): Promise<ChainError | null> {
      const options = { ...base64, commitment: 'processed', sigVerify: false }
      const value = (await callForValue('simulateTransaction', [wire, options])) as { err?: unknown } | null
      if (value?.err === undefined) throw malformed('simulateTransaction')
      return value.err as ChainError | null
    },

    /** Throws a `JsonRpcError` when the node did not pass it on. One that is on the chain already is as good as sent. */
    async send(wire: string): Promise<void> {
      try {
        await call('sendTransaction', [wire, { ...base64, preflightCommitment: 'processed' }])
      } catch (error) {
        if (!(error instanceof JsonRpcError && isAlreadyProcessed(error))) throw error
      }
    },

    /** In the order of the signatures; undefined for those that no block has, as far as the node can look back. */
    async statuses(signatures: readonly string[]): Promise<(TransactionStatus | undefined)[]> {
      const values = await callForValue('getSignatureStatuses', [signatures, { searchTransactionHistory: true }])
      if (!Array.isArray(values) || values.length !== signatures.length) throw malformed('getSignatureStatuses')
      return values.map((value) => {
        if (value === null) return undefined
        const { err, confirmationStatus } = value as { err?: unknown; confirmationStatus?: unknown }
        if (err === undefined || !commitments.has(confirmationStatus)) throw malformed('getSignatureStatuses')
        return { error: err as ChainError | null, commitment: confirmationStatus as Commitment }
      })
    },
  }
}

const isAlreadyProcessed = ({ data, message }: JsonRpcError) =>
  (data as { err?: unknown } | null | undefined)?.err === 'AlreadyProcessed' || /already been processed/i.test(message)

const deadConnection = new Set<string | undefined>(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

const malformed = (method: string) => new Error(`the node of Solana answered ${method} with something else`)

export type SolanaNode = ReturnType<typeof createSolanaNode>
