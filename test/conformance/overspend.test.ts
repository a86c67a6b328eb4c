import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Agent, request } from 'undici'
import { setStake } from '#ledger/credit/stake.js'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../database.js'
import { assertBooks, createPayer } from '../money.js'
import { type PaidProcess, startPaidProcesses } from '../paid-processes.js'
import { unitNanos } from '../paid-routes.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection, { connectionsMax: 2 })
const processes = await startPaidProcesses({ after }, { connection: database.connection, count: 3 })
after(async () => {
  await close()
  await database.drop()
})

const parallel = 500
const covered = 100

/** All at once, each on a connection of its own, over the processes in turn. */
const sendAll = async (servers: PaidProcess[], key: string, quantities: number[]) => {
  const agent = new Agent({ connections: Math.ceil(quantities.length / servers.length) })
  try {
    return await Promise.all(
      quantities.map(async (quantity, index) => {
        const { url } = servers[index % servers.length] as PaidProcess
        const answer = await request(`${url}/test/paid`, {
          dispatcher: agent,
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          // A little work lets the holds of many requests stand side by side.
          body: JSON.stringify({ quantity, delayMs: index % 20 }),
        })
        const { code } = (await answer.body.json()) as { code?: string }
        return { quantity, result: code === undefined ? answer.statusCode : `${answer.statusCode} ${code}` }
      }),
    )
  } finally {
    await agent.close()
  }
}

const count = (answers: { result: number | string }[]) => {
  const counts: Record<string, number> = {}
  for (const { result } of answers) counts[result] = (counts[result] ?? 0) + 1
  return counts
}

const same = (quantity: number) => Array.from({ length: parallel }, () => quantity)

for (const processCount of [1, 3]) {
  const servers = processes.slice(0, processCount)
  const where = processCount === 1 ? 'one process' : `${processCount} processes`

  test(`500 requests at once on credit for 100, on ${where}: 100 are served, 400 are 402, nothing is left`, async () => {
    const payer = await createPayer(sql, { usd: BigInt(7 * covered) * unitNanos })
    const answers = await sendAll(servers, payer.key, same(7))
    assert.deepEqual(count(answers), { 200: covered, '402 INSUFFICIENT_BALANCE': parallel - covered })
    assert.equal((await payer.balances()).usd, 0n)
  })

  test(`the same under the limit of a key, on ${where}`, async () => {
    const usd = BigInt(10 * covered) * unitNanos
    const payer = await createPayer(sql, { usd, limits: { usd: '0.0001', diem: null } })
    const answers = await sendAll(servers, payer.key, same(1))
    assert.deepEqual(count(answers), { 200: covered, '402 API_KEY_USD_SPEND_LIMIT_EXCEEDED': parallel - covered })
    assert.equal((await payer.balances()).usd, usd - BigInt(covered) * unitNanos)
  })

  test(`requests of many sizes, on ${where}: what was refused would not have fitted`, async () => {
    const payer = await createPayer(sql, { usd: 1_003n * unitNanos })
    const answers = await sendAll(
      servers,
      payer.key,
      Array.from({ length: parallel }, (_, index) => 1 + ((index * 37) % 50)),
    )
    const served = answers.filter(({ result }) => result === 200)
    const refused = answers.filter(({ result }) => result === '402 INSUFFICIENT_BALANCE')
    assert.equal(served.length + refused.length, parallel)
    const spent = served.reduce((sum, { quantity }) => sum + quantity, 0)
    const left = Number((await payer.balances()).usd / unitNanos)
    assert.equal(spent + left, 1_003)
    // Credit only went down, so what would still fit at the end would have fitted when it was refused.
    for (const { quantity } of refused) assert.ok(quantity > left, `${quantity} was refused, and ${left} are left`)
  })

  test(`diem, bundled credits and USD together, on ${where}: to the last nano of each`, async () => {
    // Each request costs 2 million nanos; no kind of credit is a multiple of that, so some are paid in two kinds.
    const payer = await createPayer(sql, { usd: 39_500_000n, bundled: 59_499_999n })
    await setStake(sql, { accountId: payer.accountId, amountNanos: 101_000_001n, nowMs: Date.now() })
    const answers = await sendAll(servers, payer.key, same(2_000))
    assert.deepEqual(count(answers), { 200: covered, '402 INSUFFICIENT_BALANCE': parallel - covered })
    const { usd, bundled, diem } = await payer.balances()
    assert.deepEqual({ usd, bundled, diem }, { usd: 0n, bundled: 0n, diem: 0n })
  })
}

test('after all of this, the books are right and nothing is held', async () => {
  await assertBooks(sql)
  assert.deepEqual(await sql`select request_id from ledger_hold`, [])
})

test('all of them were counted on their rate limits: nothing deadlocked or failed and was let in without', async () => {
  for (const { url } of processes) {
    const metrics = await (await request(new URL('/metrics', url))).body.text()
    assert.match(metrics, /^tessera_limits_failures_total 0$/m)
  }
})
