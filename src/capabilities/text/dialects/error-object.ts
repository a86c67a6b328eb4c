import type { Failure } from '#contract/errors.js'

/** A failure in the middle of a stream, as clients of the OpenAI API read it: they want an object, not a text. */
export const errorObject = ({ status, code, message }: Failure) => ({
  message,
  type: status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error',
  code,
  param: null,
})
