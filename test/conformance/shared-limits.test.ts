import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Agent, request } from 'undici'
import { setTier } from '#accounts/accounts.js'
import { createKey } from '#accounts/api-keys.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../database.js'
import { script, startFakeUpstream } from '../fakes/upstream.js'
import { assertBooks, createPayer } from '../money.js'
import { type PaidProcess, startPaidProcesses } from '../paid-processes.js'
import { paidConfig, unitNanos } from '../paid-routes.js'
import { createFolder, runTessera, startTessera } from '../process.js'
import { until } from '../text-service.js'

/** In the middle of a minute, where all clocks stand still: so the window of the test never ends. */
const standsAtMs = Date.UTC(2026, 10, 15, 12, 0, 30)

const config = paidConfig(`
  tiers:
    paid: { S: { rpm: 100, tpm: 1000000000 } }
    shared: { S: { rpm: 1000 }, account: { rpm: 100 } }
    tokens: { S: { rpm: 100000, tpm: 5000 } }
    plenty: { S: { rpm: 5000 } }
`)

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection, { connectionsMax: 2 })
const processes = await startPaidProcesses({ after }, { connection: database.connection, count: 3, config, standsAtMs })
after(async () => {
  await close()
  await database.drop()
})

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: { error?: string } }

const send = async (url: string, key: string, body: object = { quantity: 1 }, agent?: Agent): Promise<Answer> => {
  const answer = await request(`${url}/test/paid`, {
    ...(agent && { dispatcher: agent }),
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.statusCode, headers: answer.headers, body: (await answer.body.json()) as Answer['body'] }
}

/** All at once, over the processes and keys in turn. */
const sendAll = async (servers: readonly PaidProcess[], keys: readonly string[], count: number) => {
  const agent = new Agent({ connections: 100 })
  try {
    return await Promise.all(
      Array.from({ length: count }, (_, index) =>
        send(
          servers[index % servers.length]?.url ?? '',
          keys[Math.floor(index / servers.length) % keys.length] ?? '',
          { quantity: 1, delayMs: index % 20 },
          agent,
        ),
      ),
    )
  } finally {
    await agent.close()
  }
}

const remainingOf = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining-requests'])

test('1000 requests at once on a limit of 100, on 3 processes: exactly 100 are let in', async () => {
  const payer = await createPayer(sql, { usd: 10_000n * unitNanos })
  const answers = await sendAll(processes, [payer.key], 1000)
  const served = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 429)
  assert.deepEqual([served.length, refused.length], [100, 900])
  // Each was told another number, and nobody was told one twice.
  assert.deepEqual(
    served.map(remainingOf).sort((one, other) => other - one),
    Array.from({ length: 100 }, (_, index) => 99 - index),
  )
  assert.ok(refused.every((answer) => remainingOf(answer) === 0))
  // Who was not let in has paid nothing.
  assert.equal((await payer.balances()).usd, 9_900n * unitNanos)
})

test('what is left only goes down, whichever process answers', async () => {
  const payer = await createPayer(sql, { usd: 10_000n * unitNanos })
  const left: number[] = []
  for (let index = 0; index < 40; index++)
    left.push(remainingOf(await send(processes[index % 3]?.url ?? '', payer.key)))
  assert.deepEqual(
    left,
    Array.from({ length: 40 }, (_, index) => 99 - index),
  )
})

test('a limit of the account holds for all its keys together, in all processes', async () => {
  const payer = await createPayer(sql, { usd: 10_000n * unitNanos })
  await setTier(sql, payer.accountId, 'shared')
  const { accountId } = payer
  const more = await Promise.all(
    [1, 2, 3].map(() => createKey(sql, { accountId, type: 'INFERENCE', description: 'more' }, standsAtMs)),
  )
  const answers = await sendAll(processes, [payer.key, ...more.map(({ secret }) => secret)], 400)
  assert.equal(answers.filter(({ status }) => status === 200).length, 100)
  const refused = answers.find(({ status }) => status === 429)
  assert.equal(refused?.headers['x-ratelimit-type'], 'user')
  assert.match(refused?.body.error ?? '', /100 requests per minute for this account, with all its keys/)
})

