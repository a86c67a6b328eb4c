import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CompleteSIWxInfo, formatSIWEMessage, formatSIWSMessage } from '@x402/extensions/sign-in-with-x'
import fc from 'fast-check'
import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import { Failure } from '#contract/errors.js'
import { formatMessage, parseMessage, type SignInMessage } from './message.js'

const evmAddress = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const solanaAddress = 'BSmWDgE9ex6dZYbiTsJGcwMEgFp8q4aWh92hdErQPeVW'

/** A line of a text: no line ends and no controls, and not only spaces. */
const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
const url = fc.webUrl({ withQueryParameters: true })
const time = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const nonce = fc.stringMatching(/^[A-Za-z0-9]{8,40}$/)

const record = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { noNullPrototype: true }) as fc.Arbitrary<T>

const parts = {
  domain: fc.domain(),
  statement: maybe(fc.oneof(line, fc.constantFrom('URI: https://a.test', 'Version: 1', 'Resources:', '- ', ' '))),
  uri: url,
  version: fc.constant('1'),
  nonce,
  issuedAt: time,
  expirationTime: maybe(time),
  notBefore: maybe(time),
  requestId: maybe(fc.stringMatching(/^[A-Za-z0-9._~-]{1,20}$/)),
}

const evmMessages: fc.Arbitrary<SignInMessage> = record({
  ...parts,
  family: fc.constant('evm' as const),
  scheme: maybe(fc.constantFrom('https', 'http')),
  address: fc.constant(evmAddress),
  chainId: fc.nat().map(String),
  resources: maybe(fc.array(url, { maxLength: 3 })),
})
const solanaMessages: fc.Arbitrary<SignInMessage> = record({
  ...parts,
  family: fc.constant('solana' as const),
  scheme: maybe(fc.constantFrom('https', 'http')),
  address: fc.constant(solanaAddress),
  chainId: fc.constantFrom('mainnet', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'),
  resources: maybe(fc.array(url, { minLength: 1, maxLength: 3 })),
})
const messages = fc.oneof(evmMessages, solanaMessages)

/** What is read, or that it was refused; anything else but a refusal is a bug. */
const read = (text: string): SignInMessage | 'refused' => {
  try {
    return parseMessage(text)
  } catch (error) {
    assert.ok(error instanceof Failure && error.status === 401 && error.extra.reason === 'invalid_message')
    return 'refused'
  }
}

test('what is written is read again', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const text = formatMessage(message)
      assert.deepEqual(parseMessage(text), message)
      assert.equal(formatMessage(parseMessage(text)), text)
    }),
  )
})

test('a line that is changed, doubled, left out, added or moved is refused or read as something else', () => {
  const isEmptyLineOfNoStatement = (lines: string[], at: number) =>
    lines[at] === '' && (lines[at - 1] === '' || lines[at + 1] === '')
  fc.assert(
    fc.property(messages, fc.nat(), fc.nat(), line, (message, first, second, other) => {
      const lines = formatMessage(message).split('\n')
      const at = first % lines.length
      const to = second % lines.length
      const changes: string[][] = [lines.with(at, other), lines.toSpliced(at, 0, other)]
      if (lines[at] !== '') changes.push(lines.toSpliced(at, 0, lines[at] as string))
      if (!isEmptyLineOfNoStatement(lines, at)) changes.push(lines.toSpliced(at, 1))
      if (lines[at] !== lines[to]) changes.push(lines.with(at, lines[to] as string).with(to, lines[at] as string))
      for (const changed of changes) {
        if (changed.join('\n') === lines.join('\n')) continue
        assert.notDeepEqual(read(changed.join('\n')), message)
      }
    }),
    { numRuns: 300 },
  )
})

/** Where there is no statement, a second empty line means nothing. */
const withoutSpareLine = (text: string) => text.replace('\n\n\n', '\n\n')

test('a single character that is changed is refused or read as something else', () => {
  fc.assert(
    fc.property(
      messages,
      fc.nat(),
      fc.constantFrom('\n', '\r', ' ', '\t', ':', 'x', '\0', '\u2028', 'é'),
      (message, at, character) => {
        const text = formatMessage(message)
        const place = at % text.length
        for (const changed of [
          text.slice(0, place) + character + text.slice(place + 1),
          text.slice(0, place) + character + text.slice(place),
        ])
          if (withoutSpareLine(changed) !== withoutSpareLine(text)) assert.notDeepEqual(read(changed), message)
      },
    ),
    { numRuns: 500 },
  )
})

