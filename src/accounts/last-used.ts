import type { Sql } from '#store/sql.js'

/**
 * Remembers when each key was last used and writes it down now and then: a write per request would cost more than the
 * request, and nobody needs this to the second.
 */
export type LastUsed = { note(keyId: string, nowMs: number): void; flush(): Promise<void>; stop(): Promise<void> }

export const createLastUsed = (sql: Sql, { intervalMs = 2_000 } = {}): LastUsed => {
  let noted = new Map<string, number>()

  const flush = async () => {
    if (noted.size === 0) return
    const batch = noted
    noted = new Map()
    try {
      // In id order, so that two processes that flush together cannot lock each other out.
      await sql`
        with used as (select * from unnest(${[...batch.keys()]}::uuid[], ${[...batch.values()]}::float8[]) u(id, ms)),
             locked as (select k.id, u.ms from api_key k join used u using (id) order by k.id for update of k)
        update api_key set last_used_at = greatest(last_used_at, to_timestamp(locked.ms / 1000))
        from locked where api_key.id = locked.id`
    } catch {
      // The database is away: keep what we know for the next round.
      for (const [id, ms] of batch) noted.set(id, Math.max(ms, noted.get(id) ?? 0))
    }
  }

  const timer = setInterval(flush, intervalMs).unref()
  return {
    note: (keyId, nowMs) => noted.set(keyId, nowMs),
    flush,
    async stop() {
      clearInterval(timer)
      await flush()
    },
  }
}
