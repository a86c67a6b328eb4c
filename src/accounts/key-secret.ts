import { hash, randomBytes } from 'node:crypto'
import type { ApiKeyType } from '#contract/api-keys.js'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^43 is the first power above 2^256, so 32 bytes always fit into 43 digits. */
const digitsLength = 43
const kinds: Record<ApiKeyType, string> = { INFERENCE: 'inf', ADMIN: 'adm' }

/** `svc_adm_` or `svc_inf_` and 32 random bytes in base 62: easy to recognise, to select and to scan for. */
export const newKeySecret = (type: ApiKeyType): string => {
  let number = BigInt(`0x${randomBytes(32).toString('hex')}`)
  let text = ''
  for (let index = 0; index < digitsLength; index++) {
    text = digits[Number(number % 62n)] + text
    number /= 62n
  }
  return `svc_${kinds[type]}_${text}`
}

/** Secrets are stored and looked up by this only. They have 256 random bits, so a slow hash would add nothing. */
export const hashKeySecret = (secret: string): string => hash('sha256', secret, 'hex')

/** True for what `newKeySecret` makes; others may still be valid, for an operator can choose the first key's text. */
export const looksLikeOurKey = (secret: string): boolean => /^svc_(inf|adm)_[0-9A-Za-z]{43}$/.test(secret)
