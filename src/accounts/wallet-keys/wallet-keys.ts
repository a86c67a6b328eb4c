import { fail } from '#contract/errors.js'
import type { ApiKey, NewKey } from '../api-keys.js'
import type { Keyring } from '../keyring.js'
import { createIsSignedByEvm } from '../wallets/evm-signature.js'
import { readStake, type Staking } from './chain.js'
import type { WalletTokens } from './token.js'

/** API keys for wallets: whoever signs our token and holds a stake gets a key, without an account made by hand. */
export type WalletKeys = {
  issueToken(): Promise<string>
  create(
    proof: { address: string; signature: string; token: string },
    key: Omit<NewKey, 'accountId'>,
  ): Promise<{ key: ApiKey; secret: string }>
}

type Needs = { tokens: WalletTokens; keyring: Keyring; staking: () => Staking | undefined }

export const createWalletKeys = ({ tokens, keyring, staking }: Needs): WalletKeys => {
  const isSignedBy = createIsSignedByEvm()

  return {
    issueToken: () => tokens.issue(),
    async create({ address, signature, token }, key) {
      if (!/^0x[0-9a-f]{40}$/i.test(address)) throw fail('walletAddressInvalid')
      const wallet = address.toLowerCase()
      await tokens.verify(token)
      const place = staking()
      const isOwn = await isSignedBy({ wallet, text: token, signature }, place?.rpcUrl).catch((error) => {
        throw fail('walletSignatureUnavailable').because(error)
      })
      if (!isOwn) throw fail('walletSignatureMismatch')
      if (!place) throw fail('walletStakingOff')
      const stake = await readStake(place, wallet).catch((error) => {
        throw fail('walletStakeUnreadable').because(error).retryAfterMs(2_000)
      })
      if (stake <= 0n) throw fail('walletNoStake')
      return keyring.createForWallet(wallet, key)
    },
  }
}
