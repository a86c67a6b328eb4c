import pg from 'pg'
import { inUse } from '../failures.js'
import type { Connection, Layout } from '../layout.js'

/**
 * The advisory lock of whoever owns the server, held by one connection for as long as it lives. The claim in the data
 * folder says the same faster, but only the lock is seen by a Tessera that cannot see the owner's process, as from
 * another container on the same folder. When that one connection breaks while the server lives on, the lock is gone
 * until the next restart, and the claim alone keeps others out.
 */
const ownerLock = { classId: 0x7e55e7a, objectId: 1 }

const ownerName = (pid: number) => `tessera owner (process ${pid})`
const ownerNamePattern = /\(process (\d+)\)/

const connectTimeoutMs = 5_000
const databaseMissing = '3D000'

/** Connects, creating our database on the very first start, and takes the lock. */
export const takeOwnership = async (layout: Layout): Promise<pg.Client> => {
  const client = await connectToOwnDatabase(layout.connection)
  const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as "isTaken"', [
    ownerLock.classId,
    ownerLock.objectId,
  ])
  if (rows[0].isTaken) return client
  const owner = await askForOwner(client)
  await client.end()
  throw inUse(layout.dataDir, owner)
}

export type Owner = { kind: 'unreachable' } | { kind: 'nobody' } | { kind: 'process'; pid: number }

/** Who owns the server behind this connection, without touching the lock. */
export const findOwner = async (connection: Connection | undefined): Promise<Owner> => {
  if (!connection) return { kind: 'unreachable' }
  let client: pg.Client
  try {
    client = await connect(connection, 'tessera looks for the owner')
  } catch (error) {
    return { kind: isDatabaseMissing(error) ? 'nobody' : 'unreachable' }
  }
  try {
    const pid = await askForOwner(client)
    return pid === undefined ? { kind: 'nobody' } : { kind: 'process', pid }
  } catch {
    return { kind: 'unreachable' }
  } finally {
    await client.end()
  }
}

const askForOwner = async (client: pg.Client): Promise<number | undefined> => {
  const { rows } = await client.query(
    `select application_name as name from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and classid = $1 and objid = $2 and granted`,
    [ownerLock.classId, ownerLock.objectId],
  )
  return rows.length === 0 ? undefined : Number(ownerNamePattern.exec(rows[0].name)?.[1])
}

const connectToOwnDatabase = async (connection: Connection): Promise<pg.Client> => {
  try {
    return await connect(connection, ownerName(process.pid))
  } catch (error) {
    if (!isDatabaseMissing(error)) throw error
  }
  const client = await connect({ ...connection, database: 'postgres' }, ownerName(process.pid))
  await client.query(`create database ${pg.escapeIdentifier(connection.database)}`)
  await client.end()
  return connect(connection, ownerName(process.pid))
}

const connect = async (connection: Connection, name: string): Promise<pg.Client> => {
  const client = new pg.Client({ ...connection, application_name: name, connectionTimeoutMillis: connectTimeoutMs })
  // A connection that breaks later is noticed by what happens to the server; unheard, it would end our process.
  client.on('error', () => {})
  await client.connect()
  return client
}

const isDatabaseMissing = (error: unknown) => (error as { code?: string }).code === databaseMissing
