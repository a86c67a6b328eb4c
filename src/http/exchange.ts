import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#accounts/caller.js'
import { callerOf } from './access.js'
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
    // Names and values in turn: the form that Node writes fastest.
    const flat: string[] = []
    const add = (some: Readonly<Record<string, string>>) => {
      for (const name in some) flat.push(name, some[name] as string)
    }
    add(reply.getHeaders() as Record<string, string>)
    headers.forEach(add)
    reply.raw.writeHead(status, flat)
  },
  abandon: () => void reply.hijack(),
})
