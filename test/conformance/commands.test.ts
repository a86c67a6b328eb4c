import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../database.js'
import { createPayer } from '../money.js'
import { createFolder, processesIn, runTessera, startTessera } from '../process.js'
import { startService } from '../service.js'

const service = await startService({ after })
const cwd = createFolder({ after })
const env = { DATABASE_URL: service.database.url }
const tessera = (...args: string[]) => runTessera(args, { cwd, env })
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await tessera(...args, '--json')
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

test('--help names every command and what it does', async () => {
  const { code, stdout } = await tessera('--help')
  assert.equal(code, 0)
  for (const name of ['serve', 'check', 'accounts', 'keys', 'credits', 'stake', 'models', 'doctor'])
    assert.match(stdout, new RegExp(`\n  ${name}`))
  assert.match((await tessera('keys', 'create', '--help')).stdout, /--description <text>/)
})

test('accounts and keys are made, listed and revoked while the service runs', async () => {
  const [account] = await json('accounts', 'create', '--name', 'Second')
  const missing = await tessera('keys', 'create', '--description', 'x')
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /several accounts.*\n.*--account <id>/)

  const [key] = await json('keys', 'create', '--account', account.id, '--type', 'ADMIN', '--description', 'by hand')
  assert.equal((await service.as(key.apiKey).get('/api_keys')).body.data.length, 1)
  const [listed] = await json('keys', 'list', '--account', account.id)
  assert.deepEqual([listed.id, listed.type, listed.apiKey], [key.id, 'ADMIN', undefined])

  assert.deepEqual(await json('keys', 'revoke', key.id), [{ id: key.id, revoked: true }])
  assert.equal((await service.as(key.apiKey).get('/api_keys')).status, 401)
  assert.match((await tessera('keys', 'revoke', key.id)).stderr, /no active key/)
  assert.match((await tessera('accounts', 'list')).stdout, /First account +paid +100/)
})

test('accounts tier moves an account, and names the tiers there are', async () => {
  const [account] = await json('accounts', 'create', '--name', 'Partner')
  const [moved] = await json('accounts', 'tier', account.id, 'partner')
  assert.deepEqual([moved.id, moved.tier], [account.id, 'partner'])
  const wrong = await tessera('accounts', 'tier', account.id, 'gold')
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /There is no tier 'gold'\.\n {2}There are: paid, partner\./)
  const unknown = await tessera('accounts', 'tier', 'nobody', 'paid')
  assert.match(unknown.stderr, /There is no account nobody/)
  assert.match((await tessera('accounts', 'list')).stdout, /Partner +partner/)
})

test('wallets are linked and unlinked; a slip of the pen makes none', async () => {
  const address = `0x${'Ab'.repeat(20)}`
  const unknown = await tessera('wallets', 'unlink', address)
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /There is no wallet 0xabab/)
  assert.deepEqual(await json('wallets', 'list'), [])
  assert.match(
    (await tessera('wallets', 'payments', '--wallet', '0x12')).stderr,
    /'0x12' is not the address of a wallet/,
  )

  const [account] = await json('accounts', 'create', '--name', 'Stakes')
  const [linked] = await json('wallets', 'link', address, '--account', account.id)
  assert.deepEqual([linked.wallet, linked.diemOf, linked.usd], [address.toLowerCase(), account.id, '0'])
  const [unlinked] = await json('wallets', 'unlink', address)
  assert.deepEqual([unlinked.wallet, unlinked.diemOf], [address.toLowerCase(), null])
  assert.deepEqual(await json('wallets', 'payments'), [])
})

test('models and check say what is on offer, without secrets', async () => {
  const models = await json('models', '--type', 'tts')
  assert.ok(models.length > 0)
  assert.match((await tessera('models')).stdout, /tessera-tiny +text/)
  writeFileSync(
    join(cwd, 'mine.yaml'),
    'upstreams: { house: { kind: openai, baseUrl: "http://127.0.0.1:9/v1", apiKey: "${HOUSE_KEY}" } }',
  )
  const checked = await runTessera(['check'], {
    cwd,
    env: { ...env, TESSERA_CONFIG: 'mine.yaml', HOUSE_KEY: 'very-secret' },
  })
  assert.equal(checked.code, 0, checked.stderr)
  assert.match(checked.stdout, /The configuration is valid/)
  assert.match(checked.stdout, /limits:\n {2}tiers:\n {4}paid:\n {6}XS:\n {8}rpm: 500\n {8}tpm: 1000000/)
  assert.doesNotMatch(checked.stdout, /very-secret/)
  const missing = await runTessera(['check'], { cwd, env: { ...env, TESSERA_CONFIG: 'mine.yaml' } })
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /mine\.yaml:1.*HOUSE_KEY/)
})

test('doctor finds nothing on a sound database and names what is broken on another', async (test) => {
  const sound = await json('doctor')
  assert.equal(sound.ok, true)
  const database = await createTestDatabase()
  test.after(database.drop)
  const { sql, close } = createDatabase(database.connection)
  await createPayer(sql, { usd: 5n })
  await sql`update ledger_account set balance = balance + 1 where owner is not null`
  await close()
  // The engines were asked above.
  writeFileSync(join(cwd, 'empty.yaml'), 'builtinModels: false')
  const { code, stdout } = await runTessera(['doctor'], {
    cwd,
    env: { DATABASE_URL: database.url, TESSERA_CONFIG: 'empty.yaml' },
  })
  assert.equal(code, 1)
  assert.deepEqual(
    [...stdout.matchAll(/✗ (.*)/g)].map(([, what]) => what?.slice(0, 51)),
    ['the catalog has models (0, 0 offline)', 'every balance is the sum of its entries (1 broken: '],
  )
})

test('commands work while the service is stopped, and never create a database by mistake', async (test) => {
  const folder = createFolder(test)
  const none = await runTessera(['accounts', 'list'], { cwd: folder })
  assert.equal(none.code, 1)
  assert.match(none.stderr, /^tessera: There is no database in .*data\.\n {2}\S/)
  assert.ok(!existsSync(join(folder, 'data')))

  const running = await startTessera(test, { cwd: folder })
  running.child.kill('SIGTERM')
  await running.ended
  const [account] = JSON.parse((await runTessera(['accounts', 'list', '--json'], { cwd: folder })).stdout)
  assert.equal(account.name, 'First account')
  const granted = await runTessera(['credits', 'grant', '--usd', '1', '--json'], { cwd: folder })
  assert.equal(JSON.parse(granted.stdout)[0].balance.usd, '101')
  assert.deepEqual(processesIn(folder), [], 'and leave nothing running')
})

test('a command refuses a database that the service has not migrated yet', async (test) => {
  const database = await createTestDatabase()
  test.after(database.drop)
  const { sql, close } = createDatabase(database.connection)
  await sql`delete from schema_migration where name like '0002%'`
  await close()
  const { code, stderr } = await runTessera(['keys', 'list'], { cwd, env: { DATABASE_URL: database.url } })
  assert.equal(code, 1)
  assert.match(stderr, /^tessera: The database is not of this version yet\./)
})
