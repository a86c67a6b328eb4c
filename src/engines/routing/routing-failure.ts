import { EngineError } from '../engine-error.js'

/** No target answered. It says what the most telling of their errors said, which is its cause. */
export class RoutingFailure extends EngineError {
  /** How many tries followed the first one. */
  readonly retries: number

  constructor(error: EngineError, retries: number, retryAfterMs: number | undefined = error.retryAfterMs) {
    super(error.trouble, error.message, {
      ...(error.said !== undefined && { said: error.said }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      cause: error,
    })
    this.name = 'RoutingFailure'
    this.retries = retries
  }
}

/**
 * Sums up what several targets said. That one has too much to do is what a caller can act upon, so it is told before all
 * else; otherwise the last error is as good as any. The shortest wait that anyone named is the time to come back.
 */
export const summarise = (errors: readonly EngineError[]): RoutingFailure => {
  const telling = errors.find(({ trouble }) => trouble === 'overloaded') ?? errors.at(-1)
  if (telling === undefined) throw new TypeError('there is no error to tell')
  const waits = errors.flatMap(({ retryAfterMs }) => retryAfterMs ?? [])
  return new RoutingFailure(telling, errors.length - 1, waits.length === 0 ? undefined : Math.min(...waits))
}
