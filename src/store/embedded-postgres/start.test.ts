import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connectToRunning } from './connect-to-running.js'
import { createStage, query, until } from './fixtures/stage.js'
import { isRunning } from './ownership/processes.js'

const stage = createStage()
after(stage.clear)

// One folder for most, because creating a database is what takes the time; with a name that has to be quoted.
const dataDir = stage.folder(`it's "my", ü`)

test('the first start creates the database, a later one finds it again and is fast', async () => {
  const first = await stage.start(dataDir)
  await query(first.connection, 'create table kept as select 42 as answer')
  await first.stop()

  const startedAtMs = performance.now()
  const second = await stage.start(dataDir)
  const tookMs = performance.now() - startedAtMs
  assert.deepEqual(await query(second.connection, 'select answer from kept'), [{ answer: 42 }])
  assert.ok(tookMs < 1_000, `took ${tookMs} ms`)
  await second.stop()
})

test('commits are durable, text is UTF-8, nothing listens on the network', async () => {
  const server = await stage.start(dataDir)
  const settings = ['fsync', 'synchronous_commit', 'data_checksums', 'server_encoding', 'listen_addresses', 'TimeZone']
  const values = `select ${settings.map((name) => `current_setting('${name}') as "${name}"`).join(', ')}`
  assert.deepEqual(await query(server.connection, values), [
    {
      fsync: 'on',
      synchronous_commit: 'on',
      data_checksums: 'on',
      server_encoding: 'UTF8',
      listen_addresses: '',
      TimeZone: 'UTC',
    },
  ])
  await server.stop()
})

test('only the owner can read the database, its socket and its log', async () => {
  const server = await stage.start(dataDir)
  const modes = ['postgres', 'postgres.log'].map((name) => statSync(join(dataDir, name)).mode & 0o777)
  assert.deepEqual(modes, [0o700, 0o600])
  assert.equal(statSync(server.connection.host).mode & 0o777, 0o700)
  await server.stop()
})

test('stop leaves no process behind and may be called twice', async () => {
  const server = await stage.start(dataDir)
  await Promise.all([server.stop(), server.stop()])
  await server.stop()
  assert.equal(isRunning(server.pid), false)
  await (await stage.start(dataDir)).stop()
  const claims = readdirSync(dataDir).filter((name) => name.startsWith('postgres.owner.'))
  assert.equal(claims.length, 1, 'claims pile up')
})

test('a server that is killed under a running service comes back by itself', async () => {
  const exits: unknown[] = []
  const server = await stage.start(dataDir, { onExit: (exit) => exits.push(exit) })
  const killed = server.pid
  process.kill(killed, 'SIGKILL')
  await until(() => server.pid !== killed)
  assert.deepEqual(await query(server.connection, 'select answer from kept'), [{ answer: 42 }])
  assert.deepEqual(exits, [{ code: null, signal: 'SIGKILL' }])
  await server.stop()
})

test('stop wins over a restart that is under way', async () => {
  const server = await stage.start(dataDir)
  process.kill(server.pid, 'SIGKILL')
  await until(() => !isRunning(server.pid))
  await server.stop()
  assert.equal(isRunning(server.pid), false)
  assert.equal(await connectToRunning(dataDir), undefined)
})

test('a command beside a running service finds its database, and none when nothing runs', async () => {
  assert.equal(await connectToRunning(dataDir), undefined)
  const server = await stage.start(dataDir)
  const connection = await connectToRunning(dataDir)
  assert.deepEqual(connection, server.connection)
  await server.stop()
  assert.equal(await connectToRunning(dataDir), undefined)
})

test('a path too long for a socket works; its short socket folder goes away with stop', async () => {
  const longDir = stage.folder('long-'.repeat(30))
  const server = await stage.start(longDir)
  assert.equal(statSync(server.connection.host).mode & 0o777, 0o700)
  assert.notEqual(server.connection.host, join(longDir, 'postgres'))
  assert.deepEqual(await query((await connectToRunning(longDir))!, 'select 1 as one'), [{ one: 1 }])
  await server.stop()
  assert.throws(() => statSync(server.connection.host), { code: 'ENOENT' })
})
