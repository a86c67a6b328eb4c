import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ED25519_TORSION_SUBGROUP } from '@noble/curves/ed25519.js'
import { createSignableMessage, generateKeyPairSigner, getBase58Codec } from '@solana/kit'
import fc from 'fast-check'
import { isSignedBySolana } from './solana-signature.js'

const codec = getBase58Codec()
const signer = await generateKeyPairSigner()
const wallet = signer.address as string

const sign = async (text: string): Promise<Uint8Array> => {
  const [signatures] = await signer.signMessages([createSignableMessage(text)])
  return (signatures as Record<string, Uint8Array>)[wallet] as Uint8Array
}

test('a signature by the wallet is known in base58, base64 and base64url', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const bytes = await sign(text)
      const base64 = Buffer.from(bytes).toString('base64')
      const base64url = Buffer.from(bytes).toString('base64url')
      for (const signature of [codec.decode(bytes), base64, base64.replace(/=+$/, ''), base64url])
        assert.ok(isSignedBySolana({ wallet, text, signature }))
    }),
    { numRuns: 50 },
  )
})

test('a signature of another text, by another wallet, or changed in any bit is none', async () => {
  const text = 'hello'
  const bytes = await sign(text)
  const signature = codec.decode(bytes)
  const other = (await generateKeyPairSigner()).address as string
  assert.ok(isSignedBySolana({ wallet, text, signature }))
  assert.ok(!isSignedBySolana({ wallet, text: 'hallo', signature }))
  assert.ok(!isSignedBySolana({ wallet: other, text, signature }))
  fc.assert(
    fc.property(fc.nat(511), (bit) => {
      const changed = Uint8Array.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      assert.ok(!isSignedBySolana({ wallet, text, signature: codec.decode(changed) }))
    }),
  )
})

test('a second spelling of the same signature is none', async () => {
  const bytes = await sign('hello')
  // S plus the order of the group satisfies the same equation.
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  let s = order
  for (let index = 63; index >= 32; index--) s += BigInt(bytes[index] as number) << BigInt(8 * (index - 32))
  const changed = Uint8Array.from(bytes)
  for (let index = 32; index < 64; index++) changed[index] = Number((s >> BigInt(8 * (index - 32))) & 255n)
  assert.ok(!isSignedBySolana({ wallet, text: 'hello', signature: codec.decode(changed) }))
})

test('with a key of small order, in whichever spelling, nothing can be signed', () => {
  const prime = 2n ** 255n - 19n
  const little = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse()
  const signs = [0n, 2n ** 255n]
  const torsion = ED25519_TORSION_SUBGROUP.map((digits) => Buffer.from(digits, 'hex'))
  const spellings = signs.flatMap((sign) => [0n, 1n, prime - 1n, prime, prime + 1n].map((y) => little(y + sign)))
  const one = little(1n)
  const weak = [...torsion, ...spellings]
  assert.equal(new Set(weak.map((key) => key.toString('hex'))).size, 14)
  for (const key of weak) {
    const wallet = codec.decode(key)
    // Of these some satisfy the equation for any text: R is a point of small order as well, and S is zero.
    for (const r of [...torsion, key, one]) {
      const signature = codec.decode(Buffer.concat([r, Buffer.alloc(32)]))
      for (let index = 0; index < 16; index++)
        assert.ok(!isSignedBySolana({ wallet, text: `text ${index}`, signature }), key.toString('hex'))
    }
  }
})

test('a key that is written with a number beyond the prime is none', () => {
  for (let beyond = 0; beyond < 19; beyond++) {
    const key = Buffer.alloc(32, 255)
    key[0] = 0xed + beyond
    key[31] = 0x7f
    assert.ok(!isSignedBySolana({ wallet: codec.decode(key), text: '', signature: codec.decode(Buffer.alloc(64)) }))
  }
})

test('whatever is sent as wallet or signature, the answer is no', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (wallet, signature) =>
      assert.equal(isSignedBySolana({ wallet, text: 'hello', signature }), false),
    ),
  )
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.base64String({ maxLength: 100 }),
      (key, signature) =>
        assert.equal(isSignedBySolana({ wallet: codec.decode(key), text: 'hello', signature }), false),
    ),
  )
})
