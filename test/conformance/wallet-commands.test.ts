import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createFolder, runTessera } from '../process.js'
import { startWalletService } from '../wallet-service.js'
import { createEvmWallet } from '../wallets.js'

const service = await startWalletService({ after })
const cwd = createFolder({ after })
writeFileSync(join(cwd, 'tessera.yaml'), `builtinModels: false\n${service.section()}`)
const tessera = (...args: string[]) => runTessera(args, { cwd, env: { DATABASE_URL: service.database.url } })
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await tessera(...args, '--json')
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}
const wallet = await service.evmWallet()
assert.equal((await service.topUp(wallet)).status, 200)

test('wallets and their payments are listed', async () => {
  const [listed] = await json('wallets', 'list')
  assert.deepEqual([listed.wallet, listed.usd, listed.tier, listed.diemOf], [wallet.normal, '5', 'paid', null])
  const [payment, ...others] = await json('wallets', 'payments', '--wallet', wallet.address)
  assert.deepEqual([payment.wallet, payment.usdc, payment.state, others.length], [wallet.normal, '5', 'credited', 0])
  assert.match(payment.transaction, /^0x[0-9a-f]{64}$/)
  assert.deepEqual(await json('wallets', 'payments', '--unfinished'), [])
  assert.match((await tessera('wallets', 'list')).stdout, /^wallet +usd +tier/)
  const { code, stderr } = await tessera('wallets', 'payments', '--wallet', 'nonsense')
  assert.deepEqual([code, /'nonsense' is not the address of a wallet/.test(stderr)], [1, true])
})

test('a wallet is linked to an account and let go again', async () => {
  const { accountId } = service.rich
  const other = createEvmWallet()
  const { stdout } = await tessera('wallets', 'link', other.address, '--account', accountId)
  assert.match(stdout, /now spends the diem of .* first/)
  const [linked] = (await json('wallets', 'list')).filter((row: { wallet: string }) => row.wallet === other.normal)
  assert.deepEqual([linked.diemOf, linked.usd], [accountId, '0'])
  const [unlinked] = await json('wallets', 'unlink', other.address)
  assert.equal(unlinked.diemOf, null)
})

test('the doctor looks at chains and fee wallets, and nobody prints their keys', async () => {
  const findings = async () => {
    const { stdout } = await tessera('doctor', '--json')
    return (JSON.parse(stdout).checks as { check: string; ok: boolean; detail: string }[]).filter(({ check }) =>
      /payment|fee wallet/.test(check),
    )
  }
  const well = await findings()
  assert.deepEqual(
    well.map(({ ok }) => ok),
    well.map(() => true),
  )
  assert.ok(well.some(({ check, detail }) => /fee wallet on eip155:8453/.test(check) && /ETH in 0x/.test(detail)))
  await service.evm.fund(service.feeWallet, 1n)
  service.svm.faults.isDown = true
  const ill = (await findings()).filter(({ ok }) => !ok).map(({ check }) => check)
  service.svm.faults.isDown = false
  assert.equal(ill.length, 2, ill.join('; '))
  assert.match(ill.join(), /fee wallet on eip155:8453.*solana/)
  const { stdout } = await tessera('check')
  const keys = [...service.section().matchAll(/feeWalletKey: "([^"]+)"/g)].map(([, key]) => key as string)
  assert.equal(keys.length, 2)
  for (const key of keys) assert.ok(!stdout.includes(key))
})
