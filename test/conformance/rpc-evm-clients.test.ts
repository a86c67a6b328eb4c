import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Hex, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { startEvmNode } from '../chains/evm-node.js'
import { createEthersClient, createViemClient, type EvmClient } from '../rpc-evm-clients.js'
import { createMeter, creditNanos, startRpcService } from '../rpc-service.js'

const node = await startEvmNode({ after })
const service = await startRpcService({ after }, { networks: { 'base-mainnet': { upstreams: [node.url] } } })
const multicall: Hex = '0xcA11bde05977b3631167028862bE2a173976CA11'

const newAddress = () => privateKeyToAddress(generatePrivateKey())

/** Somebody with ETH and USDC, who reaches the chain through us. */
const createUser = async (create: typeof createViemClient, isBatching: boolean) => {
  const privateKey = generatePrivateKey()
  const address = privateKeyToAddress(privateKey)
  await node.fund(address, parseEther('1'))
  await node.mint(address, 1_000_000n)
  const meter = createMeter()
  const refusals: number[] = []
  const client = create({
    url: service.urlOf('base-mainnet'),
    headers: { authorization: service.authorization },
    privateKey,
    token: node.usdc,
    multicall,
    isBatching,
    onAnswer: ({ status, headers }) => (status === 200 ? meter.add(headers) : void refusals.push(status)),
  })
  return { address, client, meter, refusals }
}

/** Everything a wallet application does, each step with the answer that the chain itself gives. */
const useWallet = async (client: EvmClient, own: string) => {
  const friend = newAddress()
  assert.equal(await client.chainId(), node.chainId)
  assert.equal(await client.ethOf(own), parseEther('1'))
  assert.equal(await client.ethOf(friend), 0n)
  assert.equal(await client.nonceOf(own), 0)
  assert.equal(await client.tokensOf(own), 1_000_000n)
  const before = await client.height()
  assert.equal(before, BigInt(await node.request<Hex>('eth_blockNumber')))

  const gas = await client.estimateTransfer(friend, 250_000n)
  assert.ok(gas > 21_000n && gas < 200_000n, String(gas))
  const sent = await client.waitFor(await client.sendTokens(friend, 250_000n))
  assert.equal(sent, before + 1n)
  // Whoever has seen the receipt must not be shown what was true before it.
  assert.equal(await client.tokensOf(friend), 250_000n)
  assert.equal(await client.tokensOf(own), 750_000n)
  assert.equal(await client.nonceOf(own), 1)
  assert.equal(await client.height(), sent)
  assert.deepEqual(await client.tokensOfAll([own, friend, newAddress()]), [750_000n, 250_000n, 0n])
  assert.equal(
    await client.blockHashAt(sent),
    (await node.request<{ hash: string }>('eth_getBlockByNumber', `0x${sent.toString(16)}`, false)).hash,
  )
  assert.deepEqual(
    (await client.transfersTo(friend, before)).map(({ to, value }) => [to.toLowerCase(), value]),
    [[friend.toLowerCase(), 250_000n]],
  )

  // One after the other without waiting: the second needs to know of the first.
  const first = await client.sendEth(friend, 7n)
  const second = await client.sendEth(friend, 8n)
  await client.waitFor(first)
  await client.waitFor(second)
  assert.equal(await client.ethOf(friend), 15n)
  assert.equal(await client.nonceOf(own), 3)
}

for (const create of [createViemClient, createEthersClient])
  for (const isBatching of [false, true]) {
    const name = `${create === createViemClient ? 'viem' : 'ethers'}, ${isBatching ? 'batches' : 'single calls'}`
    describe(name, () => {
      test('reads, estimates, signs, sends, waits and reads what is new; the bill is what the answers said', async (t) => {
        const { client, address, meter } = await createUser(create, isBatching)
        t.after(client.close)
        const before = await service.balance()
        await useWallet(client, address)
        client.close()
        assert.ok(meter.credits() >= 20 * 15, String(meter.credits()))
        assert.equal(before - (await service.balance()), BigInt(meter.credits()) * creditNanos)
      })

      test('a contract that refuses is seen as such, with its reason, and costs 5 credits', async (t) => {
        const { client, meter } = await createUser(create, isBatching)
        t.after(client.close)
        assert.equal(await client.refusalOf(newAddress(), 2_000_000n), 'ERC20: transfer amount exceeds balance')
        assert.equal(await client.refusalOf(newAddress(), 1n), null)
        assert.equal(meter.credits(), 5 + 20)
      })

      test('30 reads at once all succeed, each with its own answer', async (t) => {
        const { client, meter, refusals } = await createUser(create, isBatching)
        t.after(client.close)
        const people = await Promise.all(
          Array.from({ length: 30 }, async (_, index) => {
            const address = newAddress()
            await node.fund(address, BigInt(index) * 10n ** 15n)
            return address
          }),
        )
        const before = await service.balance()
        const found = await Promise.all(people.map((address) => client.ethOf(address)))
        assert.deepEqual(
          found,
          people.map((_, index) => BigInt(index) * 10n ** 15n),
        )
        assert.deepEqual([refusals, meter.credits()], [[], 30 * 20])
        assert.equal(isBatching, meter.answers() < 30, `${meter.answers()} answers`)
        assert.equal(before - (await service.balance()), 30n * 20n * creditNanos)
      })
    })
  }

// viem tries a method first that few nodes have, and only unlearns it when it is told in words that it knows.
test('viem asks once for what we do not offer, is not charged for it, and remembers', async (t) => {
  const { client, refusals } = await createUser(createViemClient, false)
  t.after(client.close)
  await client.sendEth(newAddress(), 1n)
  await client.sendEth(newAddress(), 1n)
  assert.deepEqual(refusals, [400])
})
