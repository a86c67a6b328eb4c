import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { SignJWT } from 'jose'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startEvmNode } from '../../../test/chains/evm-node.js'
import { createTestClock, startService } from '../../../test/service.js'
import { personalMessageHash } from '../wallets/evm-signature.js'

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

const chain = await startEvmNode({ after })

/** A contract wallet that approves this one signature of this one hash, if its bytes lie where the ABI puts them. */
const installWallet = async (address: string, hash: Uint8Array, signatureHash: Uint8Array) => {
  const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`
  const slot = (number: number) => `0x${String(number).padStart(64, '0')}`
  // isValidSignature: copies the signature, hashes it, compares both with slots 0 and 1, answers with the selector.
  const code = '0x60443580606460003760002060015414600435600054141660243560401416631626ba7e60e01b0260005260206000f3'
  await chain.request('hardhat_setCode', address, code)
  await chain.request('hardhat_setStorageAt', address, slot(0), hex(hash))
  await chain.request('hardhat_setStorageAt', address, slot(1), hex(signatureHash))
}

const clock = createTestClock()
const config = `staking: { rpcUrl: "${chain.url}", contract: "${chain.staking}" }`
const service = await startService({ after }, { config, clock })

const path = '/api_keys/generate_web3_key'
const newToken = async () => (await service.get(path)).body.data.token as string
const ask = (fields: object) => service.post(path, { apiKeyType: 'INFERENCE', ...fields })

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
  // Lengths around a multiple of 32, where an encoder pads wrongly if it does.
  for (const length of [1, 31, 32, 33, 65, 100]) {
    const signature = randomBytes(length)
    const asked = { address, token, signature: `0x${signature.toString('hex')}` }
    assert.match((await ask(asked)).body.error, /signature is not one of the token/)
    await installWallet(address, personalMessageHash(token), keccak_256(signature))
    assert.equal((await ask(asked)).status, 200, `${length} bytes`)
  }
})

test('a contract wallet that is not deployed yet can ask for a key (ERC-6492)', async () => {
  const owner = privateKeyToAccount(generatePrivateKey())
  const { address, wrap } = await chain.announcedWallet(owner.address)
  await chain.stake(address, 1n)
  const token = await newToken()
  const signature = wrap(await owner.signMessage({ message: token }))
  const asked = { apiKeyType: 'INFERENCE', address, token, signature }
  assert.equal((await service.post(path, asked)).status, 200)
  const other = wrap(await owner.signMessage({ message: 'something else' }))
  assert.match(
    (await service.post(path, { ...asked, signature: other })).body.error,
    /signature is not one of the token/,
  )
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
  chain.faults.isDown = true
  const unread = await ask({ address, token, signature: personalSign(token) })
  assert.deepEqual([unread.status, unread.headers['retry-after']], [503, '2'])
  const unchecked = await ask({ address, token, signature: createWallet().personalSign(token) })
  assert.deepEqual([unchecked.status, /cannot be checked right now/.test(unchecked.body.error)], [400, true])
  chain.faults.isDown = false
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
