import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Currency } from '#contract/billing.js'
import { failField } from '#contract/errors.js'
import type { Clock } from '#plumbing/clock.js'
import type { Micros } from './micros.js'

/** The place of an entry in an account's history: its request, and which of the entries of that request it is. */
export type Place = { settledMicros: Micros; requestId: string; index: number }

/** The rest of a history: where it goes on, where it ends, and what was asked for. */
export type Rest = { next: Place; untilMicros: Micros; currency: Currency | null; pageSize: number }

/** Cursors are opaque to callers, and no good to other accounts: the account is part of what is signed. */
export type Cursors = {
  seal(accountId: string, rest: Rest): Promise<string>
  open(accountId: string, cursor: string): Promise<Rest>
}

const validMs = 24 * 60 * 60 * 1000
const signatureBytes = 32

type Needs = { secret: () => Promise<Uint8Array>; clock: Clock }

export const createCursors = ({ secret, clock }: Needs): Cursors => {
  const sign = async (accountId: string, payload: Buffer) =>
    createHmac('sha256', await secret())
      .update(accountId)
      .update(payload)
      .digest()

  return {
    async seal(accountId, { next, untilMicros, currency, pageSize }) {
      const { settledMicros, requestId, index } = next
      const fields = [clock.nowMs(), `${settledMicros}`, requestId, index, `${untilMicros}`, currency, pageSize]
      const payload = Buffer.from(JSON.stringify(fields))
      return Buffer.concat([await sign(accountId, payload), payload]).toString('base64url')
    },
    async open(accountId, cursor) {
      const bytes = Buffer.from(cursor, 'base64url')
      const payload = bytes.subarray(signatureBytes)
      const signature = await sign(accountId, payload)
      const isOurs =
        bytes.length > signatureBytes &&
        timingSafeEqual(signature, bytes.subarray(0, signatureBytes)) &&
        // Several texts may stand for the same bytes; only one of them was given out.
        bytes.toString('base64url') === cursor
      if (!isOurs) throw failField('cursor', 'is not one that this account was given; send it unchanged')
      const [madeMs, settled, requestId, index, until, currency, pageSize] = JSON.parse(payload.toString())
      if (clock.nowMs() - madeMs >= validMs) throw failField('cursor', 'has expired after 24 hours; begin again')
      return {
        next: { settledMicros: BigInt(settled), requestId, index },
        untilMicros: BigInt(until),
        currency,
        pageSize,
      }
    },
  }
}
