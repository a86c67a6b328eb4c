import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPublicClient, createWalletClient, http, parseAbi, parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { startEvmNode } from './evm-node.js'

const token = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address) view returns (uint256)',
])

const authorizationTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

test('a signed authorization moves USDC once, and the node has all that clients ask of one', async (t) => {
  const node = await startEvmNode(t)
  const account = privateKeyToAccount(generatePrivateKey())
  const sender = privateKeyToAccount(generatePrivateKey())
  const publicClient = createPublicClient({ chain: base, transport: http(node.url, { batch: true }) })
  const wallet = createWalletClient({ account: sender, chain: base, transport: http(node.url) })
  await node.mint(account.address, 7n)
  await node.fund(sender.address, parseEther('1'))

  const message = {
    from: account.address,
    to: sender.address,
    value: 5n,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + 600),
    nonce: toHex(1, { size: 32 }),
  }
  const signature = await account.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: node.chainId, verifyingContract: node.usdc },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { from, to, value, validAfter, validBefore, nonce } = message
  const args = [from, to, value, validAfter, validBefore, nonce, signature] as const
  const call = { address: node.usdc, abi: token, functionName: 'transferWithAuthorization', args } as const
  const hash = await wallet.writeContract(call)
  const receipt = await publicClient.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  assert.equal(receipt.status, 'success')
  assert.equal(receipt.logs.length, 2)
  assert.deepEqual([await node.balanceOf(from), await node.balanceOf(to)], [2n, 5n])
  await assert.rejects(publicClient.simulateContract(call), /FiatTokenV2: authorization is used or canceled/)

  const both = await publicClient.multicall({
    contracts: [
      { address: node.usdc, abi: token, functionName: 'authorizationState', args: [from, nonce] },
      { address: node.usdc, abi: token, functionName: 'balanceOf', args: [to] },
    ],
  })
  assert.deepEqual(
    both.map(({ result }) => result),
    [true, 5n],
  )
})

test('a node that is down answers nobody, and what it drops never arrives', async (t) => {
  const node = await startEvmNode(t)
  const sender = privateKeyToAccount(generatePrivateKey())
  const publicClient = createPublicClient({ chain: base, transport: http(node.url, { retryCount: 0 }) })
  const wallet = createWalletClient({ account: sender, chain: base, transport: http(node.url) })
  await node.fund(sender.address, parseEther('1'))

  node.faults.isDown = true
  await assert.rejects(publicClient.getChainId())
  node.faults.isDown = false
  assert.equal(await publicClient.getChainId(), 8453)

  node.faults.dropSends = true
  const hash = await wallet.sendTransaction({ to: node.staking, gas: 50_000n })
  await assert.rejects(publicClient.getTransaction({ hash }), /could not be found/)
  node.faults.dropSends = false

  await node.setAutomine(false)
  const waiting = await wallet.sendTransaction({ to: sender.address, gas: 50_000n })
  await assert.rejects(publicClient.getTransactionReceipt({ hash: waiting }))
  await node.mine()
  assert.equal((await publicClient.getTransactionReceipt({ hash: waiting })).status, 'success')
})

test('contract wallets sign, whether they are there already or only announced', async (t) => {
  const node = await startEvmNode(t)
  const owner = privateKeyToAccount(generatePrivateKey())
  const publicClient = createPublicClient({ chain: base, transport: http(node.url) })
  const wallet = privateKeyToAccount(generatePrivateKey()).address
  await node.installWallet(wallet, owner.address)
  const signature = await owner.signMessage({ message: 'hello' })
  assert.equal(await publicClient.verifyMessage({ address: wallet, message: 'hello', signature }), true)
  assert.equal(await publicClient.verifyMessage({ address: wallet, message: 'bye', signature }), false)

  const announced = await node.announcedWallet(owner.address)
  const asks = { address: announced.address, message: 'hello' }
  assert.equal(await publicClient.verifyMessage({ ...asks, signature: announced.wrap(signature) }), true)
  assert.equal(await publicClient.verifyMessage({ ...asks, signature }), false)

  await node.stake(wallet, 9n)
  const stakes = { address: node.staking, abi: token, functionName: 'balanceOf' } as const
  assert.equal(await publicClient.readContract({ ...stakes, args: [wallet] }), 9n)
})
