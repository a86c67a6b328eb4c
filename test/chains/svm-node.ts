import { createServer } from 'node:http'
import { sayError } from './svm-errors.js'
import { mendGlobalFetch } from './svm-fetch.js'
import { createSvmLedger, type SvmLedger, usdcMint } from './svm-ledger.js'

type Commitment = 'processed' | 'confirmed' | 'finalized'
type Params = [never, (Record<string, unknown> | undefined)?]
type Options = { genesisHash?: string }

class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

const mainGenesisHash = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

/** What goes wrong, while it is set. */
const noFaults = () => ({
  /** Every call is answered with 502. */
  isDown: false,
  /** Calls of these methods are answered with 502. */
  downMethods: new Set<string>(),
  /** Transactions are accepted, and never arrive. */
  dropSends: false,
  /** Transactions arrive, and whoever sent them is cut off before the answer. */
  cutSends: false,
  /** No transaction is known, whatever happened to it. */
  hideStatuses: false,
  /** A node that was set up without a history of transactions. */
  hasNoHistory: false,
  /** How far everything that landed has come. */
  confirmation: 'finalized' as Commitment,
  /** What is final lags one blockhash behind: the newest is not known there yet, and the one before is still good. */
  isFinalityBehind: false,
  /** A node that is behind: it has not heard of any blockhash that somebody could use. */
  knowsNoBlockhash: false,
  /** Sent instead of every answer, such as something that is no JSON. */
  answersWith: undefined as string | undefined,
  /** Sent instead of the answer to a method. */
  answersByMethod: new Map<string, string>(),
})

const decodeWire = (text: string) => {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length > 1232)
    throw new RpcError(-32602, `base64 encoded too large: ${bytes.length} bytes (max: 1232 bytes)`)
  return bytes
}

/** Whole numbers of 64 bits are written with all their digits. */
const writeJson = (value: unknown) =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `#${part}n` : part)).replace(/"#(\d+)n"/g, '$1')

const createMethods = (ledger: SvmLedger, faults: ReturnType<typeof noFaults>, { genesisHash }: Required<Options>) => {
  const inContext = (value: unknown) => ({ context: { apiVersion: '2.2.0', slot: ledger.slot() }, value })
  const height = () => ledger.slot() - 100
  const accountInfo = (at: string) => {
    const found = ledger.account(at)
    if (!found) return null
    const { data, lamports, owner } = found
    return {
      data: [data.toString('base64'), 'base64'],
      executable: false,
      lamports,
      owner,
      rentEpoch: 0,
      space: data.length,
    }
  }
  const status = (signature: string) => {
    const found = faults.hideStatuses ? undefined : ledger.landed.get(signature)
    if (!found) return null
    const isFinal = faults.confirmation === 'finalized'
    return {
      slot: found.slot,
      confirmations: isFinal ? null : 1,
      err: found.error,
      status: found.error ? { Err: found.error } : { Ok: null },
      confirmationStatus: faults.confirmation,
    }
  }
  const isBlockhashValid = (blockhash: string, commitment: Commitment) => {
    if (faults.knowsNoBlockhash) return false
    const isBehind = commitment === 'finalized' && faults.isFinalityBehind
    return ledger.blockhashes.at(isBehind ? -2 : -1) === blockhash
  }
  const decodable = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw new RpcError(-32602, `failed to deserialize the transaction: ${(error as Error).message}`)
    }
  }

  const methods: Record<string, (params: Params) => unknown> = {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': '2.2.0', 'feature-set': 0 }),
    getGenesisHash: () => genesisHash,
    getSlot: () => ledger.slot(),
    getBlockHeight: () => height(),
    getLatestBlockhash: () => inContext({ blockhash: ledger.blockhashes.at(-1), lastValidBlockHeight: height() + 150 }),
    isBlockhashValid: ([blockhash, config]) =>
      inContext(isBlockhashValid(blockhash, (config?.commitment as Commitment | undefined) ?? 'finalized')),
    getAccountInfo: ([at]) => inContext(accountInfo(at)),
    getMultipleAccounts: ([all]) => inContext((all as string[]).map(accountInfo)),
    getBalance: ([at]) => inContext(ledger.account(at)?.lamports ?? 0n),
    getTokenAccountBalance: ([at]) => {
      const found = ledger.account(at)
      if (found?.data.length !== 165) throw new RpcError(-32602, 'Invalid param: could not find account')
      const amount = found.data.readBigUInt64LE(64)
      return inContext({ amount: String(amount), decimals: 6, uiAmountString: String(Number(amount) / 1e6) })
    },
    getMinimumBalanceForRentExemption: ([bytes]) => ledger.rentExemption(bytes),
    getFeeForMessage: ([message]) => inContext(5_000 * ((Buffer.from(message, 'base64').at(1) as number) || 1)),
    getSignatureStatuses: ([signatures, config]) => {
      if (faults.hasNoHistory && config?.searchTransactionHistory === true)
        throw new RpcError(-32011, 'Transaction history is not available from this node')
      return inContext((signatures as string[]).map(status))
    },
    getSignaturesForAddress: ([at, config]) =>
      [...ledger.landed.values()]
        .filter(({ accounts }) => !faults.hideStatuses && accounts.includes(at))
        .reverse()
        .slice(0, (config?.limit as number | undefined) ?? 1_000)
        .map(({ signature, slot, error }) => ({
          signature,
          slot,
          err: error,
          memo: null,
          blockTime: null,
          confirmationStatus: faults.confirmation,
        })),
    getTransaction: ([signature]) => {
      const found = faults.hideStatuses ? undefined : ledger.landed.get(signature)
      if (!found) return null
      const { slot, raw, error, logs } = found
      return {
        slot,
        blockTime: null,
        version: 0,
        transaction: [raw, 'base64'],
        meta: { err: error, fee: 5_000, logMessages: logs, innerInstructions: [] },
      }
    },
    simulateTransaction: ([wire, config]) => {
      const { error, logs, unitsConsumed } = decodable(() =>
        ledger.simulate(decodeWire(wire), {
          verifiesSignatures: config?.sigVerify === true,
          replacesBlockhash: config?.replaceRecentBlockhash === true,
        }),
      )
      return inContext({ err: error, logs, accounts: null, unitsConsumed, returnData: null, innerInstructions: null })
    },
    sendTransaction: ([wire, config]) => {
      const bytes = decodeWire(wire)
      const preflight = decodable(() => ledger.simulate(bytes, { verifiesSignatures: true }))
      if (preflight.error === 'SignatureFailure')
        throw new RpcError(-32003, 'Transaction signature verification failure')
      if (preflight.error && config?.skipPreflight !== true)
        throw new RpcError(-32002, `Transaction simulation failed: ${sayError(preflight.error)}`, {
          err: preflight.error,
          logs: preflight.logs,
          accounts: null,
          unitsConsumed: preflight.unitsConsumed,
          returnData: null,
        })
      return faults.dropSends ? ledger.signatureOf(bytes) : ledger.execute(bytes).signature
    },
  }
  return methods
}

