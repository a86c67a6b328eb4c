import type { StopSignal } from '#plumbing/stop-signal.js'
/** Where a stream goes. The http folder makes one per request; text itself does not know what it is connected to. */
export type Outlet = {
  /** Headers that are known before the first event; the head leaves with the first of `begin` and a long silence. */
  announce(headers: Record<string, string>): void
  /** The answer has begun: sends the head, with these headers beside the announced ones if it is not on its way yet. */
  begin(headers: Record<string, string>): void
  /** Sends text. Resolves when there is room for more; at once when there is. */
  write(text: string): Promise<void> | undefined
  /** Sends the last text. */
  end(text: string): void
  /** Whether the head is out, so that a failure can only be told as an event. */
  readonly hasBegun: boolean
  /** Fires when the caller has left, or reads so slowly that it comes to the same. */
  readonly signal: StopSignal
}
