import { type Failure, fail } from '#contract/errors.js'

/** Why a sign-in is refused, for programs. */
export const reasons = [
  'too_long',
  'malformed_base64',
  'malformed_json',
  'missing_field',
  'invalid_field',
  'invalid_message',
  'domain_mismatch',
  'uri_mismatch',
  'version_unsupported',
  'chain_unsupported',
  'chain_mismatch',
  'type_mismatch',
  'invalid_time',
  'not_yet_valid',
  'too_old',
  'expired',
  'address_mismatch',
  'nonce_invalid',
  'signature_invalid',
  'nonce_used',
] as const
export type Reason = (typeof reasons)[number]

/** `sentence` names the field, what was found and what is expected; never what was signed, nor the signature. */
export const refuse = (reason: Reason, sentence: string): Failure => fail('signInInvalid', sentence).with({ reason })

/** What somebody sent, short enough for a sentence. */
export const quote = (text: string): string => (text.length > 80 ? `'${text.slice(0, 80)}...'` : `'${text}'`)
