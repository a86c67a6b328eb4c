import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { accountOfWallet, createAccount } from '#accounts/accounts.js'
import { readStake } from '#accounts/wallet-keys/chain.js'
import { linkWallet } from '#accounts/wallets/wallets.js'
import { readBalances } from '#ledger/credit/balances.js'
import { listStakes, setStake } from '#ledger/credit/stake.js'
import { createDatabase } from '#store/sql.js'
import { startEvmNode } from '../../test/chains/evm-node.js'
import { createTestDatabase } from '../../test/database.js'
import { assertBooks } from '../../test/money.js'
import { createTestClock } from '../../test/service.js'
import { createEvmWallet } from '../../test/wallets.js'
import { createStakeReader, diemOf } from './stake-reader.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})
const node = await startEvmNode({ after })
const clock = createTestClock()
const token = 10n ** 18n
const diem = 1_000_000_000n

const troubles: unknown[] = []
const createReader = () =>
  createStakeReader({
    sql,
    clock,
    terms: () => ({ decimals: 18, diemPerToken: '0.5', intervalSeconds: 60 }),
    stakeOf: (address) => readStake({ rpcUrl: node.url, contract: node.staking }, address),
    onTrouble: (error) => troubles.push(error),
  })
const reader = createReader()

const diemNow = async (accountId: string) => (await readBalances(sql, [accountId], clock.nowMs())).get(accountId)?.diem

test('a stake counts once, for the account whose diem the wallet spends', async () => {
  const wallet = createEvmWallet()
  const { id: made } = await accountOfWallet(sql, wallet.normal, clock.nowMs())
  const { id: other } = await createAccount(sql, { name: 'other', nowMs: 0 })
  await node.stake(wallet.account.address, 2n * token)
  await linkWallet(sql, { address: wallet.normal, accountId: other, nowMs: clock.nowMs() })
  assert.equal(await reader.read(), 1)
  const stakes = async () => (await listStakes(sql)).map(({ accountId, amountNanos }) => [accountId, amountNanos])
  assert.deepEqual(await stakes(), [[other, diem]])

  await linkWallet(sql, { address: wallet.normal, accountId: made, nowMs: clock.nowMs() })
  await setStake(sql, { accountId: other, amountNanos: 0n, nowMs: clock.nowMs() })
  await reader.read()
  assert.deepEqual(await stakes(), [[made, diem]])
  await node.stake(wallet.account.address, 0n)
  await reader.read()
})

test('the stakes of all wallets of an account become its daily grant', async () => {
  const { id: linked } = await createAccount(sql, { name: 'linked', nowMs: 0 })
  const { id: byHand } = await createAccount(sql, { name: 'by hand', nowMs: 0 })
  await setStake(sql, { accountId: byHand, amountNanos: 3n * diem, nowMs: clock.nowMs() })
  const [first, second, own] = [createEvmWallet(), createEvmWallet(), createEvmWallet()]
  for (const { normal: address } of [first, second])
    await linkWallet(sql, { address, accountId: linked, nowMs: clock.nowMs() })
  await linkWallet(sql, {
    address: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
    accountId: linked,
    nowMs: clock.nowMs(),
  })
  const { id: made } = await accountOfWallet(sql, own.normal, clock.nowMs())
  await node.stake(first.account.address, 4n * token)
  await node.stake(second.account.address, 2n * token + 1n)
  await node.stake(own.account.address, token)

  assert.equal(await reader.read(), 2)
  assert.deepEqual(
    [await diemNow(linked), await diemNow(made), await diemNow(byHand)],
    [3n * diem, diem / 2n, 3n * diem],
  )
  assert.equal(await reader.read(), 0, 'nothing has changed')

  await node.stake(first.account.address, 10n * token)
  assert.equal(await reader.read(), 1)
  assert.equal(await diemNow(linked), 6n * diem, 'more counts at once')
  await node.stake(first.account.address, 0n)
  await reader.read()
  assert.equal(await diemNow(linked), 6n * diem, 'less from tomorrow on')
  clock.advance(86_400_000)
  assert.equal(await diemNow(linked), diem)
})

