import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import {
  createSignIns,
  encodeSignIn,
  isRefused,
  newEvmAccount,
  refusalOf,
  solanaNetwork,
  toBase58,
} from '../../../test/sign-ins.js'
import { formatMessage, type SignInMessage } from './message.js'
import { type Reason, reasons } from './refuse.js'
import { createSignIn } from './sign-in.js'

const signIns = await createSignIns({ after })
const { account, solanaAddress, ofSolana, signAsSolana, iso, message, evmHeader, solanaHeader, nonceCount } = signIns
const signIn = createSignIn({ sql: signIns.sql, clock: signIns.clock, place: () => signIns.usualPlace })

test('what was properly signed, but not for here and now, is refused with its reason, and its nonce is not taken', async () => {
  const refused = async (changes: Partial<SignInMessage>, reason: Reason, says: RegExp) => {
    await isRefused(signIn, await evmHeader(changes), reason, says)
    const { family, address, chainId, ...rest } = changes
    if (Object.keys(rest).length > 0) await isRefused(signIn, await solanaHeader(rest), reason, says)
  }
  await refused(
    { domain: 'evil.example.com' },
    'domain_mismatch',
    /domain is 'evil.example.com', expected 'api.example.com'/,
  )
  await refused({ domain: 'api.example.com:8443' }, 'domain_mismatch', /expected 'api.example.com'/)
  await refused({ domain: 'api.example.com.evil.test' }, 'domain_mismatch', /expected/)
  await refused({ scheme: 'http' }, 'domain_mismatch', /domain is 'http:\/\/api.example.com'/)
  await refused({ uri: 'https://evil.test/' }, 'uri_mismatch', /uri is 'https:\/\/evil.test\/', expected/)
  await refused({ uri: 'http://api.example.com/' }, 'uri_mismatch', /uri is/)
  await refused({ uri: 'https://api.example.com:444/' }, 'uri_mismatch', /uri is/)
  await refused({ uri: 'https://api.example.com@evil.test/' }, 'uri_mismatch', /uri is/)
  await refused({ uri: 'no uri' }, 'uri_mismatch', /uri is 'no uri'/)
  await refused({ version: '2' }, 'version_unsupported', /version is '2', expected '1'/)
  await refused({ chainId: '1' }, 'chain_unsupported', /chainId is '1', expected eip155:8453 or solana:5eykt/)
  await refused({ chainId: '08453' }, 'chain_unsupported', /chainId is '08453'/)
  await refused({ chainId: solanaNetwork.slice(7) }, 'chain_mismatch', /chainId is '5eykt/)
  await refused({ issuedAt: 'yesterday' }, 'invalid_time', /issuedAt is 'yesterday', expected a time such as/)
  await refused({ issuedAt: '2026-11-31T00:00:00Z' }, 'invalid_time', /issuedAt/)
  await refused({ issuedAt: '2026-11-15' }, 'invalid_time', /issuedAt/)
  await refused({ issuedAt: '2026-11-15T25:00:00Z' }, 'invalid_time', /issuedAt/)
  await refused({ expirationTime: 'never' }, 'invalid_time', /expirationTime is 'never'/)
  await refused({ notBefore: 'soon' }, 'invalid_time', /notBefore is 'soon'/)
  await refused({ nonce: '1234567' }, 'nonce_invalid', /nonce is '1234567', expected 8 to 128/)
  await refused({ nonce: 'a'.repeat(129) }, 'nonce_invalid', /nonce is/)
  await refused({ nonce: 'abcd-efgh' }, 'nonce_invalid', /nonce is/)
  await refused({ statement: 'two\nlines' }, 'invalid_message', /line 4 of message/)
  await refused({ address: solanaAddress }, 'address_mismatch', /none of its kind/)
  await refused({ address: newEvmAccount().address }, 'address_mismatch', /address is/)
  assert.equal(await nonceCount(), 0)
})

test('an envelope that contradicts what was signed is refused', async () => {
  await isRefused(signIn, await evmHeader({}, { chainId: 1 }), 'chain_unsupported', /chainId is '1'/)
  await isRefused(signIn, await evmHeader({}, { chainId: solanaNetwork }), 'chain_mismatch', /chainId is 'solana:/)
  await isRefused(signIn, await solanaHeader({}, { chainId: 8453 }), 'chain_mismatch', /chainId is '8453'/)
  await isRefused(
    signIn,
    await evmHeader({}, { type: 'ed25519' }),
    'type_mismatch',
    /type is 'ed25519', expected eip191/,
  )
  await isRefused(signIn, await solanaHeader({}, { type: 'eip191' }), 'type_mismatch', /expected ed25519/)
  const other = newEvmAccount().address
  await isRefused(signIn, await evmHeader({}, { address: other }), 'address_mismatch', /address is '0x/)
  // Letters of the same name in another case are another address there.
  await isRefused(
    signIn,
    await solanaHeader({}, { address: solanaAddress.toLowerCase() }),
    'address_mismatch',
    /address is/,
  )
  assert.equal(await nonceCount(), 0)
})

test('a signature by somebody else, or of something else, proves nothing', async () => {
  const stranger = newEvmAccount()
  const text = formatMessage(message())
  const signatures = [
    '0x',
    '0xzz',
    'nonsense',
    `0x${'00'.repeat(65)}`,
    await stranger.signMessage({ message: text }),
    await account.signMessage({ message: 'other' }),
  ]
  for (const signature of signatures)
    await isRefused(
      signIn,
      encodeSignIn({ address: account.address, message: text, signature, chainId: 8453 }),
      'signature_invalid',
      /by 0x/,
    )
  const solanaText = formatMessage(message(ofSolana))
  for (const signature of ['1', toBase58(await signAsSolana('other')), '0x00', 'A'.repeat(88)])
    await isRefused(
      signIn,
      encodeSignIn({ address: solanaAddress, message: solanaText, signature, chainId: solanaNetwork }),
      'signature_invalid',
      /by /,
    )
  // The key of small order for which anybody can sign anything.
  const weak = toBase58(Buffer.from(`01${'00'.repeat(31)}`, 'hex'))
  const forged = toBase58(Buffer.from(`01${'00'.repeat(63)}`, 'hex'))
  const weakText = formatMessage(message({ ...ofSolana, address: weak }))
  await isRefused(
    signIn,
    encodeSignIn({ address: weak, message: weakText, signature: forged, chainId: solanaNetwork }),
    'signature_invalid',
    /by /,
  )
  assert.equal(await nonceCount(), 0)
})

test('parts that are no single lines do not pass for others', async () => {
  const { family, ...fields } = message()
  const text = formatMessage({ family, ...fields })
  const signature = await account.signMessage({ message: text })
  const structured = { ...fields, chainId: 'eip155:8453', type: 'eip191', signature }
  // The same text, cut elsewhere: what counts is what the text says.
  const nonce = `${fields.nonce}\nIssued At: ${fields.issuedAt}\nExpiration Time: ${fields.expirationTime}`
  await isRefused(
    signIn,
    encodeSignIn({ ...structured, nonce, expirationTime: null }),
    'invalid_message',
    /line 12 of message/,
  )
  await isRefused(
    signIn,
    encodeSignIn({ ...structured, statement: 'x\n\nURI: https://api.example.com/' }),
    'invalid_message',
    /line/,
  )
  assert.deepEqual(await signIn(encodeSignIn(structured)), signIns.signedInEvm)
})

test('what cannot be read says what it lacks', async () => {
  const good = JSON.parse(Buffer.from(await evmHeader(), 'base64').toString()) as Record<string, unknown>
  for (const field of ['address', 'signature', 'chainId'])
    for (const value of [undefined, null, ''])
      await isRefused(
        signIn,
        encodeSignIn({ ...good, [field]: value }),
        'missing_field',
        new RegExp(`${field} is missing`),
      )
  for (const field of ['address', 'signature', 'chainId', 'message', 'type'])
    for (const value of [{}, [], true, 1.5])
      await isRefused(
        signIn,
        encodeSignIn({ ...good, [field]: value }),
        'invalid_field',
        new RegExp(`${field} must be`),
      )
  await isRefused(signIn, encodeSignIn({ ...good, message: undefined }), 'missing_field', /domain is missing/)
  await isRefused(
    signIn,
    encodeSignIn({ ...good, message: undefined, resources: 'x' }),
    'missing_field',
    /domain is missing/,
  )
  for (const header of [
    '',
    '{}',
    'a b',
    'ä',
    'QQ=',
    'Q===',
    'QUJD=',
    'A',
    '=',
    `${await evmHeader()}, ${await evmHeader()}`,
  ])
    await isRefused(signIn, header, 'malformed_base64', /must be base64/)
  for (const text of ['', 'x', 'null', '1', '"text"', '[]', '{', '\ufeff{}'])
    if (text !== '') await isRefused(signIn, Buffer.from(text).toString('base64'), 'malformed_json', /JSON object/)
  await isRefused(
    signIn,
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('base64'),
    'malformed_json',
    /UTF-8/,
  )
  await isRefused(signIn, 'A'.repeat(8_193), 'too_long', /8193 characters; at most 8192/)
})

test('the first thing that is wrong is the one that is told', async () => {
  const wrongs: [Partial<SignInMessage>, string][] = [
    [{ nonce: '!' }, 'nonce_invalid'],
    [{ address: solanaAddress }, 'address_mismatch'],
    [{ issuedAt: iso(-301_000) }, 'too_old'],
    [{ chainId: '1' }, 'chain_unsupported'],
    [{ version: '2' }, 'version_unsupported'],
    [{ uri: 'https://evil.test' }, 'uri_mismatch'],
    [{ domain: 'evil.test' }, 'domain_mismatch'],
    [{ statement: 'a\nb' }, 'invalid_message'],
  ]
  let all: Partial<SignInMessage> = {}
  for (const [changes, reason] of wrongs) {
    all = { ...all, ...changes }
    const header = await evmHeader(all, { signature: '0x00' })
    assert.equal((await refusalOf(signIn, header)).extra.reason, reason)
  }
})

test('whatever is sent, the answer is a refusal that tells its reason and gives nothing away', async () => {
  const before = await nonceCount()
  const good = JSON.parse(Buffer.from(await evmHeader(), 'base64').toString()) as Record<string, unknown>
  const refused = async (header: string) => {
    const { status, extra, message } = await refusalOf(signIn, header)
    assert.equal(status, 401)
    assert.ok((reasons as readonly unknown[]).includes(extra.reason))
    assert.ok(message.length < 500)
    assert.ok(!message.includes(String(good.signature)))
  }
  const names = [
    ...Object.keys(good),
    ...Object.keys(message()),
    'type',
    'resources',
    'requestId',
    'notBefore',
    '__proto__',
    'constructor',
    'toString',
  ]
  const anything = fc.oneof(
    fc.anything(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(0, -1, 1e300, solanaNetwork, 'x'.repeat(3_000)),
  )
  const changed = fc.dictionary(fc.constantFrom(...names), anything, { minKeys: 1 })
  const encodable = (value: unknown) => {
    try {
      return encodeSignIn(value ?? null)
    } catch {
      return encodeSignIn({})
    }
  }
  const headers = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    fc.json().map((text) => Buffer.from(text).toString('base64')),
    fc.anything().map(encodable),
    changed.map(encodable),
    // One field of a good one is something else, so it is the last check at the latest that says no.
    fc
      .tuple(fc.constantFrom('address', 'message', 'signature', 'chainId'), anything)
      .map(([name, value]) => encodable({ ...good, [name]: value })),
  )
  await fc.assert(fc.asyncProperty(headers, refused), { numRuns: 1_000 })

  const deep = '['.repeat(3_000) + ']'.repeat(3_000)
  const lines = 'URI: x\n'.repeat(500)
  for (const text of [
    deep,
    `{"message":${deep}}`,
    '{"__proto__":{"address":"x"}}',
    JSON.stringify({ ...good, message: lines }),
    JSON.stringify({ ...good, signature: `0x${'00'.repeat(2_000)}` }),
  ])
    await refused(Buffer.from(text).toString('base64'))
  await refused('A'.repeat(8_192))
  await refused('='.repeat(8_192))
  await refused('A'.repeat(9e6))
  assert.equal(await nonceCount(), before)
})
