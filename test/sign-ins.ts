import assert from 'node:assert/strict'
import { createSignableMessage, generateKeyPairSigner, getBase58Codec } from '@solana/kit'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { Failure } from '#contract/errors.js'
import { createDatabase } from '#store/sql.js'
import { formatMessage, type SignInMessage } from '../src/guard/sign-in/message.js'
import type { Reason } from '../src/guard/sign-in/refuse.js'
import type { SignIn, SignInPlace } from '../src/guard/sign-in/sign-in.js'
import { createTestDatabase } from './database.js'
import { createTestClock } from './service.js'

export const solanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

export const encodeSignIn = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

const base58 = getBase58Codec()
export const toBase58 = (bytes: Uint8Array): string => base58.decode(bytes)

export const newEvmAccount = () => privateKeyToAccount(generatePrivateKey())

/** A wallet of each family, and all they need to sign in at a place: a clock, a database of its own. */
export const createSignIns = async (test: { after(work: () => Promise<void>): void }) => {
  const database = await createTestDatabase()
  const { sql, close } = createDatabase(database.connection)
  test.after(async () => {
    await close()
    await database.drop()
  })
  const clock = createTestClock()
  const usualPlace: SignInPlace = {
    publicUrl: 'https://api.example.com',
    evm: { chainId: 8453, rpcUrl: '' },
    solana: { network: solanaNetwork },
    maxAgeSeconds: 300,
    isReusable: false,
  }

  const account = newEvmAccount()
  const signer = await generateKeyPairSigner()
  const solanaAddress = signer.address as string
  const ofSolana = { family: 'solana', address: solanaAddress, chainId: solanaNetwork.slice(7) } as const
  const signAsSolana = async (text: string): Promise<Uint8Array> => {
    const [signatures] = await signer.signMessages([createSignableMessage(text)])
    return (signatures as Record<string, Uint8Array>)[solanaAddress] as Uint8Array
  }

  const iso = (fromNowMs = 0) => new Date(clock.nowMs() + fromNowMs).toISOString()
  let count = 0
  const newNonce = () => `nonce${String(count++).padStart(8, '0')}`

  /** All that is in a message, properly; what is given instead is signed as properly. */
  const message = (changes: Partial<SignInMessage> = {}): SignInMessage => ({
    family: 'evm',
    domain: 'api.example.com',
    address: account.address,
    statement: 'Sign in to api.example.com',
    uri: 'https://api.example.com/api/v1/chat/completions',
    version: '1',
    chainId: '8453',
    nonce: newNonce(),
    issuedAt: iso(),
    expirationTime: iso(240_000),
    ...changes,
  })
  /** Headers with the text itself, as most clients send them. */
  const evmHeader = async (changes: Partial<SignInMessage> = {}, envelope: object = {}) => {
    const text = formatMessage(message(changes))
    const signature = await account.signMessage({ message: text })
    return encodeSignIn({
      address: account.address,
      message: text,
      signature,
      chainId: 8453,
      timestamp: 1,
      ...envelope,
    })
  }
  const solanaHeader = async (changes: Partial<SignInMessage> = {}, envelope: object = {}) => {
    const text = formatMessage(message({ ...ofSolana, ...changes }))
    const signature = toBase58(await signAsSolana(text))
    const chain = { chainId: solanaNetwork, type: 'ed25519' }
    return encodeSignIn({ address: solanaAddress, message: text, signature, ...chain, ...envelope })
  }

  return {
    database,
    sql,
    clock,
    usualPlace,
    account,
    signer,
    solanaAddress,
    ofSolana,
    signAsSolana,
    iso,
    newNonce,
    message,
    evmHeader,
    solanaHeader,
    signedInEvm: { address: account.address.toLowerCase(), family: 'evm' },
    signedInSolana: { address: solanaAddress, family: 'solana' },
    nonceCount: async () => Number((await sql.one<{ n: bigint }>`select count(*) n from sign_in_nonce`).n),
  }
}

/** Why a sign-in was refused; anything else but a failure is a bug. */
export const refusalOf = async (signIn: SignIn, header: string): Promise<Failure> => {
  try {
    await signIn(header)
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    return error
  }
  throw new Error('it was not refused')
}

export const isRefused = async (signIn: SignIn, header: string, reason: Reason, says: RegExp) => {
  const { status, code, extra, message } = await refusalOf(signIn, header)
  assert.deepEqual([status, code, extra], [401, 'X402_INVALID_SIGN_IN', { reason }], message)
  assert.match(message, says)
}
