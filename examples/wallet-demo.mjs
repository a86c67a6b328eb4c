// Shows the wallet agent at work without any money: a chain and a service on this machine, and USDC of that chain.
//
//   npm run example:wallet
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { startEvmNode } from '../dist/test/chains/evm-node.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'tessera-wallet-demo-'))
const endings = []
const node = await startEvmNode({ after: (end) => endings.push(end) })

const feeWalletKey = generatePrivateKey()
const walletKey = generatePrivateKey()
const wallet = privateKeyToAddress(walletKey)
await node.fund(privateKeyToAddress(feeWalletKey), 10n ** 18n)
await node.mint(wallet, 20_000_000n)
console.error(`The wallet ${wallet} has 20 USDC on a chain of this machine.`)

writeFileSync(
  join(folder, 'tessera.yaml'),
  `x402:
  evm: { rpcUrl: "${node.url}", payTo: "${privateKeyToAddress(generatePrivateKey())}", feeWalletKey: "${feeWalletKey}" }
`,
)
const service = spawn(process.execPath, [join(here, '..', 'bin', 'tessera.mjs'), 'serve'], {
  cwd: folder,
  env: { ...process.env, TESSERA_DATA: join(folder, 'data'), TESSERA_PORT: '0', TESSERA_CONFIG: '', DATABASE_URL: '' },
  stdio: ['ignore', 'pipe', 'inherit'],
})

const ready = async () => {
  let text = ''
  for await (const chunk of service.stdout) {
    text += chunk
    const origin = /Base URL +(\S+)\/api\/v1/.exec(text)?.[1]
    if (origin) return origin
  }
  throw new Error(`the service did not start: ${text}`)
}

try {
  const origin = await ready()
  for (const question of ['Say hello.', 'And once more.']) {
    const agent = spawn(process.execPath, [join(here, 'wallet-agent.mjs'), question], {
      env: { ...process.env, TESSERA_URL: origin, WALLET_KEY: walletKey },
      stdio: 'inherit',
    })
    const [code] = await once(agent, 'exit')
    if (code !== 0) process.exitCode = 1
  }
  console.error(`The wallet has ${Number(await node.balanceOf(wallet)) / 1e6} USDC left on the chain.`)
} finally {
  service.kill('SIGTERM')
  await once(service, 'exit')
  for (const end of endings) await end()
  rmSync(folder, { recursive: true, force: true })
}
