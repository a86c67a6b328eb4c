import type { ReasoningDetail } from '#contract/text-parts.js'

/**
 * What an engine must get back unchanged on the next turn, but no caller reads: signatures and encrypted reasoning.
 * Dialects without fields of that name carry it as one opaque text.
 */
export type Sealed = { details: ReasoningDetail[]; thoughtSignature?: string | undefined }

const mark = 'tessera-reasoning.'

export const seal = ({ details, thoughtSignature }: Sealed): string =>
  mark + Buffer.from(JSON.stringify({ details, thoughtSignature })).toString('base64url')

/** Undefined for what is not a seal of ours: callers may send anything. */
export const unseal = (text: string): Sealed | undefined => {
  if (!text.startsWith(mark)) return undefined
  const { details, thoughtSignature } = parse(Buffer.from(text.slice(mark.length), 'base64url').toString())
  if (!Array.isArray(details) || !details.every(isDetail)) return undefined
  return { details, ...(typeof thoughtSignature === 'string' && { thoughtSignature }) }
}

const parse = (text: string): { details?: unknown; thoughtSignature?: unknown } => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

const isDetail = (value: unknown): value is ReasoningDetail => {
  const { type, id, format, text, data, index } = Object(value)
  return (
    typeof type === 'string' &&
    [id, format, text, data].every((field) => field == null || typeof field === 'string') &&
    (index === undefined || typeof index === 'number')
  )
}
