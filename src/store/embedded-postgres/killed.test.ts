import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createStage, type Holder, query, until } from './fixtures/stage.js'
import { describeLayout, socketFilesIn } from './layout.js'
import { isRunning } from './ownership/processes.js'
import { findIdentity } from './user/identity.js'

const stage = createStage()
after(stage.clear)

// One folder for all, because creating a database is what takes the time.
const dataDir = stage.folder('data')

const remember = async ({ answer }: Holder) => {
  await query(answer.connection, 'drop table if exists kept')
  await query(answer.connection, 'create table kept as select 42 as answer')
}

/** The promise of every kill: the next start needs no help, finds what was committed, and only one server runs. */
const assertRecovers = async (killedServer: number) => {
  const server = await stage.start(dataDir)
  assert.deepEqual(await query(server.connection, 'select answer from kept'), [{ answer: 42 }])
  assert.equal(isRunning(killedServer), false)
  await server.stop()
}

test('kill -9 at any moment of the first start does not poison the next one', async () => {
  for (const afterMs of [0, 200, 500]) {
    const child = stage.spawnHolder(dataDir)
    await until(() => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('postgres.new-')))
    await delay(afterMs)
    child.kill('SIGKILL')
    await until(() => child.signalCode !== null)
  }
  const server = await stage.start(dataDir)
  assert.deepEqual(await query(server.connection, 'select 1 as one'), [{ one: 1 }])
  await server.stop()
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.startsWith('postgres.new-')),
    [],
  )
})

test('after kill -9 of the service alone its orphaned server is replaced', async () => {
  const holder = await stage.hold(dataDir)
  await remember(holder)
  holder.child.kill('SIGKILL')
  await holder.exited
  assert.equal(isRunning(holder.answer.pid), true)
  await assertRecovers(holder.answer.pid)
})

test('after kill -9 of the service and its server the next start recovers', async () => {
  const holder = await stage.hold(dataDir)
  await remember(holder)
  holder.child.kill('SIGKILL')
  process.kill(holder.answer.pid, 'SIGKILL')
  await holder.exited
  await assertRecovers(holder.answer.pid)
})

test('after kill -9 of the whole process group the next start recovers', async () => {
  const holder = await stage.hold(dataDir, { detached: true })
  await remember(holder)
  process.kill(-holder.child.pid!, 'SIGKILL')
  await holder.exited
  await assertRecovers(holder.answer.pid)
})

test('a service that ends without stopping its server takes it along', async () => {
  const holder = await stage.hold(dataDir)
  holder.child.kill('SIGUSR2')
  assert.equal(await holder.exited, 3)
  await until(() => !isRunning(holder.answer.pid))
})

test('Ctrl-C in the terminal leaves the server alone while the service drains', async () => {
  const holder = await stage.hold(dataDir, { detached: true })
  process.kill(-holder.child.pid!, 'SIGINT')
  await delay(100)
  assert.deepEqual(await query(holder.answer.connection, 'select 1 as one'), [{ one: 1 }])
  holder.child.kill('SIGTERM')
  assert.equal(await holder.exited, 0)
  assert.equal(isRunning(holder.answer.pid), false)
})

test('files of a dead server whose number now belongs to another process are no obstacle', async () => {
  const holder = await stage.hold(dataDir)
  await remember(holder)
  const layout = describeLayout(dataDir)
  process.kill(holder.answer.pid, 'SIGSTOP')
  holder.child.kill('SIGKILL')
  process.kill(holder.answer.pid, 'SIGKILL')
  await holder.exited
  await until(() => !isRunning(holder.answer.pid))

  // PostgreSQL takes only a process of its own user for a rival.
  const bystander = spawn('sleep', ['60'], findIdentity(layout))
  const files = [join(layout.cluster, 'postmaster.pid'), ...socketFilesIn(layout.socketDirectory).slice(1)]
  for (const file of files) {
    assert.match(readFileSync(file, 'utf8'), new RegExp(`^${holder.answer.pid}\n`))
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(bystander.pid)))
  }
  await assertRecovers(holder.answer.pid)
  assert.equal(isRunning(bystander.pid!), true)
  bystander.kill()
})

test('a server file cut short by a crash is no obstacle', async () => {
  writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), '')
  const server = await stage.start(dataDir)
  await server.stop()
})
