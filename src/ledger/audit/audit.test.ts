import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { createAccount } from '#accounts/accounts.js'
import { openWallet } from '#accounts/wallets/wallets.js'
import { createDatabase, type Sql } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { holdUsage, nanoLine, settleHeld, settleUsage } from '../../../test/usage.js'
import type { Line } from '../bill.js'
import { grantCredit } from '../credit/grant.js'
import { setStake } from '../credit/stake.js'
import { auditLedger, type Finding } from './audit.js'

const nowMs = Date.UTC(2026, 10, 15, 12)
const dayMs = 86_400_000
const lastMs = nowMs + 21 * dayMs
const diem = 1_000_000_000n

/** Ids of requests as the database writes them. */
const dashed = (requestId: string) => requestId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** Books with every currency, with and without a key, over the end of a month, and with a request that runs. */
const keepBooks = async (sql: Sql) => {
  const { id: accountId } = await createAccount(sql, { name: 'x', nowMs })
  const apiKeyId = randomUUID()
  await grantCredit(sql, { accountId, amountNanos: 1_000n, idempotencyKey: 'usd', nowMs })
  await grantCredit(sql, { accountId, currency: 'BUNDLED_CREDITS', amountNanos: 100n, idempotencyKey: 'bundle', nowMs })
  const pay = async (lines: Line[], keyId: string | null = null, atMs = nowMs) => {
    const { requestId } = await settleUsage(sql, { accountId, apiKeyId: keyId, lines, atMs, tookMs: 0 })
    return dashed(requestId)
  }
  const bundledId = await pay([nanoLine('Input', 30n), nanoLine('Output', 60n)])
  await pay([nanoLine('Input', 13n), nanoLine('Output', 0n)], apiKeyId)
  await pay([])
  const usdId = await pay([nanoLine('Output', 11n)])
  await setStake(sql, { accountId, amountNanos: diem, nowMs })
  await setStake(sql, { accountId, amountNanos: 2n * diem, nowMs })
  for (const atMs of [nowMs, nowMs + dayMs, lastMs - dayMs, lastMs])
    await pay([nanoLine('Output', 2n * diem - 7n)], apiKeyId, atMs)
  const payer = `0x${'a'.repeat(40)}`
  const wallet = await openWallet(sql, payer, nowMs)
  const topUp = { kind: 'top-up', amountNanos: 5_000n, idempotencyKey: 'x402:transfer', nowMs } as const
  await grantCredit(sql, { accountId: wallet.accountId, ...topUp })
  await sql`
    insert into x402_payment (id, fingerprint, payment_key, network, asset, payer, pay_to, amount, state, tx_hash,
                              balance_after, leased_until, created_at, changed_at)
    values (gen_random_uuid(), 'x', 'transfer', 'eip155:8453', 'usdc', ${payer}, 'us', 5, 'credited', '0x1', 5000, now(),
            now(), now())`
  const lines = [nanoLine('Output', 9n)]
  const running = await holdUsage(sql, { accountId, lines, atMs: lastMs, expiresAtMs: lastMs + 1_000 })
  return { accountId, apiKeyId, bundledId, usdId, runningId: dashed(running.requestId) }
}

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(() => close().then(database.drop))
const { accountId, apiKeyId, bundledId, usdId, runningId } = await keepBooks(sql)
const healthy = await auditLedger(sql, { nowMs: lastMs })

/** Breaks the books by hand, says what the audit sees, and leaves them as they were. */
const afterBreaking = async (statements: string, options = { nowMs: lastMs }) => {
  let findings: Finding[] = []
  const undo = new Error('undo')
  const undone = sql.transaction(async (sql) => {
    // As the audit does, which can do that only before the first question.
    await sql`set transaction isolation level repeatable read`
    await sql.script(statements)
    findings = await auditLedger(sql, options)
    throw undo
  })
  await assert.rejects(undone, undo)
  return new Map(findings.filter(({ problems }) => problems > 0).map((finding) => [finding.check, finding]))
}

const breaks = async (statements: string, check: string, example: RegExp, problems = 1) => {
  const found = (await afterBreaking(statements)).get(check)
  assert.equal(found?.problems, problems)
  assert.match(found.examples[0] ?? '', example)
}

const usdAccount = `(select id from ledger_account where owner = '${accountId}' and currency = 'USD')`
const earnedUsd = `(select id from ledger_account where owner is null and currency = 'USD' and kind = 'earned')`

test('books that were kept by the service have no problems', () => {
  assert.equal(healthy.length, 15)
  assert.deepEqual(
    healthy.filter(({ problems }) => problems > 0),
    [],
  )
})

test('a transfer whose entries do not sum to zero is found, also between currencies', async () => {
  const check = 'the entries of every transfer sum to zero'
  await breaks(
    `update ledger_entry set amount = amount + 2 where transfer_id = '${usdId}' and amount > 0`,
    check,
    new RegExp(`${usdId} is off by 2 nano-USD`),
  )
  await breaks(
    `update ledger_entry set account_id = (select id from ledger_account where owner is null and currency = 'DIEM' and kind = 'earned')
     where transfer_id = '${usdId}' and amount > 0`,
    check,
    new RegExp(`${usdId} is off by -?11 nano-(USD|DIEM)`),
    2,
  )
})