test('a grant that came from a stake ends with the last wallet; one that was set by hand does not', async () => {
  const { id: from } = await createAccount(sql, { name: 'from', nowMs: 0 })
  const { id: to } = await createAccount(sql, { name: 'to', nowMs: 0 })
  const { id: byHand } = await createAccount(sql, { name: 'by hand', nowMs: 0 })
  const wallet = createEvmWallet()
  const link = (address: string, accountId: string | null) =>
    linkWallet(sql, { address, accountId, nowMs: clock.nowMs() })
  await setStake(sql, { accountId: byHand, amountNanos: 3n * diem, nowMs: clock.nowMs() })
  await link('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', byHand)
  await link(wallet.normal, from)
  await node.stake(wallet.account.address, 2n * token)
  await reader.read()
  await link(wallet.normal, to)
  await reader.read()
  clock.advance(86_400_000)
  assert.deepEqual([await diemNow(from), await diemNow(to), await diemNow(byHand)], [null, diem, 3n * diem])
  await link(wallet.normal, null)
  await reader.read()
  clock.advance(86_400_000)
  assert.deepEqual([await diemNow(from), await diemNow(to), await diemNow(byHand)], [null, null, 3n * diem])
  assert.equal(await reader.read(), 0)
})

test('an address without a contract is not a stake of nothing', async () => {
  await assert.rejects(
    readStake({ rpcUrl: node.url, contract: `0x${'9'.repeat(40)}` }, createEvmWallet().normal),
    /no staking contract at 0x9/,
  )
})

test('a chain that does not answer takes nothing away', async () => {
  const before = await listStakes(sql)
  node.faults.isDown = true
  await assert.rejects(reader.read())
  node.faults.isDown = false
  assert.deepEqual(await listStakes(sql), before)
})

test('several processes at once set each grant once', async () => {
  const { id: accountId } = await createAccount(sql, { name: 'x', nowMs: 0 })
  const wallet = createEvmWallet()
  await linkWallet(sql, { address: wallet.normal, accountId, nowMs: clock.nowMs() })
  await node.stake(wallet.account.address, 8n * token)
  const changed = await Promise.all(Array.from({ length: 4 }, () => createReader().read()))
  assert.ok(changed.reduce((sum, one) => sum + one, 0) >= 1)
  await reader.read()
  assert.equal(await diemNow(accountId), 4n * diem)
  await assertBooks(sql, clock.nowMs())
})

test('a stake that cannot be granted leaves alone only the account that has it', async () => {
  const wallets = [createEvmWallet(), createEvmWallet(), createEvmWallet()]
  const accounts: string[] = []
  for (const { normal: address } of wallets) {
    const { id: accountId } = await createAccount(sql, { name: 'one of three', nowMs: 0 })
    await linkWallet(sql, { address, accountId, nowMs: clock.nowMs() })
    accounts.push(accountId)
  }
  accounts.sort()
  const [first] = accounts
  const owner = await sql.one<{ address: string }>`select address from wallet where diem_account_id = ${first}`
  for (const { account, normal } of wallets)
    await node.stake(account.address, (normal === owner.address ? 10n ** 30n : 2n) * token)
  troubles.length = 0
  assert.equal(await reader.read(), 2)
  assert.deepEqual(await Promise.all(accounts.slice(1).map(diemNow)), [diem, diem])
  assert.match(String(troubles[0]), new RegExp(`account ${first}: a stake of`))
  await node.stake(wallets.find(({ normal }) => normal === owner.address)!.account.address, 0n)
})

test('a reader that is stopped does not go on with the accounts that are left', async () => {
  let asked = 0
  const slow = createStakeReader({
    sql,
    clock,
    terms: () => ({ decimals: 18, diemPerToken: '0.5', intervalSeconds: 60 }),
    stakeOf: async () => {
      asked++
      void slow.stop()
      return 0n
    },
    onTrouble: () => {},
  })
  await slow.read()
  // An account has two wallets at most here, and there are more accounts than one.
  assert.ok(asked >= 1 && asked <= 2, String(asked))
})

test('diem of a stake is exact and never more than it is worth', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 24n), fc.integer({ min: 0, max: 24 }), (stake, decimals) => {
      const nanos = stake / 10n ** BigInt(decimals) > 10n ** 9n ? undefined : diemOf(stake, decimals, '1')
      if (nanos === undefined) return
      assert.ok(nanos * 10n ** BigInt(decimals) <= stake * diem)
      assert.ok((nanos + 1n) * 10n ** BigInt(decimals) > stake * diem)
    }),
  )
  assert.throws(() => diemOf(10n ** 40n, 0, '1'), RangeError)
})
