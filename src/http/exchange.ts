import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#accounts/caller.js'
import { callerOf } from './access.js'

/** A paid request that is admitted and valid, and the way to its answer, without the framework that carries it. */
export type Exchange = {
  id: string
  caller: Caller
  method: string
  url: string
  /** The pattern of the route, for the log. */
  route: string
  headers: IncomingHttpHeaders
  body: unknown
  response: ServerResponse
  /** Writes the head of the answer, with the headers that every answer carries. From then on it is ours to finish. */
  begin(status: number, headers: Record<string, string>): void
  /** There is nobody to answer any more. */
  abandon(): void
}

export const exchangeOf = (request: FastifyRequest, reply: FastifyReply): Exchange => ({
  id: request.id,
  caller: callerOf(request),
  method: request.method,
  url: request.url,
  route: request.routeOptions.url ?? '',
  headers: request.headers,
  body: request.body,
  response: reply.raw,
  begin(status, headers) {
    reply.hijack()
    reply.raw.writeHead(status, { ...(reply.getHeaders() as Record<string, string>), ...headers })
  },
  abandon: () => void reply.hijack(),
})
