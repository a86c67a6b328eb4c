/** Asks for the rows that break a promise. Each has one column, `what`, which names it for a person. */
export type Ask = (text: TemplateStringsArray, ...values: unknown[]) => Promise<Example[]>

/** One row of up to five, and how many there are in all. */
export type Example = { what: string; problems: bigint }

export type Moment = {
  /** Holds that expired before this should be gone. */
  expiredBefore: Date
}

export type Check = {
  /** What must be true, as a sentence. */
  check: string
  broken(ask: Ask, moment: Moment): Promise<Example[]>
}
