import type { WalletKeys } from '#accounts/wallet-keys/wallet-keys.js'
import { CreatedApiKey, CreateWalletKey, WalletKeyToken } from '#contract/api-keys.js'
import { Shared, StandardError } from '#contract/common.js'
import type { Clock } from '#plumbing/clock.js'
import type { Server } from '../server.js'
import { createdKey, newKeyFromRequest } from './key-payloads.js'

const tags = ['API Keys']

export const walletKeyRoutes = (app: Server, { walletKeys, clock }: { walletKeys: WalletKeys; clock: Clock }) => {
  app.get(
    '/api_keys/generate_web3_key',
    {
      config: { access: 'open' },
      schema: { tags, summary: 'A token for a wallet to sign', response: { 200: WalletKeyToken } },
    },
    async () => ({ success: true as const, data: { token: await walletKeys.issueToken() } }),
  )

  app.post(
    '/api_keys/generate_web3_key',
    {
      config: { access: 'open' },
      schema: {
        tags,
        summary: 'Make a key with a wallet that holds a stake',
        body: CreateWalletKey,
        response: { 200: CreatedApiKey, 429: { description: 'Too many keys made', ...Shared(StandardError) } },
      },
    },
    async ({ body }) => {
      const key = { ...newKeyFromRequest(body, clock.nowMs()), description: body.description ?? 'Wallet key' }
      return createdKey(await walletKeys.create(body, key))
    },
  )
}
