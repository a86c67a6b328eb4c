import type { Clock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'
import { arrayText } from '#store/sql.js'
import type { Limited } from './limits.js'
import type { LimitType } from './standing.js'

export type Refused = {
  accountId: string
  keyId: string | null
  /** '' for a request without a model. */
  modelId: string
  tier: string
  type: LimitType
  at: Date
}

/** Which requests hit limits: the newest of each account. */
export type RefusalLog = {
  /** Written a little later: whoever is refused does not wait for it. */
  note(who: Limited, modelId: string, type: LimitType): void
  /** Newest first. What this process noted is in it. */
  list(accountId: string): Promise<Refused[]>
  stop(): Promise<void>
}

/** docs/specification.md: the log shows so many, so nobody needs more. */
export const keptMax = 50

/** A flood of refusals is written once a second, so that it does not become a flood of statements. */
const pauseMs = 1_000

type Needs = {
  sql: Sql
  clock: Clock
  /** The database could not take them, and nobody waits for it. */
  onLost?: (count: number) => void
}

export const createRefusalLog = ({ sql, clock, onLost = () => {} }: Needs): RefusalLog => {
  let waiting = new Map<string, Refused[]>()
  let writing = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let writtenMs = Number.NEGATIVE_INFINITY

  /** Writes what was noted until now, after what is being written already. */
  const write = () => {
    clearTimeout(timer)
    timer = undefined
    const batch = [...waiting.values()].flat()
    waiting = new Map()
    writtenMs = performance.now()
    if (batch.length > 0) writing = writing.then(() => store(sql, batch)).catch(() => onLost(batch.length))
    return writing
  }

  return {
    note({ accountId, keyId, tier }, modelId, type) {
      let ofAccount = waiting.get(accountId)
      if (ofAccount === undefined) {
        ofAccount = []
        waiting.set(accountId, ofAccount)
      }
      ofAccount.push({ accountId, keyId, modelId, tier, type, at: new Date(clock.nowMs()) })
      if (ofAccount.length > keptMax) ofAccount.shift()
      timer ??= setTimeout(write, Math.max(0, writtenMs + pauseMs - performance.now())).unref()
    },
    async list(accountId) {
      await write()
      return sql<Refused & { id: bigint }>`
        select account_id "accountId", api_key_id "keyId", model "modelId", tier, type::text, at
        from rate_limit_log where account_id = ${accountId} order by at desc, id desc limit ${keptMax}`
    },
    async stop() {
      await write()
    },
  }
}

/** Adds to the log of each account and removes what is no longer shown, as far as nobody else is removing it. */
const store = async (sql: Sql, batch: readonly Refused[]): Promise<void> => {
  await sql.prepared(
    'log refusals',
    `with added as (
       insert into rate_limit_log (account_id, api_key_id, model, tier, type, at)
       select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::limit_type[], $6::timestamptz[]))
     delete from rate_limit_log where id in (
       select old.id from (select distinct unnest($1::uuid[]) as id) a, lateral (
         select l.id from rate_limit_log l where l.account_id = a.id order by l.at desc, l.id desc offset $7
         for update skip locked) old)`,
    [
      arrayText(batch.map(({ accountId }) => accountId)),
      arrayText(batch.map(({ keyId }) => keyId)),
      arrayText(batch.map(({ modelId }) => modelId)),
      arrayText(batch.map(({ tier }) => tier)),
      arrayText(batch.map(({ type }) => type)),
      arrayText(batch.map(({ at }) => at)),
      keptMax,
    ],
  )
}
