import type { DeprecationEntry } from './config/model-entry.js'

/** The end of a model's life, in the forms that are asked for. */
export type Deprecation = {
  /** Warnings begin here; long ago when the operator named no time. */
  startsAtMs: number
  /** From here on the model is gone. */
  removesAtMs: number
  /** The removal as the operator wrote it, usually a day. */
  date: string
  replacement?: string
  /** After the removal, requests go to the replacement instead of being refused. */
  autoRemap: boolean
  /** docs/specification.md, Versioning: sent on every answer of a deprecated model. */
  headers: Readonly<Record<string, string>>
}

export const deprecationOf = (modelId: string, entry: DeprecationEntry): Deprecation => {
  const { date, startsAt, replacement, autoRemap } = entry
  const advice = replacement ? `; use '${replacement}' instead` : ''
  return {
    startsAtMs: startsAt ? Date.parse(startsAt) : Number.NEGATIVE_INFINITY,
    removesAtMs: Date.parse(date),
    date,
    ...(replacement && { replacement }),
    autoRemap,
    headers: {
      'x-svc-model-deprecation-warning': entry.message ?? `The model '${modelId}' is removed on ${date}${advice}`,
      'x-svc-model-deprecation-date': date,
      'x-svc-deprecated': 'true',
      ...(replacement && { 'x-svc-deprecated-replacement': replacement }),
    },
  }
}

/** The public form: both dates in full, and equal. */
export const deprecationRecord = ({ date, startsAt, replacement, autoRemap }: DeprecationEntry) => ({
  autoRemap,
  date: isoTime(date),
  removesAt: isoTime(date),
  ...(startsAt && { startsAt: isoTime(startsAt) }),
  ...(replacement && { replacementModelId: replacement }),
})

const isoTime = (text: string): string => new Date(text).toISOString()