/** A node of Solana for tests: a real SVM with real token programs behind JSON-RPC, for any process that has the URL. */
export const startSvmNode = async (
  test: { after(work: () => Promise<void>): void },
  { genesisHash = mainGenesisHash }: Options = {},
) => {
  mendGlobalFetch()
  const ledger = createSvmLedger()
  const faults = noFaults()
  const calls: { method: string; params: unknown[] }[] = []
  const methods = createMethods(ledger, faults, { genesisHash })

  const answer = ({ id, method, params = [] }: { id: unknown; method: string; params?: unknown[] }) => {
    calls.push({ method, params })
    try {
      const answerer = methods[method]
      if (!answerer) throw new RpcError(-32601, 'Method not found')
      return { jsonrpc: '2.0', id, result: answerer(params as Params) }
    } catch (error) {
      const { code = -32603, message, data } = error as RpcError
      return { jsonrpc: '2.0', id, error: { code, message, data } }
    }
  }

  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = JSON.parse(text)
    if (faults.isDown || faults.downMethods.has(body.method)) return response.writeHead(502).end('bad gateway')
    const result = Array.isArray(body) ? body.map(answer) : answer(body)
    if (faults.cutSends && body.method === 'sendTransaction') return request.socket.destroy()
    response.setHeader('content-type', 'application/json')
    response.end(faults.answersWith ?? faults.answersByMethod.get(body.method) ?? writeJson(result))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  test.after(close)

  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    mint: usdcMint,
    fund: ledger.fund,
    lamports: (owner: string) => ledger.account(owner)?.lamports ?? 0n,
    /** Makes the token account of the owner when there is none. */
    mintTo: ledger.mintTo,
    /** Another token, which is not USDC. */
    putMint: ledger.putMint,
    tokenBalance: ledger.tokenBalance,
    /** All blockhashes so far are too old from now on. */
    expireBlockhash: ledger.expireBlockhash,
    /** What is in blocks, by signature. */
    landed: ledger.landed,
    faults,
    calls,
    close,
  }
}

export type SvmNode = Awaited<ReturnType<typeof startSvmNode>>
