import { createBatcher } from '#plumbing/batcher.js'
import { arrayText, type Sql } from '#store/sql.js'

export type SignInNonce = { address: string; nonce: string; expiresAtMs: number }

const insertNonces = `
  insert into sign_in_nonce (address, nonce, expires_at)
  select * from unnest($1::text[], $2::text[], $3::timestamptz[]) given (address, nonce, expires_at)
  order by address, nonce
  on conflict do nothing
  returning address, nonce`

/**
 * Takes nonces, each once, whoever else tries; those that arrive together share a statement. They are taken in order, so
 * that two processes which take the same ones never wait for each other.
 */
export const createNonces = (sql: Sql) => {
  const keyOf = ({ address, nonce }: Pick<SignInNonce, 'address' | 'nonce'>) => `${address} ${nonce}`
  return createBatcher<SignInNonce, boolean>({
    keyOf,
    async run(nonces) {
      const rows = await sql.prepared<{ address: string; nonce: string }>('take-sign-in-nonces', insertNonces, [
        arrayText(nonces.map(({ address }) => address)),
        arrayText(nonces.map(({ nonce }) => nonce)),
        arrayText(nonces.map(({ expiresAtMs }) => new Date(expiresAtMs))),
      ])
      const taken = new Set(rows.map(keyOf))
      return nonces.map((nonce) => taken.has(keyOf(nonce)))
    },
  })
}

/** Forgets nonces of what has expired by itself. */
export const sweepNonces = async (sql: Sql, nowMs: number): Promise<void> => {
  await sql`delete from sign_in_nonce where expires_at < ${new Date(nowMs)}`
}
