import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../database.js'
import { assertBooks } from '../money.js'
import { startPaidProcesses } from '../paid-processes.js'
import { startChains } from '../wallet-service.js'
import { base64Json, type TestWallet } from '../wallets.js'

// What is started inside a test would otherwise end with that test.
const endings: (() => void | Promise<void>)[] = []
const atTheEnd = { after: (end: () => void | Promise<void>) => void endings.push(end) }
after(async () => {
  for (const end of endings) await end()
})
const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})
const chains = await startChains({ after })
const { evm, svm } = chains
const processes = await startPaidProcesses(atTheEnd, {
  connection: database.connection,
  count: 2,
  paymentLeaseMs: 1_500,
  config: chains.section(),
})

type Offer = { accepts: { network: string }[] }

// The recipient's token account is made when the first process starts.
while (svm.landed.size === 0) await wait(20)

const offerOf = async (url: string): Promise<Offer> => {
  const answer = await request(`${url}/x402/top-up`, { method: 'POST' })
  return (await answer.body.json()) as Offer
}

const sign = async (wallet: Pick<TestWallet, 'client'>, family: 'eip155' | 'solana') => {
  const offer = await offerOf(processes[0]?.url ?? '')
  const accepts = offer.accepts.filter(({ network }) => network.startsWith(family))
  return base64Json(await wallet.client.createPaymentPayload({ ...offer, accepts } as never))
}

const pay = async (url: string, payment: string) => {
  const { statusCode, body } = await request(`${url}/x402/top-up`, {
    method: 'POST',
    headers: { 'payment-signature': payment },
  })
  return { status: statusCode, text: await body.text() }
}

const until = async (isDone: () => Promise<boolean>) => {
  while (!(await isDone())) await wait(20)
}

const stateOf = async (payer: string) =>
  (await sql.maybeOne<{ state: string }>`select state::text from x402_payment where payer = ${payer}`)?.state

const creditOf = async (payer: string) =>
  (await sql.one<{ credit: bigint; transfers: bigint }>`
      select coalesce(sum(amount), 0)::bigint credit, count(*) transfers from ledger_transfer t
      join wallet w on w.account_id = t.account_id where w.address = ${payer}`) ?? {}

const once = { credit: 5_000_000_000n, transfers: 1n }

/** Kills both processes when the payments have come so far, brings them back, and lets them find out. */
const dieAndComeBack = async (
  payments: string[],
  hasComeSoFar: () => Promise<boolean>,
  meanwhile: () => Promise<void>,
) => {
  const lost = payments.map((payment) => pay(processes[0]?.url ?? '', payment).catch(() => undefined))
  await until(hasComeSoFar)
  await Promise.all(processes.map((process) => process.kill()))
  for (const answer of lost) assert.equal(await answer, undefined, 'nobody heard how it ended')
  await meanwhile()
  await Promise.all(processes.map((process) => process.restart()))
}

test('50 times the same payment to two processes at once: credited once, and all answers agree', async () => {
  const cases = [
    { wallet: await chains.evmWallet(), family: 'eip155' },
    { wallet: await chains.solanaWallet(), family: 'solana' },
  ] as const
  for (const { wallet, family } of cases) {
    const payment = await sign(wallet, family)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => pay(processes[index % 2]?.url ?? '', payment)),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]), answers[0]?.text)
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, family)
    assert.deepEqual(await creditOf(wallet.normal), once)
  }
})

test('killed while the transaction waits for its block: credited once after the restart', async () => {
  const wallet = await chains.evmWallet()
  const payment = await sign(wallet, 'eip155')
  await evm.setAutomine(false)
  const isSent = async () =>
    (await stateOf(wallet.normal)) === 'broadcast' && evm.calls.includes('eth_sendRawTransaction')
  await dieAndComeBack([payment], isSent, async () => {
    assert.deepEqual(await creditOf(wallet.normal), { credit: 0n, transfers: 0n })
    await evm.setAutomine(true)
    await evm.mine()
  })
  await until(async () => (await stateOf(wallet.normal)) === 'credited')
  assert.equal((await pay(processes[1]?.url ?? '', payment)).status, 200)
  assert.deepEqual(await creditOf(wallet.normal), once)
})

test('killed when it was written down but the chain never got it: sent again, credited once', async () => {
  const wallet = await chains.evmWallet()
  const payment = await sign(wallet, 'eip155')
  evm.faults.dropSends = true
  await dieAndComeBack(
    [payment],
    async () => (await stateOf(wallet.normal)) === 'broadcast',
    async () => {
      evm.faults.dropSends = false
      assert.equal(await evm.balanceOf(wallet.account.address), 100_000_000n)
    },
  )
  await until(async () => (await stateOf(wallet.normal)) === 'credited')
  assert.equal(await evm.balanceOf(wallet.account.address), 95_000_000n)
  assert.deepEqual(await creditOf(wallet.normal), once)
})

test('killed when the money has moved, on both chains, and nobody has written that down: credited once', async () => {
  const [one, other] = [await chains.evmWallet(), await chains.solanaWallet()]
  const payments = [await sign(one, 'eip155'), await sign(other, 'solana')]
  const balances = async () => [await evm.balanceOf(one.account.address), await svm.tokenBalance(other.address)]
  const blocker = createDatabase(database.connection, { connectionsMax: 1 })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  // Whoever wants to credit something waits for us.
  const blocking = blocker.sql.transaction(async (held) => {
    await held`lock table ledger_transfer in exclusive mode`
    await released
  })
  const haveMoved = async () => (await balances()).every((balance) => balance === 95_000_000n)
  await dieAndComeBack(payments, haveMoved, async () => {
    for (const { normal } of [one, other]) assert.notEqual(await stateOf(normal), 'credited')
    release()
    await blocking
    await blocker.close()
  })
  for (const [index, { normal }] of [one, other].entries()) {
    await until(async () => (await stateOf(normal)) === 'credited')
    const answers = await Promise.all(processes.map(({ url }) => pay(url, payments[index] ?? '')))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    assert.deepEqual(await creditOf(normal), once)
  }
  assert.deepEqual(await balances(), [95_000_000n, 95_000_000n])
})

test('many payments of many wallets over two processes: each is credited once', async () => {
  const wallets = await Promise.all(Array.from({ length: 16 }, () => chains.evmWallet()))
  const payments = await Promise.all(wallets.map((wallet) => sign(wallet, 'eip155')))
  const answers = await Promise.all(payments.map((payment, index) => pay(processes[index % 2]?.url ?? '', payment)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  for (const wallet of wallets) assert.deepEqual(await creditOf(wallet.normal), once)
})

test('the books are in order after all of it', () => assertBooks(sql))