test('texts that break the layout are refused, and the sentence names the line', () => {
  const good = formatMessage({
    family: 'evm',
    domain: 'api.example.com',
    address: evmAddress,
    statement: 'Sign in',
    uri: 'https://api.example.com/',
    version: '1',
    chainId: '8453',
    nonce: '12345678',
    issuedAt: '2026-01-01T00:00:00.000Z',
  })
  const bad: [string, RegExp][] = [
    ['', /line 1 of message/],
    ['\n', /line 1 of message/],
    [good.replaceAll('\n', '\r\n'), /lines end with LF/],
    [good.replaceAll('\n', '\r'), /lines end with LF/],
    [`${good}\n`, /line 11 of message/],
    [`${good}\nRequest ID: 1\nExpiration Time: 2026-01-01T00:00:00.000Z`, /line 12 of message/],
    [`${good}\nExpiration Time: a\nExpiration Time: b`, /line 12 of message/],
    [`${good}\nSomething: else`, /line 11 of message/],
    [`${good}\nResources:\n- a\nb`, /line 13 of message/],
    [good.replace('Ethereum', 'Bitcoin'), /line 1 of message/],
    [good.replace('api.example', '\u212Aapi.example'), /line 1 of message/],
    [good.replace('Version: 1\n', ''), /line 7 of message must be 'Version: ...'/],
    [good.replace('Nonce: 12345678', 'Nonce: '), /line 9 of message must be 'Nonce: ...'/],
    [good.replace('Nonce: ', 'nonce: '), /line 9 of message must be 'Nonce: ...'/],
    [good.replace('Sign in', 'Sign in\n'), /line 6 of message/],
    [good.replace('Sign in', 'Sign\nin'), /line 4 of message/],
    [good.replace('Sign in', 'Sign \ud800 in'), /no text/],
  ]
  assert.doesNotThrow(() => parseMessage(good))
  for (const [text, sentence] of bad) assert.throws(() => parseMessage(text), sentence)
})

test('the text is the one that x402 clients sign, for both families', () => {
  const compare = (message: SignInMessage) => {
    const isEvm = message.family === 'evm'
    const { address, family, scheme, ...rest } = message
    const chainId = isEvm ? `eip155:${message.chainId}` : `solana:${message.chainId}`
    const info = { ...rest, chainId, type: isEvm ? 'eip191' : 'ed25519' } as CompleteSIWxInfo
    const expected = isEvm ? formatSIWEMessage(info, address) : formatSIWSMessage(info, address)
    assert.equal(formatMessage({ ...message, scheme: undefined }), expected)
  }
  const statement = maybe(fc.stringMatching(/^[A-Za-z0-9 .,!?-]{1,30}$/))
  for (const family of [evmMessages, solanaMessages])
    fc.assert(fc.property(family, statement, (message, statement) => compare({ ...message, statement })))
  const bare = {
    version: '1',
    nonce: '12345678',
    issuedAt: '2026-01-01T00:00:00.000Z',
    domain: 'a.test',
    uri: 'https://a.test/',
  }
  for (const rest of [{}, { requestId: '' }, { resources: [] }, { statement: '' }, { statement: 'Sign in' }]) {
    compare({ ...bare, ...rest, family: 'evm', address: evmAddress, chainId: '8453' })
    compare({ ...bare, ...rest, family: 'solana', address: solanaAddress, chainId: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' })
  }
})

test('a text of viem is read as viem wrote it, and viem reads ours', () => {
  fc.assert(
    fc.property(evmMessages, (message) => {
      const dateOf = (text: string | undefined) => (text === undefined ? {} : { at: new Date(text) }).at
      const fields = {
        ...message,
        address: evmAddress,
        chainId: Number(message.chainId),
        version: '1',
        issuedAt: dateOf(message.issuedAt),
        expirationTime: dateOf(message.expirationTime),
        notBefore: dateOf(message.notBefore),
      } as Parameters<typeof createSiweMessage>[0]
      assert.deepEqual(parseMessage(createSiweMessage(fields)), message)
      const { nonce, uri, domain } = parseSiweMessage(formatMessage({ ...message, statement: undefined }))
      assert.deepEqual([nonce, uri, domain], [message.nonce, message.uri, message.domain])
    }),
  )
})

test('without a statement there are two empty lines or one', () => {
  const lines = (empty: string[]) =>
    [
      'a.test wants you to sign in with your Solana account:',
      solanaAddress,
      ...empty,
      'URI: https://a.test/',
      'Version: 1',
      'Chain ID: mainnet',
      'Nonce: 12345678',
      'Issued At: 2026-01-01T00:00:00Z',
    ].join('\n')
  assert.deepEqual(parseMessage(lines([''])), parseMessage(lines(['', ''])))
  assert.equal(read(lines([])), 'refused')
  assert.equal(parseMessage(lines(['', '', ''])).statement, '', 'as some libraries write an empty one')
  assert.equal(read(lines(['', '', '', ''])), 'refused')
})
