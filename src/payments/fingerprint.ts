import { createHash } from 'node:crypto'
import { paymentFailure } from '#contract/errors.js'
import type { SignedPayment } from './rail.js'

const depthMax = 16

/** The same for the same signed bytes, in whatever order and shape they were sent. */
export const fingerprintOf = ({ network, paymentKey, payload }: SignedPayment): Buffer => {
  const text = canonical({ network, paymentKey, payload }, 0)
  // NUL and halves of characters, which PostgreSQL does not keep. No signature has any.
  if (/\\u0000|\\ud[89a-f]/i.test(text)) throw unreadable()
  return createHash('sha256').update(text).digest()
}

const canonical = (value: unknown, depth: number): string => {
  if (depth > depthMax) throw unreadable()
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field, depth + 1)}`).join()}}`
}

const unreadable = () =>
  paymentFailure('paymentUnreadable', 'its payload is not one of this network', { reason: 'invalid_payload' })
