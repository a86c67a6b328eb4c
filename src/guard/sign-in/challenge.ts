import { randomBytes } from 'node:crypto'
import type { SignInPlace } from './place.js'

/** What a wallet needs to know to sign in, and may sign as it is. */
export type Challenge = {
  info: {
    domain: string
    uri: string
    version: string
    nonce: string
    issuedAt: string
    expirationTime: string
    statement: string
  }
  supportedChains: { chainId: string; type: 'eip191' | 'eip1271' | 'ed25519' }[]
}

export const challengeOf = (place: SignInPlace, { nowMs, uri }: { nowMs: number; uri: string }): Challenge => {
  const { host } = new URL(place.publicUrl)
  const evm = place.evm && `eip155:${place.evm.chainId}`
  return {
    info: {
      domain: host,
      uri,
      version: '1',
      nonce: randomBytes(8).toString('hex'),
      issuedAt: new Date(nowMs).toISOString(),
      expirationTime: new Date(nowMs + place.maxAgeSeconds * 1000).toISOString(),
      statement: `Sign in to ${host}`,
    },
    supportedChains: [
      ...(evm
        ? [
            { chainId: evm, type: 'eip191' as const },
            { chainId: evm, type: 'eip1271' as const },
          ]
        : []),
      ...(place.solana ? [{ chainId: place.solana.network, type: 'ed25519' as const }] : []),
    ],
  }
}
