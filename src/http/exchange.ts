import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#accounts/caller.js'
import { callerOf } from './access.js'
import type { HeaderPairs } from './common-headers.js'
import { isForm } from './uploads/read-form.js'
import type { Uploads } from './uploads/uploads.js'

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
  /** What is too large for the body and stands there as a mark; null on routes that take no files. */
  uploads: Uploads | null
  /** The body came as a form. */
  isForm: boolean
  response: ServerResponse
  /**
   * Writes the head of the answer, with the headers that every answer carries and with these, none of them twice. From
   * then on it is ours to finish.
   */
  begin(status: number, ...headers: Readonly<Record<string, string>>[]): void
  /** There is nobody to answer any more. */
  abandon(): void
}

/** Adds names and values in turn: the form that Node writes fastest. */
export const flatten = (headers: readonly Readonly<Record<string, string>>[], flat: HeaderPairs = []): HeaderPairs => {
  for (const some of headers) for (const name in some) flat.push(name, some[name] as string)
  return flat
}

export const exchangeOf = (request: FastifyRequest, reply: FastifyReply): Exchange => ({
  id: request.id,
  caller: callerOf(request),
  method: request.method,
  url: request.url,
  route: request.routeOptions.url ?? '',
  headers: request.headers,
  body: request.body,
  uploads: request.uploads ?? null,
  isForm: isForm(request.body),
  response: reply.raw,
  begin(status, ...headers) {
    reply.hijack()
    reply.raw.writeHead(status, flatten([reply.getHeaders() as Record<string, string>, ...headers]))
  },
  abandon: () => void reply.hijack(),
})
