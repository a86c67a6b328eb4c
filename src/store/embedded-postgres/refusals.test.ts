import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { OperatorError } from '#plumbing/operator-error.js'
import { prepareCluster } from './cluster.js'
import { explainFileError, explainProgramFailure } from './failures.js'
import { createStage, query, silent, until } from './fixtures/stage.js'
import { describeLayout } from './layout.js'
import { isRunning } from './ownership/processes.js'
import { findBinaries } from './user/binaries.js'
import { findIdentity } from './user/identity.js'
import { chooseRunner } from './user/runner.js'

const stage = createStage()
after(stage.clear)

// One folder for most, because creating a database is what takes the time.
const dataDir = stage.folder('data')

const refusal = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => assert.fail('nothing was refused'),
    (reason) => reason,
  )
  assert.ok(error instanceof OperatorError, `not for an operator: ${error.stack}`)
  return error
}

test('of several first starts at the same moment exactly one wins', async () => {
  const holders = await Promise.all([1, 2, 3].map(() => stage.hold(dataDir)))
  const [winner, ...none] = holders.filter(({ answer }) => !answer.error)
  assert.equal(none.length, 0)
  for (const { answer } of holders.filter((holder) => holder !== winner)) {
    assert.equal(answer.error, `data folder ${dataDir} is in use by another Tessera (process ${winner!.child.pid})`)
  }
  assert.deepEqual(await query(winner!.answer.connection, 'select 1 as one'), [{ one: 1 }])

  // The same over an orphan, which must be replaced once.
  winner!.child.kill('SIGKILL')
  await winner!.exited
  const heirs = await Promise.all([1, 2, 3].map(() => stage.hold(dataDir)))
  const [heir, ...others] = heirs.filter(({ answer }) => !answer.error)
  assert.equal(others.length, 0)
  assert.deepEqual(await query(heir!.answer.connection, 'select 1 as one'), [{ one: 1 }])
  assert.equal(isRunning(winner!.answer.pid), false)
  heir!.child.kill('SIGTERM')
  await until(() => !isRunning(heir!.answer.pid))
})

test('a second start on the same folder says who uses it, and disturbs nothing', async () => {
  const holder = await stage.hold(dataDir)
  const sentence = `data folder ${dataDir} is in use by another Tessera (process ${holder.child.pid})`
  const error = await refusal(stage.start(dataDir))
  assert.equal(error.message, sentence)
  assert.match(error.hint!, /TESSERA_DATA/)

  // As from another container, where the owner's process cannot be seen: the lock inside the database decides.
  for (const claim of readdirSync(dataDir).filter((name) => name.startsWith('postgres.owner.'))) {
    rmSync(join(dataDir, claim))
  }
  assert.equal((await refusal(stage.start(dataDir))).message, sentence)
  assert.deepEqual(await query(holder.answer.connection, 'select 1 as one'), [{ one: 1 }])
  holder.child.kill('SIGTERM')
  assert.equal(await holder.exited, 0)
})

test('a cluster of another PostgreSQL version is named as such', async () => {
  const dataDir = stage.folder('version')
  mkdirSync(join(dataDir, 'postgres'), { recursive: true })
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '14\n')
  assert.match(
    (await refusal(stage.start(dataDir))).message,
    /made by PostgreSQL 14, this Tessera brings PostgreSQL \d+/,
  )
})

test('a server that cannot start is quoted', async () => {
  writeFileSync(join(dataDir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n')
  const error = await refusal(stage.start(dataDir))
  assert.match(error.message, /^PostgreSQL did not start: .*unrecognized configuration parameter "no_such_setting"/)
  assert.match(error.hint!, /postgres\.log/)
})

test('a platform we bring no PostgreSQL for is told what else works', () => {
  assert.throws(
    () => findBinaries('plan9-mips'),
    (error: OperatorError) => /plan9-mips/.test(error.message) && /DATABASE_URL/.test(error.hint!),
  )
})

test('libraries left out by skipped install scripts are named, with the way to get them', async () => {
  const bareDir = stage.folder('libraries')
  mkdirSync(join(bareDir, 'bin'), { recursive: true })
  const binaries = { ...findBinaries(), root: bareDir }
  for (const name of ['initdb', 'postgres'] as const) {
    copyFileSync(binaries[name], join(bareDir, 'bin', name))
    binaries[name] = join(bareDir, 'bin', name)
  }
  const layout = describeLayout(bareDir)
  const runner = await chooseRunner(layout, findIdentity(layout), binaries)
  const error = await refusal(prepareCluster(layout, runner, silent))
  assert.match(error.message, /cannot load its libraries/)
  assert.match(error.hint!, /npm ci/)
})

test('a user without a name, which PostgreSQL needs, is told so', () => {
  const output = 'initdb: could not look up effective user ID 12345: user does not exist'
  const error = explainProgramFailure({ what: 'the database could not be created', output, dataDir })
  assert.match(error.message, /has no name on this system/)
})

test('a path that is a file, and a full disk, are said in one sentence', async () => {
  const file = join(stage.root, 'file')
  writeFileSync(file, '')
  assert.equal((await refusal(stage.start(file))).message, `data folder ${file} is not a folder`)

  const full = Object.assign(new Error('write'), { code: 'ENOSPC' })
  assert.match((explainFileError(full, '/data') as Error).message, /^the disk of data folder \/data is full$/)
  const output = 'FATAL:  could not write lock file "postmaster.pid": No space left on device'
  const error = explainProgramFailure({ what: 'PostgreSQL did not start', output, dataDir: '/data' })
  assert.match(error.message, /^the disk of data folder \/data is full$/)
})
