/** Time arrives as an argument, so that a test can stand at 23:59:59.999 without waiting for it. */
export type Clock = { nowMs(): number }

export const systemClock: Clock = { nowMs: () => Date.now() }
