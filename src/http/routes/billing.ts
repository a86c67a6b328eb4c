import { Readable } from 'node:stream'
import { Type } from 'typebox'
import {
  BillingBalance,
  RequestBillAnswer,
  UsageAnalytics,
  UsageAnalyticsQuery,
  UsageHistory,
  UsageHistoryQuery,
} from '#contract/billing.js'
import { Shared, StandardError } from '#contract/common.js'
import { fail } from '#contract/errors.js'
import type { Usage } from '#ledger/usage/usage.js'
import type { Clock } from '#plumbing/clock.js'
import { preferredType } from '../accept.js'
import { callerOf } from '../access.js'
import { basePath } from '../openapi.js'
import type { Server } from '../server.js'
import { csvChunks, csvFileName } from './billing-csv.js'
import {
  analyticsAnswer,
  analyticsRange,
  balanceAnswer,
  historyQuestion,
  requestBillAnswer,
  usageEntry,
} from './billing-payloads.js'

type Needs = { usage: Usage; clock: Clock }

const admin = { access: 'admin' } as const
const tags = ['Billing']

/** Text on the wire; a stream to us. */
const CsvFile = Type.Unsafe<Readable>(Type.String())

export const billingRoutes = (app: Server, { usage, clock }: Needs) => {
  app.get(
    '/billing/balance',
    {
      config: admin,
      schema: { tags, summary: 'What the account can spend now', response: { 200: BillingBalance } },
    },
    async (request) => balanceAnswer(await usage.balances(callerOf(request).accountId)),
  )

  app.get(
    '/billing/usage-history',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Every charge, oldest first, page by page',
        description:
          'Pages stay the same while requests go on: what is settled after the first page was read is not in later ones. A page may be short, even empty, when a filter fits little; only the one without a next cursor is the last. A cursor is good for 24 hours. With `Accept: text/csv` the page is a CSV file, and the cursor is in `x-next-cursor`.',
        querystring: UsageHistoryQuery,
        response: {
          200: {
            description: 'A page of entries',
            content: { 'application/json': { schema: UsageHistory }, 'text/csv': { schema: CsvFile } },
          },
        },
      },
    },
    async (request, reply) => {
      const { entries, nextCursor } = await usage.history(callerOf(request).accountId, historyQuestion(request.query))
      reply.header('vary', 'accept')
      if (preferredType(request.headers.accept, ['application/json', 'text/csv']) === 'application/json')
        return reply.send({ data: entries.map(usageEntry), nextCursor })
      reply.headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename=${csvFileName(clock.nowMs())}`,
        ...(nextCursor !== null && { 'x-next-cursor': nextCursor }),
      })
      return reply.send(Readable.from(csvChunks(entries)))
    },
  )

  app.get(
    '/billing/usage-analytics',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Spending by day, model and key',
        querystring: UsageAnalyticsQuery,
        response: {
          200: UsageAnalytics,
          504: { description: 'The figures took too long', ...Shared(StandardError) },
        },
      },
    },
    async (request) => {
      const { label, first, last } = analyticsRange(request.query, clock.nowMs())
      return analyticsAnswer(label, await usage.analytics(callerOf(request).accountId, { first, last }))
    },
  )

  app.get(
    '/billing/requests/:requestId',
    {
      config: admin,
      schema: {
        tags,
        summary: 'The bill of one request, line by line',
        description: 'Takes the x-request-id of an answer, with dashes or without, or the id of a completion.',
        params: Type.Object({
          requestId: Type.String({ description: 'Such as chatcmpl-... or 32 hexadecimal digits' }),
        }),
        response: {
          200: RequestBillAnswer,
          404: { description: 'There is no such request', ...Shared(StandardError) },
        },
      },
    },
    async (request) => {
      const bill = await usage.requestBill(callerOf(request).accountId, request.params.requestId)
      if (!bill) throw fail('requestIdNotFound')
      return requestBillAnswer(bill)
    },
  )

  app.get(
    '/billing/usage',
    {
      config: { access: 'open' },
      schema: {
        tags,
        summary: 'Ended; use GET /billing/usage-history',
        deprecated: true,
        response: { 410: { description: 'It has ended', ...Shared(StandardError) } },
      },
    },
    async () => {
      throw fail('billingUsageGone').withHeaders(usageSunset)
    },
  )
}

/** RFC 9745 and RFC 8594: since when it is out of use, and what came after it. */
const endedAt = new Date('2026-11-01T00:00:00Z')
const usageSunset = {
  deprecation: `@${endedAt.getTime() / 1000}`,
  sunset: endedAt.toUTCString(),
  link: `<${basePath}/billing/usage-history>; rel="successor-version"`,
}
