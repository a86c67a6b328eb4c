import type { ApiKeyType, ModelPrivacy } from '#contract/api-keys.js'

/** Who is calling, as every later station of the request knows them. */
export type Caller = KeyCaller | WalletCaller

export type KeyCaller = {
  kind: 'key'
  accountId: string
  keyId: string
  keyType: ApiKeyType
  modelPrivacy: ModelPrivacy
  /** Which limits the account has. */
  tier: string
  /** When the key ends; null for never. */
  expiresAt: Date | null
}

/** Somebody who has signed in with a wallet that has credit here. */
export type WalletCaller = {
  kind: 'wallet'
  address: string
  /** The wallet's own, with what it paid in. */
  accountId: string
  keyId: null
  modelPrivacy: 'ALL'
  tier: string
  /** Whose diem is spent before the wallet's own credit; null when it is linked to nobody. */
  diemAccountId: string | null
}
