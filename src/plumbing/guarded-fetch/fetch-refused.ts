/**
 * Why something was not fetched.
 * - `address`: it is not an http(s) address that we visit (scheme, port, credentials), or it does not lead to the public
 *   internet.
 * - `unreachable`: the name is unknown, nobody answers there, or what came is not HTTP.
 * - `status`: the other side answered, but not with what was asked for.
 * - `redirect`: it leads elsewhere, and that was not wanted or is too far.
 * - `type`: what it answered with is not of the kind that was asked for.
 * - `size`: it is larger than wanted.
 * - `timeout`: it took too long.
 */
export type RefusalReason = 'address' | 'unreachable' | 'status' | 'redirect' | 'type' | 'size' | 'timeout'

/** The message is a half sentence for the person who named the address: "this URL ..." */
export class FetchRefused extends Error {
  constructor(
    readonly reason: RefusalReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'FetchRefused'
  }
}