test('an entry of nothing, or on no account, is found', async () => {
  const check = 'every entry belongs to a transfer or a request, and to an account'
  await breaks(
    `insert into ledger_entry values ('${randomUUID()}', ${usdAccount}, 5), ('${randomUUID()}', ${earnedUsd}, -5)`,
    check,
    /-?5 nanos of/,
    2,
  )
  await breaks(`update ledger_entry set account_id = 4711 where transfer_id = '${usdId}' and amount < 0`, check, /4711/)
})

test('a transfer without entries, or with others than it says, is found', async () => {
  const check = 'every transfer gave the account what it says, once'
  const entries = `ledger_entry e using ledger_transfer t where t.id = e.transfer_id and t.idempotency_key = 'usd'`
  await breaks(`delete from ${entries}`, check, /says 1000 nano-USD, 0 entries say 0/)
  await breaks(
    `insert into ledger_entry select e.* from ledger_entry e join ledger_transfer t on t.id = e.transfer_id where t.idempotency_key = 'usd'`,
    check,
    /says 1000 nano-USD, 2 entries say 2000/,
  )
  await breaks(`update ledger_transfer set account_id = null where idempotency_key = 'usd'`, check, /says 1000/)
})

test('a request that was paid twice, not at all, in halves or by somebody else is found', async () => {
  const check = 'every request was paid what it cost, once, by its own account'
  const own = `ledger_entry where transfer_id = '${usdId}'`
  await breaks(`insert into ledger_entry select * from ${own}`, check, /cost 11 USD.*2 entries say 22/)
  await breaks(`delete from ${own}`, check, new RegExp(`${usdId} cost 11 USD.*0 entries say 0`))
  await breaks(
    `update ledger_entry set amount = amount - 1 where transfer_id = '${usdId}' and amount > 0;
     update ledger_entry set amount = amount + 1 where transfer_id = '${usdId}' and amount < 0;
     insert into ledger_entry values ('${usdId}', ${usdAccount}, -1), ('${usdId}', ${earnedUsd}, 1)`,
    check,
    /2 entries say 11/,
  )
  await breaks(`update usage_record set account_id = gen_random_uuid() where request_id = '${bundledId}'`, check, /90/)
})

test('a balance that is not the sum of its entries, or below zero, is found', async () => {
  await breaks(
    `update ledger_account set balance = balance + 1 where owner is not null and currency = 'BUNDLED_CREDITS'`,
    'every balance is the sum of its entries',
    new RegExp(`${accountId} has \\d+ nano-BUNDLED_CREDITS, its entries say \\d+`),
  )
  await breaks(
    `alter table ledger_account drop constraint no_overdraft; update ledger_account set balance = -1 where id = ${usdAccount}`,
    'no balance is negative, and the house keeps none',
    /has -1 nano-USD/,
  )
})

test('diem that was granted twice, for another day, or without being counted is found', async () => {
  const check = 'every day has the diem that was granted for it, once'
  const day = `'2026-11-15'`
  const dayAccount = `(select id from ledger_account where owner = '${accountId}' and currency = 'DIEM' and day = ${day})`
  const granted = `(select id from ledger_account where owner is null and currency = 'DIEM' and kind = 'granted')`
  const again = randomUUID()
  await breaks(
    `insert into ledger_transfer (id, idempotency_key, kind, account_id, currency, amount, created_at)
       values ('${again}', 'diem:${accountId}:2026-11-15:5', 'diem', '${accountId}', 'DIEM', 3, now());
     insert into ledger_entry values ('${again}', ${dayAccount}, 3), ('${again}', ${granted}, -3);
     update ledger_account set balance = balance + 3 where id = ${dayAccount}`,
    check,
    /on 2026-11-15: 2000000003 nano-diem granted, 2000000003 arrived/,
  )
  await breaks(
    `update ledger_account set day = '2026-11-14' where id = ${dayAccount}`,
    check,
    /on 2026-11-1[45]: \d+ nano-diem granted, \d+ arrived/,
    2,
  )
  await breaks(`update diem_stake set granted = granted - 1`, check, /on 2026-12-06: 2000000000 .* 1999999999 counted/)
})

test('a payment that was not credited what it paid, or a top-up that nobody paid, is found', async () => {
  const check = 'every payment of a wallet was credited what it paid, and no top-up is without its payment'
  await breaks(`update x402_payment set amount = 6`, check, /paid 6000 nano-USD, .* says 5000/)
  await breaks(`update x402_payment set state = 'settled'`, check, /payment unknown of nobody .* says 5000/)
  await breaks(`delete from x402_payment`, check, /payment unknown of nobody/)
  await breaks(`update x402_payment set payment_key = 'other'`, check, /unknown/, 2)
  await breaks(`update wallet set account_id = '${accountId}'`, check, /of 0xa+ paid 5000 nano-USD/)
  await breaks(`update ledger_transfer set kind = 'grant' where kind = 'top-up'`, check, /transfer unknown .* says 0/)
})

