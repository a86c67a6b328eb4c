import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { installFolder } from '../../src/config.js'
import { startWalletService } from '../wallet-service.js'

const service = await startWalletService({ after })

test('the agent of the examples pays in when it must, and only then, and chats', async () => {
  const wallet = await service.evmWallet()
  const agent = (env: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, [join(installFolder, 'examples', 'wallet-agent.mjs'), 'Hi'], {
      env: {
        PATH: process.env.PATH,
        TESSERA_URL: service.origin,
        MODEL: 'acme',
        WALLET_KEY: wallet.privateKey,
        ...env,
      },
    })
  const first = await agent({ TOP_UP_USD: '7.25' })
  assert.match(
    first.stderr,
    /^Paid in 7\.25 USD \(0x[0-9a-f]{64}\); the balance is 7\.25 USD\.\nLeft: 7\.2\d{5} USD\.\n$/,
  )
  assert.notEqual(first.stdout.trim(), '')
  const second = await agent()
  assert.match(second.stderr, /^Left: 7\.2\d{5} USD\.\n$/)
  assert.equal(await service.evm.balanceOf(wallet.account.address), 92_750_000n)
})
