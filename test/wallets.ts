import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { createKeyPairSignerFromBytes, getBase58Decoder, type KeyPairSigner } from '@solana/kit'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'

/** A wallet as an agent has one: it signs in, and it pays with the official client. */
export type TestWallet = {
  address: string
  /** As answers spell it. */
  normal: string
  signIn(origin: string, change?: SignInChange): Promise<string>
  /** The official client, which pays whatever is asked. */
  client: x402Client
  fetch: typeof fetch
}

export type SignInChange = {
  domain?: string
  uri?: string
  nonce?: string
  issuedAtMs?: number
  expiresAtMs?: number
  chainId?: number
  /** Changes the envelope after everything was signed. */
  tamper?: (envelope: Record<string, unknown>) => object
}

export const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')
export const fromBase64Json = (text: unknown) => JSON.parse(Buffer.from(String(text), 'base64').toString())

export const newNonce = (): string => randomBytes(8).toString('hex')

const payingClient = (register: (client: x402Client) => void) => {
  const client = new x402Client()
  register(client)
  // Out of the box it refuses more than a dollar at a time.
  client.setSpendControls({ maxAmountPerPayment: '$20000' })
  return { client, fetch: wrapFetchWithPayment(fetch, client) as typeof fetch }
}

export const createEvmWallet = (privateKey = generatePrivateKey()) => {
  const account = privateKeyToAccount(privateKey)
  const signIn = async (origin: string, change: SignInChange = {}) => {
    const now = change.issuedAtMs ?? Date.now()
    const message = createSiweMessage({
      address: account.address,
      chainId: change.chainId ?? 8453,
      domain: change.domain ?? new URL(origin).host,
      uri: change.uri ?? origin,
      version: '1',
      nonce: change.nonce ?? newNonce(),
      statement: 'Sign in to svc',
      issuedAt: new Date(now),
      expirationTime: new Date(change.expiresAtMs ?? now + 240_000),
    })
    const signature = await account.signMessage({ message })
    const envelope = { address: account.address, message, signature, timestamp: now, chainId: 8453 }
    return base64Json(change.tamper ? change.tamper(envelope) : envelope)
  }
  return {
    ...payingClient((client) => registerExactEvmScheme(client, { signer: account })),
    address: account.address as string,
    normal: account.address.toLowerCase(),
    privateKey,
    account,
    signIn,
  }
}

const solanaReference = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

/** Reads the chain through this node when it pays. */
export const createSolanaWallet = async (rpcUrl: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const secret = Buffer.from(privateKey.export({ format: 'jwk' }).d as string, 'base64url')
  const open = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url')
  const signer: KeyPairSigner = await createKeyPairSignerFromBytes(Buffer.concat([secret, open]))
  const { address } = signer
  const signIn = async (origin: string, change: SignInChange = {}) => {
    const now = change.issuedAtMs ?? Date.now()
    const message = [
      `${change.domain ?? new URL(origin).host} wants you to sign in with your Solana account:`,
      address,
      '',
      'Sign in to svc',
      '',
      `URI: ${change.uri ?? origin}`,
      'Version: 1',
      `Chain ID: ${solanaReference}`,
      `Nonce: ${change.nonce ?? newNonce()}`,
      `Issued At: ${new Date(now).toISOString()}`,
      `Expiration Time: ${new Date(change.expiresAtMs ?? now + 240_000).toISOString()}`,
    ].join('\n')
    const signature = getBase58Decoder().decode(sign(null, Buffer.from(message), privateKey))
    const envelope = {
      address,
      message,
      signature,
      timestamp: now,
      chainId: `solana:${solanaReference}`,
      type: 'ed25519',
    }
    return base64Json(change.tamper ? change.tamper(envelope) : envelope)
  }
  return {
    ...payingClient((client) => client.register('solana:*', new ExactSvmScheme(signer, { rpcUrl }))),
    address: address as string,
    normal: address as string,
    signer,
    signIn,
  }
}
