import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { erc6492SignatureValidatorByteCode, type Hex, hashMessage, serializeErc6492Signature } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startEvmNode } from '../../../test/chains/evm-node.js'
import { createContractCheck } from './contract-signature.js'
import { createIsSignedByEvm, personalMessageHash, signerOf } from './evm-signature.js'
import { signatureValidator } from './signature-validator.js'

const account = privateKeyToAccount(generatePrivateKey())
const wallet = account.address.toLowerCase()
const newAddress = () => privateKeyToAccount(generatePrivateKey()).address.toLowerCase()
const bytesOf = (signature: string) => Buffer.from(signature.slice(2), 'hex')

const node = await startEvmNode({ after })
// Busy machines take their time; how long is too long is a test of its own.
const isSignedBy = createIsSignedByEvm(createContractCheck({ timeoutMs: 60_000 }))
/** Asks, and tells which calls of the node that took. */
const asked = async (proof: { wallet: string; text: string; signature: string }) => {
  node.calls.length = 0
  return [await isSignedBy(proof, node.url), ...node.calls]
}

test('a personal signature names its wallet, whatever the text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      assert.equal(`0x${Buffer.from(personalMessageHash(text)).toString('hex')}`, hashMessage(text))
      const signature = bytesOf(await account.signMessage({ message: text }))
      assert.equal(await signerOf(personalMessageHash(text), signature), wallet)
    }),
    { numRuns: 50 },
  )
})

test('v may be 0 or 27, 1 or 28, and s may be either of its two values', async () => {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const hash = personalMessageHash('hello')
  const signature = bytesOf(await account.signMessage({ message: 'hello' }))
  const v = signature[64] as number
  const with64 = (v: number, from = signature) => Buffer.concat([from.subarray(0, 64), Buffer.from([v])])
  assert.equal(await signerOf(hash, with64(v - 27)), wallet)
  assert.notEqual(await signerOf(hash, with64(27 + (1 - (v - 27)))), wallet)
  for (const v of [2, 3, 26, 29, 30, 255]) assert.equal(await signerOf(hash, with64(v)), undefined)

  const s = BigInt(`0x${signature.subarray(32, 64).toString('hex')}`)
  const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex')
  const mirrored = Buffer.concat([signature.subarray(0, 32), other, Buffer.from([27 + (1 - (v - 27))])])
  assert.equal(await signerOf(hash, mirrored), wallet)
})

test('what is no signature names nobody', async () => {
  const hash = personalMessageHash('hello')
  const signature = bytesOf(await account.signMessage({ message: 'hello' }))
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.alloc(65),
    Buffer.alloc(65, 255),
    signature.subarray(1),
    signature.subarray(0, 64),
  ])
    assert.equal(await signerOf(hash, bytes), undefined)
  for (const start of [0, 32]) {
    // r or s that is zero, or not below the order.
    for (const value of [0, 255]) {
      const changed = Buffer.from(signature).fill(value, start, start + 32)
      assert.equal(await signerOf(hash, changed), undefined)
    }
  }
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 65, maxLength: 65 }), async (bytes) =>
      assert.notEqual(await signerOf(hash, bytes), wallet),
    ),
  )
})

test('a plain wallet is checked without asking the chain', async () => {
  const signature = await account.signMessage({ message: 'hello' })
  assert.deepEqual(await asked({ wallet, text: 'hello', signature }), [true])
  assert.deepEqual(await asked({ wallet, text: 'hello', signature: signature.toUpperCase().replace('0X', '0x') }), [
    true,
  ])
})

test('an address that is no contract costs one question', async () => {
  const signature = await account.signMessage({ message: 'hello' })
  assert.deepEqual(await asked({ wallet: newAddress(), text: 'hello', signature }), [false, 'eth_getCode'])
  assert.deepEqual(await asked({ wallet, text: 'hello', signature: 'nonsense' }), [false])
  assert.equal(await isSignedBy({ wallet: newAddress(), text: 'hello', signature }, undefined), false)
})

test('a contract wallet is asked whether the signature is its own (EIP-1271)', async () => {
  const contract = newAddress()
  await node.installWallet(contract, account.address)
  const signature = await account.signMessage({ message: 'hello' })
  assert.deepEqual(await asked({ wallet: contract, text: 'hello', signature }), [true, 'eth_getCode', 'eth_call'])
  assert.deepEqual((await asked({ wallet: contract, text: 'bye', signature }))[0], false)
  const stranger = privateKeyToAccount(generatePrivateKey())
  assert.equal(
    (await asked({ wallet: contract, text: 'hello', signature: await stranger.signMessage({ message: 'hello' }) }))[0],
    false,
  )
})

test('a contract wallet signs before it is deployed (ERC-6492), and after that with the same signature', async () => {
  const { address, wrap } = await node.announcedWallet(account.address)
  const contract = address.toLowerCase()
  const signature = await account.signMessage({ message: 'hello' })
  assert.deepEqual(await asked({ wallet: contract, text: 'hello', signature: wrap(signature) }), [true, 'eth_call'])
  assert.equal((await asked({ wallet: contract, text: 'bye', signature: wrap(signature) }))[0], false)
  assert.equal((await asked({ wallet: contract, text: 'hello', signature }))[0], false, 'not wrapped')
  assert.equal(
    (await asked({ wallet: newAddress(), text: 'hello', signature: wrap(signature) }))[0],
    false,
    'of another',
  )
  assert.equal(await node.request('eth_getCode', contract, 'latest'), '0x', 'nothing was deployed')

  await node.installWallet(contract, account.address)
  assert.equal((await asked({ wallet: contract, text: 'hello', signature: wrap(signature) }))[0], true)
})

