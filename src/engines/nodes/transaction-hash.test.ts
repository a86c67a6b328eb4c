import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getBase58Decoder } from '@solana/kit'
import fc from 'fast-check'
import { type Hex, keccak256, parseGwei, serializeTransaction, toRlp } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hashOfSend } from './transaction-hash.js'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const to = `0x${'22'.repeat(20)}` as const
const evm = (raw: string) => hashOfSend('evm', 'eth_sendRawTransaction', JSON.stringify([raw]))

test('the hash of every usual kind of EVM transaction', async () => {
  const fees = { maxFeePerGas: parseGwei('2'), maxPriorityFeePerGas: 1n }
  const common = { to, chainId: 1, nonce: 3, gas: 21_000n, value: 1n } as const
  for (const raw of await Promise.all([
    account.signTransaction({ ...common, type: 'legacy', gasPrice: 1n }),
    account.signTransaction({
      ...common,
      type: 'eip2930',
      gasPrice: 1n,
      accessList: [{ address: to, storageKeys: [] }],
    }),
    account.signTransaction({ ...common, ...fees, type: 'eip1559' }),
    account.signTransaction({ ...common, ...fees, type: 'eip7702', authorizationList: [] }),
  ])) {
    assert.equal(evm(raw), keccak256(raw))
    assert.equal(evm(raw.toUpperCase().replace('0X', '0x')), keccak256(raw))
  }
})

test('a transaction with blobs is named by what is signed, with or without the blobs beside it', async () => {
  const unsigned = {
    type: 'eip4844',
    chainId: 1,
    to,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    maxFeePerBlobGas: 1n,
    blobVersionedHashes: [`0x01${'33'.repeat(31)}` as Hex],
  } as const
  const { r, s, yParity } = { r: `0x${'44'.repeat(32)}` as Hex, s: `0x${'55'.repeat(32)}` as Hex, yParity: 1 }
  const alone = serializeTransaction(unsigned, { r, s, yParity })
  const blob = `0x${'00'.repeat(4096 * 32)}` as Hex
  const sidecars = [{ blob, commitment: `0x${'66'.repeat(48)}` as Hex, proof: `0x${'77'.repeat(48)}` as Hex }]
  const withBlobs = serializeTransaction({ ...unsigned, sidecars }, { r, s, yParity })
  assert.ok(withBlobs.length > alone.length)
  assert.equal(evm(alone), keccak256(alone))
  assert.equal(evm(withBlobs), keccak256(alone))
})

test('types that other chains invented, and what is no transaction, have no hash that we know', () => {
  for (const raw of [
    '0x',
    '0x7',
    '0xzz',
    `0x71${toRlp(['0x01']).slice(2)}`,
    '0x7e01',
    '01',
    '',
    '0x03',
    '0x03c0ff',
    '0x03c3f8ff',
  ])
    assert.equal(evm(raw), undefined, raw)
  assert.equal(hashOfSend('evm', 'eth_call', '["0xc0"]'), undefined)
  assert.equal(hashOfSend('solana', 'eth_sendRawTransaction', '["0xc0"]'), undefined)
  assert.equal(hashOfSend('evm', 'eth_sendRawTransaction', undefined), undefined)
})

test('the first signature of a Solana transaction, in either encoding', () => {
  const base58 = getBase58Decoder()
  const sent = fc.record({
    signatures: fc.array(fc.uint8Array({ minLength: 64, maxLength: 64 }), { minLength: 1, maxLength: 3 }),
    message: fc.uint8Array({ minLength: 1, maxLength: 800 }),
  })
  fc.assert(
    fc.property(sent, ({ signatures, message }) => {
      const bytes = Buffer.concat([Uint8Array.of(signatures.length), ...signatures, message])
      const signature = base58.decode(signatures[0] as Uint8Array)
      const found = (...params: unknown[]) => hashOfSend('solana', 'sendTransaction', JSON.stringify(params))
      assert.equal(found(base58.decode(bytes)), signature)
      assert.equal(found(base58.decode(bytes), { skipPreflight: true }), signature)
      assert.equal(found(bytes.toString('base64'), { encoding: 'base64' }), signature)
    }),
  )
})

test('whatever the parameters are, they do no harm', () => {
  const params = fc.oneof(
    fc.json(),
    fc.string(),
    fc.json().map((text) => `["0x03", ${text}]`),
    fc.string().map((text) => JSON.stringify([text, { encoding: 'base64' }])),
  )
  fc.assert(
    fc.property(params, (params) => {
      const name =
        hashOfSend('solana', 'sendTransaction', params) ?? hashOfSend('evm', 'eth_sendRawTransaction', params)
      assert.ok(name === undefined || /^[\w]+$/.test(name))
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
      evm(`0x${Buffer.from(bytes).toString('hex')}`)
      evm(`0x03${Buffer.from(bytes).toString('hex')}`)
    }),
  )
})
