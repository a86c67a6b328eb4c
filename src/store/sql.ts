import pg from 'pg'
import { Unavailable } from '#plumbing/unavailable.js'

export type Row = Record<string, unknown>

/**
 * A question to PostgreSQL, written as SQL with values as parameters:
 * `sql.maybeOne<KeyRow>\`select * from api_key where hash = ${hash}\``.
 * Inside `transaction` the same interface speaks to one connection, so a query does not care where it runs.
 */
export type Sql = {
  <R extends Row>(text: TemplateStringsArray, ...values: unknown[]): Promise<R[]>
  one<R extends Row>(text: TemplateStringsArray, ...values: unknown[]): Promise<R>
  maybeOne<R extends Row>(text: TemplateStringsArray, ...values: unknown[]): Promise<R | undefined>
  /** Runs a whole script, such as a migration; several statements, no parameters. */
  script(text: string): Promise<void>
  /** Calls a function of the database through a prepared statement: for what runs all the time. */
  call<R extends Row>(functionName: string, values: unknown[]): Promise<R[]>
  /** Runs a statement that is prepared once on each connection, under this name. */
  prepared<R extends Row>(name: string, text: string, values: unknown[]): Promise<R[]>
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
}

export type Database = { sql: Sql; close(): Promise<void> }

/** bigint columns arrive as BigInt: a JavaScript number would lose money above 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)),
} as pg.CustomTypesConfig

type Options = {
  connectionsMax?: number
  /** A database that accepts connections but no longer answers must not hold requests for ever. 0 = no bound. */
  queryTimeoutMs?: number
  /** Connections are kept when nobody uses them, with the plans they have made. */
  keepsIdle?: boolean
}

export const createDatabase = (
  connection: pg.ClientConfig,
  { connectionsMax = 10, queryTimeoutMs = 10_000, keepsIdle = false }: Options = {},
): Database => {
  const pool = new pg.Pool({
    ...connection,
    types,
    max: connectionsMax,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: keepsIdle ? 0 : 10_000,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    application_name: 'tessera',
  })
  // A connection that breaks is replaced by the pool, and whoever uses it is told by their query. Without listeners, for
  // idle ones and for each that is borrowed, Node would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return { sql: createSql(pool), close: () => pool.end() }
}

const createSql = (target: pg.Pool | pg.PoolClient): Sql => {
  const query = <R extends Row>(text: TemplateStringsArray, ...values: unknown[]): Promise<R[]> => {
    const statement = text.reduce((joined, piece, index) => `${joined}$${index}${piece}`)
    return withClient(target, async (client) => (await client.query<R>(statement, values)).rows)
  }
  const sql = query as Sql
  sql.maybeOne = async <R extends Row>(text: TemplateStringsArray, ...values: unknown[]) =>
    (await query<R>(text, ...values))[0]
  sql.one = async <R extends Row>(text: TemplateStringsArray, ...values: unknown[]) => {
    const rows = await query<R>(text, ...values)
    if (rows.length !== 1) throw new Error(`expected one row, got ${rows.length}: ${text.join('?').slice(0, 120)}`)
    return rows[0] as R
  }
  sql.script = (text) => withClient(target, async (client) => void (await client.query(text)))
  sql.prepared = <R extends Row>(name: string, text: string, values: unknown[]) =>
    withClient(target, async (client) => (await client.query<R>({ name, text, values })).rows)
  sql.call = <R extends Row>(name: string, values: unknown[]) =>
    sql.prepared<R>(
      `${name}/${values.length}`,
      `select * from ${name}(${values.map((_, index) => `$${index + 1}`)})`,
      values,
    )
  sql.transaction = (work) => {
    if (!(target instanceof pg.Pool)) return work(sql)
    return withClient(target, async (client) => {
      await client.query('begin')
      try {
        const result = await work(createSql(client))
        await client.query('commit')
        return result
      } catch (error) {
        // When even this fails the connection is broken, and the first error says so.
        await client.query('rollback').catch(() => {})
        throw error
      }
    })
  }
  return sql
}

/** Runs on the given connection or borrows one. Failing to get one is never the fault of the statement. */
const withClient = async <T>(
  target: pg.Pool | pg.PoolClient,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> => {
  if (!(target instanceof pg.Pool)) return work(target)
  const client = await target.connect().catch((error) => Promise.reject(new Unavailable('database', { cause: error })))
  let isBroken = false
  try {
    return await work(client)
  } catch (error) {
    const recognised = recognise(error)
    isBroken = recognised instanceof Unavailable
    throw recognised
  } finally {
    client.release(isBroken)
  }
}

/** SQLSTATE classes and codes that mean "try again later", not "your statement is wrong". */
// 25006 is a server that became read-only, as the former primary of a failover does.
const unavailableStates = /^(08...|57P0[123]|53...|58...|25006)$/
const unavailableSystemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])
const unavailableMessages =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|not queryable/i

const recognise = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof Unavailable) return error
  const code = (error as { code?: unknown }).code
  const isUnavailable =
    (typeof code === 'string' && (unavailableStates.test(code) || unavailableSystemCodes.has(code))) ||
    unavailableMessages.test(error.message)
  return isUnavailable ? new Unavailable('database', { cause: error }) : error
}

/** The SQLSTATE of an error that the server reported, after it undid the statement; undefined for all others. */
export const sqlStateOf = (error: unknown): string | undefined => {
  const { code, severity } = error as { code?: unknown; severity?: unknown }
  return typeof severity === 'string' && typeof code === 'string' ? code : undefined
}

/** A PostgreSQL array as text, for columns of many rows at once. Made by hand: the driver's own way costs five times more. */
export const arrayText = (values: readonly (string | bigint | number | boolean | Date | Buffer | null)[]): string => {
  let text = '{'
  for (const value of values) {
    if (text.length > 1) text += ','
    if (value === null) text += 'NULL'
    else if (typeof value === 'string') text += isPlain(value) ? value : quoted(value)
    else if (value instanceof Date) text += `"${value.toISOString()}"`
    else if (Buffer.isBuffer(value)) text += `"\\\\x${value.toString('hex')}"`
    else text += String(value)
  }
  return `${text}}`
}

const isPlain = (text: string) => /^[\w.:-]+$/.test(text) && !/^null$/i.test(text)
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