test('a plain wallet cannot be taken over by a wrapped signature', async () => {
  const stranger = privateKeyToAccount(generatePrivateKey())
  const signature = await stranger.signMessage({ message: 'hello' })
  for (const address of [wallet, node.usdc, node.walletFactory] as Hex[])
    for (const inner of [signature, '0x'] as Hex[]) {
      const wrapped = serializeErc6492Signature({ address, data: '0x', signature: inner })
      assert.equal((await asked({ wallet, text: 'hello', signature: wrapped }))[0], false)
    }
  const nonsense = `0x${'ff'.repeat(100)}${'6492'.repeat(16)}`
  assert.equal((await asked({ wallet, text: 'hello', signature: nonsense }))[0], false)
})

test('a contract that fails, returns nothing or never ends has said no', async () => {
  const signature = await account.signMessage({ message: 'hello' })
  const codes = {
    reverts: '0x5f5ffd',
    invalid: '0xfe',
    stops: '0x00',
    endless: '0x5b5f56',
    underflow: '0x50',
    jump: '0x600a56',
  }
  for (const [name, code] of Object.entries(codes)) {
    const contract = newAddress()
    await node.request('hardhat_setCode', contract, code)
    assert.equal((await asked({ wallet: contract, text: 'hello', signature }))[0], false, name)
  }
  // A precompiled contract gives back what it is sent, and that begins like a yes.
  assert.equal((await asked({ wallet: `0x${'4'.padStart(40, '0')}`, text: 'hello', signature }))[0], false)
})

test('a node in trouble has said nothing', async () => {
  const contract = newAddress()
  await node.installWallet(contract, account.address)
  const { address, wrap } = await node.announcedWallet(account.address, 1n)
  const signature = await account.signMessage({ message: 'hello' })
  const proofs = [
    { wallet: contract, text: 'hello', signature },
    { wallet: address.toLowerCase(), text: 'hello', signature: wrap(signature) },
  ]
  const troubles: [() => void, () => void][] = [
    [() => (node.faults.isDown = true), () => (node.faults.isDown = false)],
    [() => (node.faults.isNonsense = true), () => (node.faults.isNonsense = false)],
    [() => node.faults.cutAnswersTo.add('eth_call'), () => node.faults.cutAnswersTo.clear()],
    ...['rate limit exceeded', 'internal error', 'missing trie node', 'method handler crashed'].map(
      (message): [() => void, () => void] => [
        () => node.faults.errors.set('eth_call', { code: -32000, message }),
        () => node.faults.errors.clear(),
      ],
    ),
  ]
  for (const [begin, end] of troubles) {
    begin()
    for (const proof of proofs) await assert.rejects(isSignedBy(proof, node.url))
    end()
    for (const proof of proofs) assert.equal(await isSignedBy(proof, node.url), true)
  }
})

test('a node that takes too long has said nothing', async () => {
  const contract = newAddress()
  await node.installWallet(contract, account.address)
  const isSignedBy = createIsSignedByEvm(createContractCheck({ timeoutMs: 50 }))
  node.faults.delayMs = 1_000
  const signature = await account.signMessage({ message: 'hello' })
  await assert.rejects(isSignedBy({ wallet: contract, text: 'hello', signature }, node.url), /timeout/)
  node.faults.delayMs = 0
})

test('only so many contract wallets are asked at a time; plain wallets never wait for them', async () => {
  const contract = newAddress()
  await node.installWallet(contract, account.address)
  const signature = await account.signMessage({ message: 'hello' })
  const proof = { wallet: contract, text: 'hello', signature }
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => isSignedBy(proof, node.url)))
  assert.deepEqual(
    results.map(({ status }) => status),
    [...Array(16).fill('fulfilled'), ...Array(4).fill('rejected')],
  )
  assert.equal(await isSignedBy(proof, node.url), true, 'and later again')
  const busy = Array.from({ length: 16 }, () => isSignedBy(proof, node.url))
  assert.equal(await isSignedBy({ wallet, text: 'hello', signature }, node.url), true)
  await Promise.all(busy)
})

test('an answer that is no answer is a no', async () => {
  const signature = await account.signMessage({ message: 'hello' })
  const hash = personalMessageHash('hello')
  for (const result of ['"0x"', '1', '{}', '""']) {
    const server = createServer((_, response) => response.end(`{"jsonrpc":"2.0","id":1,"result":${result}}`)).listen(0)
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    for (const bytes of [bytesOf(signature), Buffer.from('6492'.repeat(20), 'hex')])
      assert.equal(await createContractCheck()({ wallet: newAddress(), hash, signature: bytes }, url), false)
    server.closeAllConnections()
    server.close()
  }
})

test('the validator is the one that viem has', () => {
  assert.equal(signatureValidator, erc6492SignatureValidatorByteCode)
})
