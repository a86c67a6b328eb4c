import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { type CompleteSIWxInfo, createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x'
import { createSiweMessage } from 'viem/siwe'
import { Unavailable } from '#plumbing/unavailable.js'
import { createDatabase } from '#store/sql.js'
import { startEvmNode } from '../../../test/chains/evm-node.js'
import {
  createSignIns,
  encodeSignIn,
  isRefused,
  newEvmAccount,
  refusalOf,
  solanaNetwork,
} from '../../../test/sign-ins.js'
import { formatMessage, type SignInMessage } from './message.js'
import { challengeOf, createSignIn, type SignInPlace } from './sign-in.js'

const node = await startEvmNode({ after })
const signIns = await createSignIns({ after })
const { account, signer, solanaAddress, ofSolana, signAsSolana, clock, iso, newNonce, message } = signIns
const { evmHeader, solanaHeader, signedInEvm, signedInSolana } = signIns

const usualPlace: SignInPlace = { ...signIns.usualPlace, evm: { chainId: 8453, rpcUrl: node.url } }
let place = usualPlace
beforeEach(() => {
  place = usualPlace
})
const signIn = createSignIn({ sql: signIns.sql, clock, place: () => place })

test('a text that viem wrote and a plain wallet signed is that wallet, without a question to the chain', async () => {
  node.calls.length = 0
  const text = createSiweMessage({
    address: account.address,
    chainId: 8453,
    domain: 'api.example.com',
    issuedAt: new Date(clock.nowMs()),
    expirationTime: new Date(clock.nowMs() + 240_000),
    nonce: newNonce(),
    statement: 'Sign in',
    uri: 'https://api.example.com',
    version: '1',
  })
  const signature = await account.signMessage({ message: text })
  assert.deepEqual(
    await signIn(encodeSignIn({ address: account.address, message: text, signature, chainId: 8453 })),
    signedInEvm,
  )
  assert.deepEqual(node.calls, [])
})

test('a Solana wallet signs in with a signature in base58 or base64', async () => {
  assert.deepEqual(await signIn(await solanaHeader()), signedInSolana)
  const text = formatMessage(message(ofSolana))
  const signature = Buffer.from(await signAsSolana(text)).toString('base64')
  assert.deepEqual(
    await signIn(encodeSignIn({ address: solanaAddress, message: text, signature, chainId: solanaNetwork })),
    signedInSolana,
  )
})

test('clients of x402 sign the challenge as it is', async () => {
  const uri = 'https://api.example.com/api/v1/embeddings'
  const challenge = challengeOf(place, { nowMs: clock.nowMs(), uri })
  assert.deepEqual(challenge.supportedChains, [
    { chainId: 'eip155:8453', type: 'eip191' },
    { chainId: 'eip155:8453', type: 'eip1271' },
    { chainId: solanaNetwork, type: 'ed25519' },
  ])
  const { nonce, ...info } = challenge.info
  assert.match(nonce, /^[0-9a-f]{16}$/)
  assert.deepEqual(info, {
    domain: 'api.example.com',
    uri,
    version: '1',
    issuedAt: iso(),
    expirationTime: iso(300_000),
    statement: 'Sign in to api.example.com',
  })
  const pay = (chain: object, signer: object) =>
    createSIWxPayload({ ...challenge.info, ...chain } as CompleteSIWxInfo, signer as never, uri)
  const [evm, , solana] = challenge.supportedChains
  assert.deepEqual(await signIn(encodeSIWxHeader(await pay(evm as object, account))), signedInEvm)
  assert.deepEqual(await signIn(encodeSIWxHeader(await pay(solana as object, signer))), signedInSolana)

  const withAll = { requestId: 'r1', resources: [uri, 'https://elsewhere.test/'], notBefore: iso(), nonce: newNonce() }
  assert.deepEqual(await signIn(encodeSIWxHeader(await pay({ ...evm, ...withAll }, account))), signedInEvm)
  assert.deepEqual(await signIn(encodeSIWxHeader(await pay({ ...solana, ...withAll }, signer))), signedInSolana)
  const bare = { statement: undefined, expirationTime: undefined, nonce: newNonce() }
  assert.deepEqual(await signIn(encodeSIWxHeader(await pay({ ...evm, ...bare }, account))), signedInEvm)
  assert.deepEqual(await signIn(encodeSIWxHeader(await pay({ ...solana, ...bare }, signer))), signedInSolana)
})

test('a challenge offers only what is set up', () => {
  const typesOf = (changes: Partial<SignInPlace>) =>
    challengeOf({ ...place, ...changes }, { nowMs: 0, uri: 'https://api.example.com/' }).supportedChains.map(
      ({ type }) => type,
    )
  assert.deepEqual(typesOf({ solana: undefined }), ['eip191', 'eip1271'])
  assert.deepEqual(typesOf({ evm: undefined }), ['ed25519'])
})

test('base64 may be of either alphabet, with padding or without', async () => {
  for (let length = 0; length < 3; length++) {
    const statement = `~~~???>>>${'ÿ'.repeat(length)}`
    for (const change of [
      (text: string) => text,
      (text: string) => text.replace(/=+$/, ''),
      (text: string) => text.replaceAll('+', '-').replaceAll('/', '_'),
      (text: string) => Buffer.from(text, 'base64').toString('base64url'),
    ])
      assert.deepEqual(await signIn(change(await evmHeader({ statement }))), signedInEvm)
  }
})

test('a chain has several names, and an address several spellings', async () => {
  for (const chainId of [8453, '8453', 'eip155:8453'])
    assert.deepEqual(await signIn(await evmHeader({}, { chainId })), signedInEvm)
  for (const outer of [solanaNetwork, solanaNetwork.slice(7), 'mainnet'])
    for (const chainId of [solanaNetwork, solanaNetwork.slice(7), 'mainnet'])
      assert.deepEqual(await signIn(await solanaHeader({ chainId }, { chainId: outer })), signedInSolana)
  const lower = account.address.toLowerCase()
  const upper = `0x${account.address.slice(2).toUpperCase()}`
  for (const [address, outer] of [
    [lower, account.address],
    [upper, lower],
    [account.address, upper],
  ] as const)
    assert.deepEqual(await signIn(await evmHeader({ address }, { address: outer })), signedInEvm)
  for (const type of ['eip191', 'eip1271', null])
    assert.deepEqual(await signIn(await evmHeader({}, { type })), signedInEvm)
  for (const changes of [{ domain: 'API.Example.com' }, { scheme: 'https' }, { uri: 'https://api.example.com' }])
    assert.deepEqual(await signIn(await evmHeader(changes)), signedInEvm)
})

test('wallets of a chain that is not set up cannot sign in', async () => {
  place = { ...usualPlace, evm: undefined }
  await isRefused(signIn, await evmHeader(), 'chain_unsupported', /expected solana:/)
  assert.deepEqual(await signIn(await solanaHeader()), signedInSolana)
  place = { ...usualPlace, solana: undefined }
  await isRefused(signIn, await solanaHeader(), 'chain_unsupported', /expected eip155:8453/)
  assert.deepEqual(await signIn(await evmHeader()), signedInEvm)
  place = { ...usualPlace, solana: { network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' } }
  await isRefused(signIn, await solanaHeader({ chainId: 'mainnet' }), 'chain_unsupported', /'mainnet'/)
})

test('a sign-in is good from a minute before it was issued until it is too old or has expired', async () => {
  const outcome = async (changes: Partial<SignInMessage>) => {
    const header = await evmHeader({ expirationTime: undefined, ...changes })
    return signIn(header).then(
      () => 'good',
      (error) => error.extra.reason,
    )
  }
  assert.deepEqual(
    [
      await outcome({ issuedAt: iso(60_000) }),
      await outcome({ issuedAt: iso(60_001) }),
      await outcome({ issuedAt: iso(-300_000) }),
      await outcome({ issuedAt: iso(-300_001) }),
      await outcome({ expirationTime: iso() }),
      await outcome({ expirationTime: iso(-1) }),
      await outcome({ issuedAt: iso(-300_001), expirationTime: iso(600_000) }),
      await outcome({ notBefore: iso() }),
      await outcome({ notBefore: iso(1) }),
    ],
    ['good', 'not_yet_valid', 'good', 'too_old', 'good', 'expired', 'too_old', 'good', 'not_yet_valid'],
  )
  const elsewhere = new Date(clock.nowMs() + 3_600_000).toISOString().replace('Z', '+01:00')
  assert.equal(await outcome({ issuedAt: elsewhere }), 'good')
})

test('contract wallets sign in, deployed or not', async () => {
  const contract = newEvmAccount().address
  await node.installWallet(contract, account.address)
  const announced = await node.announcedWallet(account.address)
  const headerOf = async (address: string, wrap: (signature: `0x${string}`) => string = (signature) => signature) => {
    const text = formatMessage(message({ address }))
    const signature = wrap(await account.signMessage({ message: text }))
    return encodeSignIn({ address, message: text, signature, chainId: 'eip155:8453', type: 'eip1271' })
  }
  assert.deepEqual(await signIn(await headerOf(contract)), { address: contract.toLowerCase(), family: 'evm' })
  const undeployed = await headerOf(announced.address, announced.wrap)
  assert.deepEqual(await signIn(undeployed), { address: announced.address.toLowerCase(), family: 'evm' })
  await isRefused(signIn, undeployed, 'nonce_used', /nonce/)
  const nobody = newEvmAccount().address
  await isRefused(signIn, await headerOf(nobody), 'signature_invalid', /signature is not one/)

  place = { ...usualPlace, evm: { chainId: 8453, rpcUrl: '' } }
  await isRefused(signIn, await headerOf(contract), 'signature_invalid', /signature is not one/)
  assert.deepEqual(await signIn(await evmHeader()), signedInEvm)
})

test('a chain that cannot be asked is not held against the wallet: the same header works later', async () => {
  const contract = newEvmAccount().address
  await node.installWallet(contract, account.address)
  const text = formatMessage(message({ address: contract }))
  const header = encodeSignIn({
    address: contract,
    message: text,
    signature: await account.signMessage({ message: text }),
    chainId: 8453,
  })
  node.faults.isDown = true
  const { status, code, headers } = await refusalOf(signIn, header)
  assert.deepEqual([status, code, headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '2'])
  assert.deepEqual(await signIn(await evmHeader()), signedInEvm, 'and plain wallets notice nothing')
  node.faults.isDown = false
  assert.deepEqual(await signIn(header), { address: contract.toLowerCase(), family: 'evm' })
})

test('a database that cannot be reached lets nobody in, and is not held against anybody', async () => {
  const gone = createDatabase({ ...signIns.database.connection, port: 1 })
  const signIn = createSignIn({ sql: gone.sql, clock, place: () => place })
  await assert.rejects(signIn(await evmHeader()), Unavailable)
  await gone.close()
})
