// Writes bytecode.json from the contracts beside it. The compiler is no dependency of the project, for it takes its time
// and the contracts do not change. To run it again:
//
//   npm install --prefix /tmp/solc solc@0.8.37
//   node test/chains/contracts/compile.mjs /tmp/solc/node_modules/solc/index.js
//
// Multicall3 is as deployed everywhere (https://www.multicall3.com, MIT): taken from viem, without its constructor.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as viemContracts from '../../../node_modules/viem/_esm/constants/contracts.js'

const folder = import.meta.dirname
const compilerPath = process.argv[2]
if (compilerPath === undefined) throw new Error('usage: compile.mjs <path of solc/index.js>')
const { default: solc } = await import(pathToFileURL(resolve(compilerPath)).href)

const files = readdirSync(folder).filter((name) => name.endsWith('.sol'))
const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: Object.fromEntries(files.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }])),
      settings: {
        optimizer: { enabled: true, runs: 200 },
        evmVersion: 'cancun',
        metadata: { appendCBOR: false, bytecodeHash: 'none' },
        outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
      },
    }),
  ),
)
const errors = (output.errors ?? []).filter((error) => error.severity === 'error')
if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))

const contracts = Object.assign({}, ...Object.values(output.contracts))
const runtime = (name) => `0x${contracts[name].evm.deployedBytecode.object}`
const multicall = viemContracts.multicall3Bytecode
const constructorEnd = '6000396000f3fe'
writeFileSync(
  join(folder, 'bytecode.json'),
  `${JSON.stringify(
    {
      compiler: solc.version(),
      usdc: runtime('TestUsdc'),
      wallet: runtime('TestWallet'),
      walletFactory: runtime('TestWalletFactory'),
      staking: runtime('TestStaking'),
      multicall3: `0x${multicall.slice(multicall.indexOf(constructorEnd) + constructorEnd.length)}`,
    },
    null,
    2,
  )}\n`,
)
