import pg from 'pg'

/**
 * News that one process tells all others through the database (LISTEN/NOTIFY). Whoever caches what the database knows
 * asks `isCurrent()` first: it is true only while the connection has proved itself alive within the last moments, so
 * a cache is never trusted across a silent network failure.
 */
export type Announcements = {
  isCurrent(): boolean
  /** Called for each announcement, and with `undefined` when some may have been missed. */
  on(channel: string, hear: (message: string | undefined) => void): void
  start(): Promise<void>
  stop(): Promise<void>
}

type Needs = { connection: pg.ClientConfig; nowMs?: () => number; heartbeatMs?: number; trustMs?: number }

export const createAnnouncements = ({
  connection,
  // Monotonic, so that a corrected wall clock cannot stretch the trust.
  nowMs = () => performance.now(),
  heartbeatMs = 250,
  trustMs = 750,
}: Needs): Announcements => {
  const listeners = new Map<string, ((message: string | undefined) => void)[]>()
  let client: pg.Client | undefined
  let heardMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const tellAll = () => {
    for (const hears of listeners.values()) for (const hear of hears) hear(undefined)
  }

  const connect = async () => {
    const fresh = new pg.Client({
      ...connection,
      application_name: 'tessera announcements',
      connectionTimeoutMillis: 2_000,
      query_timeout: trustMs,
      keepAlive: true,
    })
    fresh.on('error', () => drop(fresh))
    fresh.on('end', () => drop(fresh))
    fresh.on('notification', ({ channel, payload }) => {
      for (const hear of listeners.get(channel) ?? []) hear(payload)
    })
    client = fresh
    await fresh.connect()
    for (const channel of listeners.keys()) await fresh.query(`listen ${pg.escapeIdentifier(channel)}`)
    // Whatever was announced while nobody listened is lost: let the caches start afresh.
    tellAll()
    heardMs = nowMs()
  }

  const drop = (dropped: pg.Client) => {
    if (client !== dropped) return
    client = undefined
    heardMs = Number.NEGATIVE_INFINITY
    dropped.end().catch(() => {})
  }

  const beat = async () => {
    const current = client
    try {
      if (current === undefined) await connect()
      else {
        const askedMs = nowMs()
        await current.query('select 1')
        // The moment of the question counts: only what was announced before it has surely arrived.
        heardMs = askedMs
      }
    } catch {
      if (client !== undefined) drop(client)
    }
    if (!isStopped) timer = setTimeout(beat, heartbeatMs).unref()
  }

  return {
    isCurrent: () => nowMs() - heardMs < trustMs,
    on: (channel, hear) => {
      listeners.set(channel, [...(listeners.get(channel) ?? []), hear])
    },
    start: beat,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      const last = client
      client = undefined
      heardMs = Number.NEGATIVE_INFINITY
      await last?.end().catch(() => {})
    },
  }
}
