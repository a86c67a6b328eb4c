import type { OperatorConfig } from './config-schema.js'

const hidden = '•••'
const secretFields = new Set(['apiKey', 'feeWalletKey'])

/** The config as it may be printed: keys, header values, and what looks like a credential in a URL are hidden. */
export const redactedConfig = (config: OperatorConfig): OperatorConfig => redacted(config) as OperatorConfig

const redacted = (value: unknown): unknown => {
  if (typeof value === 'string') return /^https?:\/\//i.test(value) ? redactedUrl(value) : value
  if (Array.isArray(value)) return value.map(redacted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      if (secretFields.has(field)) return [field, hidden]
      // Which headers are sent helps to find a mistake; what they say may be a credential.
      if (field === 'headers') return [field, Object.fromEntries(Object.keys(inner).map((name) => [name, hidden]))]
      return [field, redacted(inner)]
    }),
  )
}

/**
 * RPC providers put their keys into the password, the path or the query. The text is edited, not rebuilt, so that what
 * is not secret looks as it was written.
 */
const redactedUrl = (text: string): string =>
  text
    .replace(/^(https?:\/\/[^/?#@:]*):[^/?#]*@/i, `$1:${hidden}@`)
    .replace(/\/[A-Za-z0-9_-]{20,}(?=[/?#]|$)/g, `/${hidden}`)
    .replace(/([?&][^=&#]*=)[^&#]*/g, `$1${hidden}`)
