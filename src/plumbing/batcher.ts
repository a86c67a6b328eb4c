import { Unavailable } from './unavailable.js'

type Needs<Item, Result> = {
  /** Does a whole batch in one go; one result per item, in order. */
  run(items: Item[]): Promise<Result[]>
  /** Two items with the same key never travel together. */
  keyOf?(item: Item): string
  sizeMax?: number | undefined
  /** Told after each batch that went through. */
  onBatch?: ((size: number, ms: number) => void) | undefined
}

/**
 * Turns many small calls into few large ones. While one batch runs, whatever arrives waits for the next, so light
 * traffic pays no delay and heavy traffic shares the cost of a commit. There is no timer.
 *
 * When a batch fails because of what is in it, its items are tried one by one, so that one bad item cannot fail others.
 * When it fails because the other side is away, all who wait are told at once.
 */
export const createBatcher = <Item, Result>({ run, keyOf, sizeMax = 500, onBatch }: Needs<Item, Result>) => {
  type Waiting = { item: Item; resolve(result: Result): void; reject(error: unknown): void }
  let queue: Waiting[] = []
  let isRunning = false

  const takeBatch = (): Waiting[] => {
    const keys = new Set<string>()
    const batch: Waiting[] = []
    const rest: Waiting[] = []
    for (const waiting of queue) {
      const key = keyOf?.(waiting.item)
      if (batch.length >= sizeMax || (key !== undefined && keys.has(key))) rest.push(waiting)
      else {
        batch.push(waiting)
        if (key !== undefined) keys.add(key)
      }
    }
    queue = rest
    return batch
  }

  const runBatch = async (batch: Waiting[]): Promise<void> => {
    let ranMs: number | undefined
    try {
      const startedMs = performance.now()
      const results = await run(batch.map(({ item }) => item))
      ranMs = performance.now() - startedMs
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result)
      })
    } catch (error) {
      if (error instanceof Unavailable) {
        // Whoever waits behind this batch would only wait for the same news.
        const waiting = queue
        queue = []
        for (const { reject } of [...batch, ...waiting]) reject(error)
      } else if (batch.length === 1) batch[0]?.reject(error)
      else for (const waiting of batch) await runBatch([waiting])
    }
    if (ranMs !== undefined) onBatch?.(batch.length, ranMs)
  }

  const work = async () => {
    while (queue.length > 0) await runBatch(takeBatch())
    isRunning = false
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      if (isRunning) return
      isRunning = true
      // All that arrives in this turn of the event loop travels together.
      setImmediate(work)
    })
}
