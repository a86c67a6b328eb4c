import type { StopSignal } from '#plumbing/stop-signal.js'

export type Verdict = { isAdult: boolean; containsMinor: boolean }
export type Safety = { look(picture: Uint8Array, signal: StopSignal): Promise<Verdict>; close(): Promise<void> }
