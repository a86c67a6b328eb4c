import type { IncomingMessage } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Failure, fail } from '#contract/errors.js'
import { Unavailable } from '#plumbing/unavailable.js'
import { pathOf } from './access.js'
import { failureHeaders } from './common-headers.js'
import { validationFailure } from './validation.js'

/** What has to be known of a request to say what is wrong with it. */
type About = {
  id: string
  route: string
  contentType?: string | undefined
  bodyLimit?: number | undefined
  takesForms?: boolean | undefined
}

const aboutOf = ({ id, headers, routeOptions }: FastifyRequest): About => ({
  id,
  route: routeOptions.url ?? '',
  contentType: headers['content-type'],
  bodyLimit: routeOptions.bodyLimit,
  takesForms: routeOptions.config.takesForms,
})

/** How long a caller should wait when our database is away; long enough for a restart. */
const databaseRetryMs = 1_000

/** Gives every error its place in the contract. What is not recognised is our bug: 500, and the log has the story. */
const toFailure = (error: unknown, request: About): Failure => {
  if (error instanceof Failure) return error
  if (error instanceof Unavailable) return fail('databaseUnavailable').because(error).retryAfterMs(databaseRetryMs)
  const { code, validation, validationContext, statusCode, message } = error as Partial<FastifyError>
  if (validation) return validationFailure(validation, validationContext)
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return fail('invalidContentType', printable(request.contentType ?? ''), acceptedBy(request))
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('payloadTooLarge', String(request.bodyLimit))
    case 'FST_ERR_BAD_URL':
      return fail('invalidRequest', 'The path is not a valid URL path')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return fail('invalidRequest', 'The body does not have the length that Content-Length announced')
  }
  // Other refusals of the framework or of Node's own parser, such as an aborted upload.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500 && code?.startsWith('FST_'))
    return fail('invalidRequest', message ?? 'The request cannot be read')
  return fail('unknown', request.id).because(error)
}

const acceptedBy = ({ takesForms }: About) =>
  takesForms ? 'application/json or multipart/form-data' : 'application/json'

const printable = (text: string, charactersMax = 100) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, charactersMax)

/** Enough for every sentence of ours, unless a caller's own words are in it. */
const reasonCharactersMax = 250

/** Only these fields: others, such as the `detail` of a database error, may quote what a caller sent. */
const forLog = (error: unknown): unknown => {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name, message, stack, cause } = error
  return { name, code: codeOf(error), message, stack, ...(cause !== undefined && { cause: forLog(cause) }) }
}

/** Writes down what is our own trouble, in full; what a caller did wrong is theirs to know. */
const logFailure = (log: Logger, failure: Failure, { id, route }: About) => {
  if (failure.status < 500) return
  const cause = forLog(failure.cause ?? failure)
  log.error({ requestId: id, route, cause }, failure.message)
}

/** What a failure is called when the head of the answer is out and it can only be told as an event. */
export const createLateFailure =
  (log: Logger) =>
  (error: unknown, about: About): Failure => {
    const failure = toFailure(error, about)
    logFailure(log, failure, about)
    return failure
  }

/** Of work that is no longer wanted, and of a body that ended in the middle. */
const isBrokenOff = (error: unknown, { complete }: IncomingMessage) =>
  error instanceof Error && (error.name === 'AbortError' || (!complete && codeOf(error) === 'ECONNRESET'))

const codeOf = (error: Error) => (error as NodeJS.ErrnoException).code

const hasLeft = ({ raw }: FastifyReply) => raw.destroyed || raw.req.socket.destroyed

/** `complete` may add to a failure what only others know. */
export const createFailureAnswer =
  (log: Logger, complete: (failure: Failure, path: string) => Failure = (failure) => failure) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    // Broken off because its caller left: there is nobody to answer, and nothing went wrong.
    if (hasLeft(reply) && isBrokenOff(error, request.raw)) return void reply.hijack()
    const about = aboutOf(request)
    const failure = complete(toFailure(error, about), pathOf(request.url))
    logFailure(log, failure, about)
    const { message, code, extra } = failure
    const ownShape = request.routeOptions.config.refusal?.render(failure, request.id)
    // Clients that expect another shape of body, such as the AI SDK, show the reason in the status line instead.
    reply.raw.statusMessage = printable(message, reasonCharactersMax)
    void reply
      .code(failure.status)
      .headers(failureHeaders)
      .headers(failure.headers)
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(ownShape ?? failure.body ?? { error: message, code, ...extra })
  }
