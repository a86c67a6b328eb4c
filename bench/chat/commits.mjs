// What the machine's disk and the service's PostgreSQL ask for keeping one row: the least that a paid answer waits for.
import pg from 'pg'
import { connectToRunning } from '../../dist/src/store/embedded-postgres/connect-to-running.js'
import { percentilesUs } from '../load.mjs'

const settleCommits = 20

/** One durable commit after the other, in the database that the service uses. */
export const measureCommits = async ({ dataFolder, requests }) => {
  const client = new pg.Client(await connectToRunning(dataFolder))
  // A server that is being stopped says so on idle connections too.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('create table if not exists bench_commit (number bigint not null)')
    const insert = { name: 'commit', text: 'insert into bench_commit (number) values ($1)', values: [1] }
    const latenciesMs = []
    for (let at = -settleCommits; at < requests; at++) {
      const startedMs = performance.now()
      await client.query(insert)
      if (at >= 0) latenciesMs.push(performance.now() - startedMs)
    }
    return { answers: requests, errors: 0, ...percentilesUs(latenciesMs) }
  } finally {
    await client.end()
  }
}
