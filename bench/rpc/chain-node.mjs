// The blockchain node of the tests, a real EVM with a few hundred blocks, in a process of its own. Started by a scenario,
// which gets the port and what can be asked as a message, and asks how many calls have arrived.
import { encodeFunctionData, numberToHex, parseAbi, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startEvmNode } from '../../dist/test/chains/evm-node.js'

const transfers = 200
const holders = Array.from({ length: 100 }, (_, index) => `0x${(0xace_0000 + index).toString(16).padStart(40, '1')}`)

const node = await startEvmNode({ after: () => {} })
const sender = privateKeyToAccount(generatePrivateKey())
await node.fund(sender.address, parseEther('100'))
await node.mint(sender.address, 10n ** 12n)
for (const holder of holders) await node.mint(holder, 1_000_000n)

const token = parseAbi(['function balanceOf(address) view returns (uint256)', 'function transfer(address, uint256)'])
// A block for each: what searches for a few of them has to look at all.
for (let nonce = 0; nonce < transfers; nonce++) {
  const args = [holders[nonce % 20], BigInt(nonce + 1)]
  const raw = await sender.signTransaction({
    type: 'eip1559',
    chainId: node.chainId,
    nonce,
    gas: 100_000n,
    maxFeePerGas: 1_000_000_000n,
    to: node.usdc,
    data: encodeFunctionData({ abi: token, functionName: 'transfer', args }),
  })
  await node.request('eth_sendRawTransaction', raw)
}

const height = await node.request('eth_blockNumber')
const balanceData = (holder) => encodeFunctionData({ abi: token, functionName: 'balanceOf', args: [holder] })
const readToken = (holder) => ({ method: 'eth_call', params: [{ to: node.usdc, data: balanceData(holder) }, height] })
const multicall = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[]) view returns ((bool, bytes)[])',
])
const readMany = encodeFunctionData({
  abi: multicall,
  functionName: 'aggregate3',
  args: [
    holders.slice(0, 20).map((holder) => ({ target: node.usdc, allowFailure: false, callData: balanceData(holder) })),
  ],
})
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

process.send({
  port: Number(new URL(node.url).port),
  questions: {
    balance: [{ method: 'eth_getBalance', params: [sender.address, height] }],
    call: [readToken(holders[0])],
    multicall: [
      { method: 'eth_call', params: [{ to: '0xcA11bde05977b3631167028862bE2a173976CA11', data: readMany }, height] },
    ],
    logs: [
      {
        method: 'eth_getLogs',
        params: [
          {
            address: node.usdc,
            fromBlock: numberToHex(1),
            toBlock: height,
            topics: [transferTopic, null, `0x${holders[0].slice(2).padStart(64, '0')}`],
          },
        ],
      },
    ],
    batch: holders.map(readToken),
  },
})

/** Whoever stands in front asks how far the chain is, too; that is not counted. */
const counted = new Set(['eth_getBalance', 'eth_call', 'eth_getLogs'])
let asked = 0
process.on('message', () => {
  for (const method of node.calls.splice(0)) if (counted.has(method)) asked++
  process.send({ asked })
})
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
