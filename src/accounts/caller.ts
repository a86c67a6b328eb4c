import type { ApiKeyType, ModelPrivacy } from '#contract/api-keys.js'

/** Who is calling, as every later station of the request knows them. */
export type Caller = {
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
