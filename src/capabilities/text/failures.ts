import { type Failure, fail } from '#contract/errors.js'
import { EngineError } from '#engines/engine-error.js'
import { RoutingFailure } from '#engines/routing/routing-failure.js'

/** Long enough for most troubles of a backend to pass, short enough to wait for. */
const usualPauseMs = 2_000

type Model = { id: string; contextTokens: number | null }

/** What a caller is told when an engine fails. The engine's own words stay in the log unless they are meant for callers. */
export const engineFailure = (error: unknown, model: Model): unknown => {
  if (!(error instanceof EngineError)) return error
  const failure = failureOf(error, model)
  return error instanceof RoutingFailure && error.retries > 0
    ? failure.withHeaders({ 'x-retry-count': String(error.retries) })
    : failure
}

const failureOf = (error: EngineError, model: Model): Failure => {
  const { trouble, said, retryAfterMs = usualPauseMs } = error
  switch (trouble) {
    case 'unavailable':
      return fail('modelUnreachable', model.id).retryAfterMs(retryAfterMs).because(error)
    case 'overloaded':
      return fail('modelOverloaded', model.id).retryAfterMs(retryAfterMs).because(error)
    case 'timeout':
      return fail('inferenceTimeout', model.id).because(error)
    case 'broken':
      return fail('inferenceFailed', model.id).because(error)
    case 'refused':
      return fail('engineRefused', model.id, said ?? 'it gives no reason').because(error)
    case 'unsupported':
      return fail('unsupportedFeature', 'This request', said ?? 'the model does not have this feature').because(error)
    case 'unreadable':
      return fail('imageUnreadable', said ?? 'a picture cannot be read').because(error)
    case 'tooLong':
      return tooManyTokens(model)
  }
}

/** In the shape that clients of the chat API know, because programs react to it by shortening the prompt. */
export const tooManyTokens = ({ contextTokens }: { contextTokens: number | null }): Failure => {
  const failure = fail('tooManyTokens', String(contextTokens ?? 'unknown'))
  return failure.as({ error: compatError(failure, 'messages') })
}

/** An error as an object: what clients expect inside an event stream. */
export const compatError = ({ message, status, code }: Failure, param: string | null = null) => ({
  message,
  type: status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error',
  param,
  code: code === 'TOO_MANY_TOKENS' ? 'context_length_exceeded' : code,
})
