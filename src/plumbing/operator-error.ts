/**
 * Something the person who runs the service has to know or change: a busy port, a broken config file, a database that
 * does not answer. It is printed as one sentence and what to do next, never with a stack trace.
 */
export class OperatorError extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OperatorError'
    this.hint = hint
  }
}