test('tokens are shared, too: what one process counted stops another', async () => {
  const payer = await createPayer(sql, { usd: 1_000_000n * unitNanos })
  await setTier(sql, payer.accountId, 'tokens')
  const [one, other] = processes
  // The test's route says how many tokens it used when it ends.
  assert.equal((await send(one?.url ?? '', payer.key, { quantity: 5_000 })).status, 200)
  const refused = await send(other?.url ?? '', payer.key, { quantity: 1 })
  assert.equal(refused.status, 200, 'a window that is just full lets in what needs nothing')
  const beyond = await send(other?.url ?? '', payer.key, { quantity: 1 })
  assert.equal(beyond.status, 429)
  assert.match(
    beyond.body.error ?? '',
    /5000 tokens per minute for this API key and the model 'test-model'; 5001 are used/,
  )
})

test('an account that is moved to another tier has its limits in every process at once', async () => {
  const payer = await createPayer(sql, { usd: 10_000n * unitNanos })
  await sendAll(processes, [payer.key], 120)
  assert.ok((await Promise.all(processes.map(({ url }) => send(url, payer.key)))).every(({ status }) => status === 429))
  await setTier(sql, payer.accountId, 'plenty')
  for (const { url } of processes)
    await until(async () => (await send(url, payer.key)).headers['x-ratelimit-limit-requests'] === '5000' || undefined)
})

test('workers of one service share limits and failures by themselves, and follow tessera accounts tier', async (test) => {
  const house = await startFakeUpstream(test)
  const cwd = createFolder(test)
  const own = await createTestDatabase()
  test.after(own.drop)
  // Limits of the day, because nobody stops the clock of a real service at the end of a minute.
  writeFileSync(
    join(cwd, 'tessera.yaml'),
    `
upstreams:
  house: { kind: openai, baseUrl: "${house.baseUrl}" }
models:
  - { id: acme, type: text, engine: { upstream: house }, size: S, contextTokens: 4000, pricing: { input: "0", output: "0" } }
  - { id: acme-two, type: text, engine: { upstream: house }, contextTokens: 4000, pricing: { input: "0", output: "0" }, limits: { rpm: 100000, rpd: 100000 } }
limits:
  tiers: { paid: { S: { rpm: 100000, rpd: 20 } }, more: { S: { rpm: 100000, rpd: 30 } } }
  errorBudget: { failed: 20 }
`,
  )
  const env = { DATABASE_URL: own.url, TESSERA_ADMIN_KEY: 'chosen', TESSERA_WORKERS: '2' }
  const service = await startTessera(test, { cwd, env })
  const admin = service.api.as('chosen')
  const ask = () => admin.post('/chat/completions', { model: 'acme', messages: [{ role: 'user', content: 'Hi' }] })
  const served = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, ask))).filter(({ status }) => status === 200).length
  assert.equal(await served(60), 20)
  const [{ id }] = JSON.parse((await runTessera(['accounts', 'list', '--json'], { cwd, env })).stdout)
  const moved = await runTessera(['accounts', 'tier', id, 'more'], { cwd, env })
  assert.deepEqual([moved.code, moved.stdout], [0, `The account ${id} is now on the tier more.\n`])
  let more = 0
  await until(async () => {
    more += await served(10)
    return more >= 10 || undefined
  })
  assert.deepEqual([more, await served(20)], [10, 0])

  const fresh = (await admin.post('/api_keys', { apiKeyType: 'INFERENCE', description: 'x' })).body.data.apiKey
  // Each on a connection of its own, so that both workers get some.
  const failing = () => {
    house.next(script.refuse(400, { error: { message: 'no' } }))
    const body = { model: 'acme-two', messages: [{ role: 'user', content: 'Hi' }] }
    return service.api.as(fresh).post('/chat/completions', body, { headers: { connection: 'close' } })
  }
  const answers = []
  for (let n = 0; n < 60; n++) answers.push((await failing()).status)
  const failed = answers.filter((status) => status === 400).length
  // Workers that knew nothing of each other would let twice as many through.
  assert.ok(failed >= 21 && failed <= 30, `${failed} failures before both workers knew`)
})

test('the books are right after all of this, and limits were always counted', async () => {
  await assertBooks(sql)
  for (const { url } of processes)
    assert.match(await (await request(new URL('/metrics', url))).body.text(), /^tessera_limits_failures_total 0$/m)
})
