import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { SignJWT } from 'jose'
import { startChain } from '../../../test/chain.js'
import { createTestClock, startService } from '../../../test/service.js'
import { personalMessageHash, signerOf } from './signature.js'

/** A wallet as a browser has one. */
const createWallet = () => {
  const secret = secp256k1.utils.randomSecretKey()
  const publicKey = secp256k1.getPublicKey(secret, false)
  const address = `0x${Buffer.from(keccak_256(publicKey.subarray(1)).subarray(12)).toString('hex')}`
  const personalSign = (text: string) => {
    const [recovery = 0, ...compact] = secp256k1.sign(personalMessageHash(text), secret, {
      prehash: false,
      format: 'recovered',
    })
    return `0x${Buffer.from([...compact, 27 + recovery]).toString('hex')}`
  }
  return { address, personalSign }
}

const chain = await startChain({ after })
const clock = createTestClock()
const config = `staking: { rpcUrl: "${chain.url}", contract: "${chain.staking}" }`
const service = await startService({ after }, { config, clock })

const path = '/api_keys/generate_web3_key'
const newToken = async () => (await service.get(path)).body.data.token as string
const ask = (fields: object) => service.post(path, { apiKeyType: 'INFERENCE', ...fields })

test('a personal signature names its wallet, whatever the text', () => {
  for (const text of ['', 'hello', 'ünïcode ✓', 'x'.repeat(1_000)]) {
    const wallet = createWallet()
    assert.equal(
      signerOf(personalMessageHash(text), Buffer.from(wallet.personalSign(text).slice(2), 'hex')),
      wallet.address,
    )
  }
})

test('a wallet with a stake gets a key that works, and its keys belong to one account', async () => {
  const { address, personalSign } = createWallet()
  await chain.stake(address, 1n)
  const token = await newToken()
  const made = await ask({ address, token, signature: personalSign(token), apiKeyType: 'ADMIN', description: 'mine' })
  assert.equal(made.status, 200, made.text)
  assert.equal(made.body.data.description, 'mine')
  const again = await newToken()
  const second = await ask({
    address: address.toUpperCase().replace('0X', '0x'),
    token: again,
    signature: personalSign(again),
  })
  assert.equal(second.status, 200)
  assert.equal(second.body.data.description, 'Wallet key')
  const list = await service.as(made.body.data.apiKey).get('/api_keys')
  assert.equal(list.body.data.length, 2)
  assert.equal((await service.admin.get('/api_keys')).body.data.length, 1, 'and to nobody else')
})

test('a contract wallet is asked whether the signature is its own', async () => {
  const { address } = createWallet()
  await chain.stake(address, 1n)
  const token = await newToken()
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  // Lengths around a multiple of 32, where an encoder pads wrongly if it does.
  for (const length of [1, 31, 32, 33, 65, 100]) {
    const signature = randomBytes(length)
    const asked = { address, token, signature: `0x${hex(signature)}` }
    assert.match((await ask(asked)).body.error, /signature is not one of the token/)
    await chain.installWallet(address, hex(personalMessageHash(token)), hex(keccak_256(signature)))
    assert.equal((await ask(asked)).status, 200, `${length} bytes`)
  }
})

test('each reason for a refusal has its own sentence, and no key is made', async () => {
  const { address, personalSign } = createWallet()
  const other = createWallet()
  const token = await newToken()
  const good = { address, token, signature: personalSign(token) }
  const claims = (iss: string, aud: string) =>
    new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setIssuer(iss).setAudience(aud)
  const forged = await claims('tessera', 'generate_web3_key').setExpirationTime('1h').sign(randomBytes(32))
  const { value } = await service.sql.one<{
    value: Buffer
  }>`select value from service_secret where name = 'wallet-token'`
  const elsewhere = await claims('tessera', 'something else').setExpirationTime(4e9).sign(value)

  const refusals: [object, RegExp][] = [
    [good, /has no stake/],
    [{ ...good, address: '0x12' }, /address must be 0x and 40/],
    [{ ...good, token: 'abc' }, /token is malformed/],
    [{ ...good, token: forged }, /token was not signed by this service/],
    [{ ...good, token: elsewhere }, /issued by or for something else/],
    [{ ...good, address: other.address }, /signature is not one of the token/],
    [{ ...good, signature: '0xzz' }, /signature is not one of the token/],
    [{ ...good, signature: other.personalSign(token) }, /signature is not one of the token/],
  ]
  const count = async () => (await service.sql.one<{ n: bigint }>`select count(*) n from api_key`).n
  const before = await count()
  for (const [fields, expected] of refusals) {
    const { status, body } = await ask(fields)
    assert.equal(status, 400)
    assert.match(body.error, expected)
  }
  clock.advance(15 * 60_000 + 1_000)
  assert.match((await ask(good)).body.error, /token has expired/)
  assert.equal(await count(), before)
})

test('a chain that does not answer is not held against the wallet', async () => {
  const { address, personalSign } = createWallet()
  const token = await newToken()
  chain.isDown = true
  const unread = await ask({ address, token, signature: personalSign(token) })
  assert.deepEqual([unread.status, unread.headers['retry-after']], [503, '2'])
  const unchecked = await ask({ address, token, signature: createWallet().personalSign(token) })
  assert.deepEqual([unchecked.status, /cannot be checked right now/.test(unchecked.body.error)], [400, true])
  chain.isDown = false
})

test('without a staking contract no wallet has a stake', async (test) => {
  const bare = await startService(test)
  const { address, personalSign } = createWallet()
  const { token } = (await bare.get(path)).body.data
  const { status, body } = await bare.post(path, {
    apiKeyType: 'INFERENCE',
    address,
    token,
    signature: personalSign(token),
  })
  assert.deepEqual([status, /no staking contract/.test(body.error)], [400, true])
})
