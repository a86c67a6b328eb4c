import type { FacilitatorConfig } from '@x402/core/http'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import type { Requirements } from '../rail.js'

/** What a facilitator said, or that nobody knows what it did. */
export type SettleReply = { isSuccess: boolean; reason: string; says: string; transaction: string; network: string }
export type VerifyReply = { isValid: boolean; reason: string; says: string; payer: string | undefined }

export type Facilitator = {
  /** What it adds to the terms on this network, such as who pays the fee. Throws when it does not settle there. */
  extraFor(network: string): Promise<Record<string, unknown>>
  /** Throws when it gave no verdict. */
  verify(requirements: Requirements, payload: Record<string, unknown>): Promise<VerifyReply>
  /** Undefined when it gave no clear answer: then it may have settled it, or may do so yet. */
  settle(requirements: Requirements, payload: Record<string, unknown>): Promise<SettleReply | undefined>
}

export type FacilitatorSettings = {
  url: string
  /** By path: `verify`, `settle` and `supported`. */
  createAuthHeaders?: NonNullable<FacilitatorConfig['createAuthHeaders']>
  timeoutMs?: number
}

/** A facilitator of somebody else, spoken to over HTTP in the second version of x402. */
export const createFacilitatorClient = async ({
  url,
  createAuthHeaders,
  timeoutMs = 60_000,
}: FacilitatorSettings): Promise<Facilitator> => {
  const { HTTPFacilitatorClient } = await import('@x402/core/http')
  const client = new HTTPFacilitatorClient({ url, timeoutMs, ...(createAuthHeaders && { createAuthHeaders }) })

  const wire = (requirements: Requirements, payload: Record<string, unknown>) => {
    const accepted = requirements as PaymentRequirements
    return [{ x402Version: 2, accepted, payload } satisfies PaymentPayload, accepted] as const
  }

  return {
    async extraFor(network) {
      const { kinds } = await client.getSupported()
      const kind = kinds.find((one) => one.x402Version === 2 && one.scheme === 'exact' && one.network === network)
      if (!kind) throw new Error(`the facilitator does not settle 'exact' on ${network} in version 2 of x402`)
      return kind.extra ?? {}
    },

    async verify(requirements, payload) {
      const reply = await client.verify(...wire(requirements, payload)).catch((error: unknown) => {
        if (!isRefusal(error)) throw error
        return { isValid: false, invalidReason: textOf(error.invalidReason), payer: undefined }
      })
      const reason = wordOf(reply.invalidReason, 'unexpected_verify_error')
      return { isValid: reply.isValid, reason, says: `the facilitator says ${reason}`, payer: reply.payer }
    },

    async settle(requirements, payload) {
      const reply = await client.settle(...wire(requirements, payload)).catch((error: unknown) => {
        if (!isRefusal(error)) return undefined
        const transaction = textOf(error.transaction) ?? ''
        return { success: false, errorReason: textOf(error.errorReason), transaction, network: requirements.network }
      })
      if (!reply) return undefined
      const reason = wordOf(reply.errorReason, 'unexpected_settle_error')
      const says = `the facilitator says ${reason}`
      return { isSuccess: reply.success, reason, says, transaction: reply.transaction, network: reply.network }
    },
  }
}

/** Some say no with a status of 4xx. With 5xx it did not say anything: whoever is in front of it did. */
const isRefusal = (error: unknown): error is Error & Record<string, unknown> =>
  error instanceof Error && 'statusCode' in error && Number(error.statusCode) < 500

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Reasons are words; whatever else a facilitator may say is not passed on. */
const wordOf = (reason: string | undefined, otherwise: string): string =>
  reason !== undefined && /^\w{1,100}$/.test(reason) ? reason : otherwise
