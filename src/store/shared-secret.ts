import { randomBytes } from 'node:crypto'
import type { Sql } from './sql.js'

/** A secret that lies in the database, so that what one process signs is good in all of them. Made on first use. */
export const createSharedSecret = (sql: Sql, name: string): (() => Promise<Uint8Array>) => {
  let secret: Promise<Uint8Array> | undefined
  return () => {
    // Kept only when it was read: a database that is away now may be back for the next caller.
    secret ??= readSecret(sql, name).catch((error) => {
      secret = undefined
      throw error
    })
    return secret
  }
}

const readSecret = async (sql: Sql, name: string): Promise<Uint8Array> => {
  await sql`insert into service_secret (name, value) values (${name}, ${randomBytes(32)}) on conflict do nothing`
  return (await sql.one<{ value: Buffer }>`select value from service_secret where name = ${name}`).value
}
