import type { WalletFamily } from '#accounts/wallets/address.js'
import { ContractCheckBusy, createContractCheck } from '#accounts/wallets/contract-signature.js'
import { createIsSignedByContract, type EvmProof, isSignedByKey } from '#accounts/wallets/evm-signature.js'
import { isSignedBySolana } from '#accounts/wallets/solana-signature.js'
import { isKnownWallet } from '#accounts/wallets/wallets.js'
import { fail } from '#contract/errors.js'
import type { Clock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'
import { readHeader } from './header.js'
import { parseMessage } from './message.js'
import { createNonces, sweepNonces } from './nonces.js'
import type { SignInPlace } from './place.js'
import { refuse } from './refuse.js'
import { checkAddress, checkChain, checkNonce, checkPlace, checkTimes } from './rules.js'

export { type Challenge, challengeOf } from './challenge.js'
export type { SignInPlace } from './place.js'

/** A wallet that has proven to be there. Its address is in the normal spelling. */
export type SignedIn = { address: string; family: WalletFamily }

/** Tells whose wallet signed the value of a sign-in header, or throws the precise reason why it proves nothing. */
export type SignIn = (header: string) => Promise<SignedIn>

type Needs = { sql: Sql; clock: Clock; place: () => SignInPlace }

/** Clocks of processes differ a little, and a nonce must outlive what was signed with it on all of them. */
const keptLongerMs = 30_000
const sweepEveryMs = 60_000
/** Contract wallets that never paid, and that a node is asked about at once. */
const strangersMax = 4

export const createSignIn = ({ sql, clock, place: readPlace }: Needs): SignIn => {
  // Whoever invents wallets must not keep those from signing in who have paid.
  const isSignedByKnown = createIsSignedByContract()
  const isSignedByStranger = createIsSignedByContract(createContractCheck({ parallelMax: strangersMax }))
  const takeNonce = createNonces(sql)

  let sweptAtMs = clock.nowMs()
  const sweepAtTimes = (nowMs: number) => {
    if (nowMs - sweptAtMs < sweepEveryMs) return
    sweptAtMs = nowMs
    // When it fails, the next one has more to do.
    sweepNonces(sql, nowMs).catch(() => {})
  }

  const isSignedByEvm = async (proof: EvmProof, rpcUrl: string | undefined): Promise<boolean> => {
    if (await isSignedByKey(proof)) return true
    if (!rpcUrl) return false
    const isKnown = await isKnownWallet(sql, proof.wallet)
    return (isKnown ? isSignedByKnown : isSignedByStranger)(proof, rpcUrl).catch((error) => {
      const failure = fail(!isKnown && error instanceof ContractCheckBusy ? 'signInBusy' : 'signInUnavailable')
      throw failure.because(error).retryAfterMs(2_000)
    })
  }

  return async (header) => {
    const place = readPlace()
    const nowMs = clock.nowMs()
    const sent = readHeader(header)
    const message = parseMessage(sent.text)
    const { family, nonce } = message
    checkPlace(message, place)
    checkChain(message, sent, place)
    const lastMs = checkTimes(message, nowMs, place.maxAgeSeconds)
    const address = checkAddress(message, sent)
    checkNonce(message)

    const proof = { wallet: address, text: sent.text, signature: sent.signature }
    const isOwn = family === 'solana' ? isSignedBySolana(proof) : await isSignedByEvm(proof, place.evm?.rpcUrl)
    if (!isOwn) throw refuse('signature_invalid', `signature is not one of the message by ${address}`)

    if (place.isReusable) return { address, family }
    sweepAtTimes(nowMs)
    if (!(await takeNonce({ address, nonce, expiresAtMs: lastMs + keptLongerMs })))
      throw refuse('nonce_used', `nonce was used before by ${address}; sign anew with another`)
    return { address, family }
  }
}
