import assert from 'node:assert/strict'
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { prepareCluster } from './cluster.js'
import { createStage, holderProgram, isRoot, query, silent } from './fixtures/stage.js'
import { describeLayout } from './layout.js'
import { findBinaries } from './user/binaries.js'
import { canReach, findIdentity, findUser, type Identity } from './user/identity.js'
import { chooseRunner } from './user/runner.js'

/**
 * Who may run what. Root becomes other users here; as a normal user every test of this folder already runs as one,
 * and what remains to be shown is what such a user is refused.
 */
const stage = createStage()
after(stage.clear)

const needsRoot = isRoot ? false : 'only root can start a service as another user'
const other = findUser('daemon')!
const needsOther =
  needsRoot || (canReach(other, dirname(holderProgram)) ? false : 'other users cannot read this repository')
const capabilitiesOf = (pid: number) => /^CapEff:\s*0*(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]

const openFolder = (name: string, owner?: Identity) => {
  chmodSync(stage.root, 0o755)
  const folder = stage.folder(name)
  mkdirSync(folder, { mode: 0o755 })
  if (owner) chownSync(folder, owner.uid, owner.gid)
  return folder
}

test('root gives the server to nobody, with no capability where folders are open', { skip: needsOther }, async () => {
  const dataDir = join(openFolder('open'), 'data')
  const server = await stage.start(dataDir)
  assert.notEqual(statSync(`/proc/${server.pid}`).uid, 0)
  assert.equal(statSync(join(dataDir, 'postgres')).uid, statSync(`/proc/${server.pid}`).uid)
  assert.equal(capabilitiesOf(server.pid), '0')
  await server.stop()
})

test('root in a folder closed to others: the server may pass folders and nothing else', {
  skip: needsRoot,
}, async () => {
  const closed = stage.folder('closed')
  mkdirSync(closed, { mode: 0o700 })
  const server = await stage.start(join(closed, 'data'))
  assert.notEqual(statSync(`/proc/${server.pid}`).uid, 0)
  assert.ok(['2', '4'].includes(capabilitiesOf(server.pid)!))
  assert.equal(statSync(closed).mode & 0o777, 0o700)
  await server.stop()
})

test('root with the few capabilities of a container manages a closed folder too', { skip: needsRoot }, async () => {
  const container = ['setpriv', '--bounding-set=-dac_read_search']
  const holder = await stage.hold(stage.folder('closed/data'), {}, container)
  assert.equal(capabilitiesOf(holder.answer.pid), '2')
  holder.child.kill('SIGTERM')
  assert.equal(await holder.exited, 0)
})

test('root without setpriv is told where to put the data folder', { skip: needsRoot }, async () => {
  const closed = stage.folder('bare')
  mkdirSync(closed, { mode: 0o700 })
  const { answer, exited } = await stage.hold(join(closed, 'data'), { env: { PATH: '/nonexistent' } })
  assert.match(answer.error!, /PostgreSQL refuses to run as root/)
  assert.match(answer.hint!, /\/var\/lib\/tessera/)
  assert.equal(await exited, 1)
})

test('binaries that the server may not run are copied for it, once', { skip: needsRoot }, async () => {
  const dataDir = openFolder('copied')
  const hidden = stage.folder('hidden')
  const found = findBinaries()
  cpSync(found.root, hidden, { recursive: true, verbatimSymlinks: true })
  chmodSync(join(hidden, 'bin', 'postgres'), 0o700)
  const binaries = {
    ...found,
    root: hidden,
    initdb: join(hidden, 'bin', 'initdb'),
    postgres: join(hidden, 'bin/postgres'),
  }
  const layout = describeLayout(dataDir)
  const identity = findIdentity(layout)
  const runner = await chooseRunner(layout, identity, binaries)
  await prepareCluster(layout, runner, silent)
  const copy = join(dataDir, `postgres-binaries-${found.version}`)
  assert.equal(runner.binaries.root, copy)
  const { ino } = statSync(copy)
  await chooseRunner(layout, identity, binaries)
  assert.equal(statSync(copy).ino, ino)
})

test('a normal user needs nothing special, and root can take over and give back', { skip: needsOther }, async () => {
  const dataDir = openFolder('normal', other)
  const first = await stage.hold(dataDir, other)
  await query(first.answer.connection, 'create table kept as select 42 as answer')
  first.child.kill('SIGTERM')
  assert.equal(await first.exited, 0)

  const asRoot = await stage.start(dataDir)
  assert.equal(statSync(`/proc/${asRoot.pid}`).uid, other.uid)
  await asRoot.stop()

  const again = await stage.hold(dataDir, other)
  assert.deepEqual(await query(again.answer.connection, 'select answer from kept'), [{ answer: 42 }])
  again.child.kill('SIGTERM')
  assert.equal(await again.exited, 0)
})

test('root on a folder of a user unknown here, as in a container, falls back to nobody', { skip: needsRoot }, () => {
  const dataDir = openFolder('unknown', { uid: 123456, gid: 123456 })
  assert.deepEqual(findIdentity(describeLayout(dataDir)), findUser('nobody'))
})

test("somebody else's data folder is refused in one sentence", { skip: needsOther }, async () => {
  const locked = openFolder('locked')
  const { answer } = await stage.hold(locked, other)
  assert.equal(answer.error, `data folder ${locked} cannot be used by user ${other.uid}: permission denied`)

  const shared = openFolder('shared', other)
  mkdirSync(join(shared, 'postgres'), { mode: 0o700 })
  const refused = await stage.hold(shared, other)
  assert.equal(refused.answer.error, `the database in data folder ${shared} belongs to another user (0)`)
})

if (!isRoot) {
  test('a folder that may not be written is refused in one sentence', async () => {
    const dataDir = stage.folder('read-only')
    mkdirSync(dataDir, { mode: 0o500 })
    await assert.rejects(stage.start(dataDir), /cannot be used by user \d+: permission denied/)
  })
}

test('a short socket folder that somebody else planted is refused', { skip: needsRoot }, async () => {
  const dataDir = stage.folder('long-'.repeat(30))
  mkdirSync(dataDir)
  const { socketDirectory } = describeLayout(dataDir)
  symlinkSync(stage.root, socketDirectory)
  after(() => rmSync(socketDirectory, { recursive: true }))
  await assert.rejects(stage.start(dataDir), /was made by somebody else/)

  rmSync(socketDirectory)
  mkdirSync(socketDirectory)
  chownSync(socketDirectory, other.uid, other.gid)
  await assert.rejects(stage.start(dataDir), /was made by somebody else \(user \d+\)/)
})
