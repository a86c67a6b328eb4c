/** A part we depend on cannot be reached right now. Callers are told to retry; it is never their fault. */
export class Unavailable extends Error {
  constructor(
    readonly part: 'database',
    options?: ErrorOptions,
  ) {
    super(`the ${part} cannot be reached`, options)
    this.name = 'Unavailable'
  }
}