test('a request that is both held and settled is found', () =>
  breaks(
    `update ledger_hold set request_id = '${usdId}'`,
    'no request is both held and settled',
    new RegExp(`request ${usdId}`),
  ))

test('a hold that nobody gave back is found, after some grace', async () => {
  const check = 'no hold outlives its expiry'
  const expiresAtMs = lastMs + 1_000
  const found = await afterBreaking('', { nowMs: expiresAtMs + 60_001 })
  assert.deepEqual(found.get(check)?.examples, [`request ${runningId}, expired 2026-12-06 12:00:01`])
  assert.equal((await afterBreaking('', { nowMs: expiresAtMs + 60_000 })).size, 0)
  const impatient = { nowMs: expiresAtMs + 1, holdGraceMs: 0 }
  assert.equal((await afterBreaking('', impatient)).size, 1)
})

test('holds that exceed the balance, or lie on an account of somebody else, are found', async () => {
  const check = 'no account has more held than its balance'
  await breaks(
    `update ledger_hold set usd = 999999`,
    check,
    new RegExp(`${accountId}: 999999 nano-USD held, \\d+ there`),
  )
  await breaks(`update ledger_hold set usd = 1, usd_account = ${earnedUsd}`, check, /: 1 nano-USD held, 0 there/)
})

test('a bill whose lines do not sum to what was paid is found', () =>
  breaks(
    `update usage_record set lines = replace(lines, '"usd":"60"', '"usd":"61"') where request_id = '${bundledId}'`,
    'the lines of every bill sum to what was paid',
    new RegExp(`request ${bundledId} paid 90 nano-USD and 0 nano-diem, its lines say 91 and 0`),
  ))

test('a bill of several requests that is not shared out in full, or is not there, is found', async () => {
  const check = 'requests that were paid together share the whole of their bill'
  const share = (units: number, bill = usdId) =>
    `insert into usage_share values ('${randomUUID()}', '${bill}', ${units})`
  assert.equal((await afterBreaking(`${share(4)}; ${share(7)}`)).size, 0)
  await breaks(`${share(4)}; ${share(6)}`, check, new RegExp(`bill ${usdId} is of 11 units, its shares of 10`))
  await breaks(share(4, randomUUID()), check, /is of 0 units, its shares of 4/)
})

test('lines that cannot be read are a problem and do not stop the audit', async () => {
  const found = await afterBreaking(
    `update usage_record set lines = 'oops' where request_id = '${usdId}'; update ledger_account set balance = balance + 1`,
  )
  assert.match(found.get('the lines of every bill sum to what was paid')?.examples[0] ?? '', /json/)
  assert.ok(found.has('every balance is the sum of its entries'))
})

test('roll-ups that differ from the records are found, for models and keys, too much and missing', async () => {
  const check = 'the sums of usage per model and per key equal its records'
  await breaks(
    `update usage_by_model set units = units + 1 where day = '2026-11-15' and part = 'Input'`,
    check,
    new RegExp(`acme-chat Input of ${accountId} on 2026-11-15: 44 units, 43 .*; records say 43, 43, 0`),
  )
  await breaks(
    `update usage_by_key set diem = diem - 1 where day = '2026-11-16'`,
    check,
    new RegExp(`key ${apiKeyId} of ${accountId} on 2026-11-16: .* 1999999992 nano-diem; records say .* 1999999993`),
  )
  await breaks(`delete from usage_by_key where api_key_id = account_id`, check, new RegExp(`key ${accountId}`))
  await breaks(`delete from usage_record where request_id = '${usdId}'`, check, /records say/, 2)
})

test('running sums of a key that do not follow from its days are found', async () => {
  const check = 'what a key spent in its month and its life is the sum of its days'
  for (const column of ['month_usd', 'month_diem', 'life_usd', 'life_diem'])
    await breaks(
      `update usage_by_key set ${column} = ${column} + 1 where day = '2026-12-05'`,
      check,
      new RegExp(`key ${apiKeyId} of ${accountId} on 2026-12-05`),
    )
})

test('requests that are paid while it looks raise no alarm', async () => {
  let isDone = false
  const pay = async () => {
    while (!isDone) {
      const use = { lines: [nanoLine('Output', 1n)], atMs: lastMs }
      await settleHeld(sql, await holdUsage(sql, { accountId, ...use }), use)
    }
  }
  const paying = Promise.all([pay(), pay()])
  for (let round = 0; round < 10; round++)
    assert.deepEqual(
      (await auditLedger(sql, { nowMs: lastMs })).filter(({ problems }) => problems > 0),
      [],
    )
  isDone = true
  await paying
})
