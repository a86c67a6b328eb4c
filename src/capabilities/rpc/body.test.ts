import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '#contract/errors.js'
import { checkMethods, type Item, readBody, withId } from './body.js'

const read = (text: string) => readBody(Buffer.from(text))

const failureOf = (work: () => unknown): Failure => {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    assert.equal(error.status, 400)
    return error
  }
  return assert.fail('it was taken')
}

const refusal = (text: string) => failureOf(() => read(text))

const bytesOf = (text: string) => Buffer.from(text).toString('latin1')

test('a single call, and what of it is optional', () => {
  assert.deepEqual(read('{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x1"},"latest"]}'), {
    isBatch: false,
    items: [{ id: '1', method: 'eth_call', params: '[{"to":"0x1"},"latest"]', place: 0 }],
  })
  assert.deepEqual(read(' {"method":"a"} ').items, [{ id: undefined, method: 'a', params: undefined, place: 0 }])
  assert.deepEqual(read('\ufeff{"method":"a","id":null}').items[0]?.id, 'null')
  assert.deepEqual(read('[{"method":"a","id":"x","params":{}}]'), {
    isBatch: true,
    items: [{ id: '"x"', method: 'a', params: '{}', place: 0 }],
  })
})

test('ids and params are the bytes that were sent', () =>
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          id: fc.option(fc.oneof(fc.string({ unit: 'grapheme' }), fc.bigInt(), fc.double({ noNaN: true })), {
            nil: undefined,
          }),
          params: fc.option(fc.array(fc.jsonValue()), { nil: undefined }),
          indent: fc.constantFrom(undefined, 1, '\t'),
        }),
        { minLength: 1, maxLength: 100 },
      ),
      (calls) => {
        const texts = calls.map(({ id, params, indent }) => ({
          id: id === undefined ? undefined : typeof id === 'bigint' ? String(id) : JSON.stringify(id),
          params: params && JSON.stringify(params, null, indent),
        }))
        const body = `[${texts.map(({ id, params }) => `{"method":"eth_call"${id ? `,"id": ${id}` : ''}${params ? `,"params" :${params} ` : ''}}`).join(' ,')}]`
        const { items } = read(body)
        assert.deepEqual(
          items.map(({ id, params, place }) => ({ id, params, place })),
          texts.map(({ id, params }, place) => ({
            id: id && bytesOf(id),
            params: params && bytesOf(params),
            place,
          })),
        )
        assert.deepEqual(
          withId(items).map(({ place }) => place),
          texts.flatMap(({ id }, place) => (id === undefined ? [] : [place])),
        )
      },
    ),
  ))

test('of a member that is there twice the last one counts', () => {
  assert.deepEqual(
    read('{"method":"eth_sign","id":1,"id":2,"params":"no","\\u006dethod":"eth_call","params":[]}').items[0],
    { id: '2', method: 'eth_call', params: '[]', place: 0 },
  )
})

test('a name that is written with escapes is the name', () => {
  assert.equal(read('{"method":"eth\\u005fcall"}').items[0]?.method, 'eth_call')
})

test('what is not JSON is refused with the place of the mistake', () => {
  assert.match(refusal('').message, /not valid JSON: line 1, column 1/)
  assert.match(refusal('{"method":"a",\n}').message, /not valid JSON: line 2, column 1/)
  assert.match(refusal('{"é":1,}').message, /line 1, column 8/)
  assert.match(refusal('[{"method":"a"}]]').message, /line 1, column 17/)
  assert.match(failureOf(() => readBody(Buffer.from([0x22, 0xff, 0x22]))).message, /it is not UTF-8/)
})

test('a body of another shape is refused', () => {
  for (const text of ['1', '"eth_call"', 'null', 'true'])
    assert.equal(refusal(text).message, 'Invalid request: body must be an object, or an array of objects')
  assert.equal(refusal('[]').message, 'Invalid request: body must hold 1 to 100 calls, and holds none')
  const many = (count: number) => JSON.stringify(Array(count).fill({ method: 'a' }))
  assert.equal(refusal(many(101)).message, 'Invalid request: body must hold 1 to 100 calls, and holds more')
  assert.equal(read(many(100)).items.length, 100)
})

test('everything that is wrong with all calls is told at once', () => {
  const failure = refusal(
    `[{"method":"a"}, 1, {"jsonrpc":"1.0","id":true,"params":null}, {"method":7,"id":{}}, {"method":"","params":"x"}]`,
  )
  const problems = [
    '[1] must be an object',
    '[2].jsonrpc must be "2.0"',
    '[2].id must be a number, a string or null',
    '[2].method is missing',
    '[2].params must be an array',
    '[3].id must be a number, a string or null',
    '[3].method must be a string, not empty',
    '[4].method must be a string, not empty',
    '[4].params must be an array',
  ]
  assert.equal(failure.message, `Invalid request: ${problems.join('; ')}`)
  const issues = failure.extra.issues as { path: unknown; message: string }[]
  assert.deepEqual(
    issues.map(({ message }) => message),
    problems,
  )
  assert.deepEqual(issues[3]?.path, [2, 'method'])
  const details = failure.extra.details as Record<string, Record<string, unknown>>
  assert.deepEqual(details[2]?.method, { _errors: ['[2].method is missing'] })
  assert.equal(refusal('{"id":1}').message, 'Invalid request: method is missing')
})

test('no more than twenty problems are told', () => {
  const failure = refusal(JSON.stringify(Array(50).fill({ id: 1 })))
  assert.equal((failure.extra.issues as unknown[]).length, 20)
  assert.match(failure.message, /\[19\]\.method is missing \(and 30 more\)$/)
})

const item = (method: string, params?: string): Item => ({ id: '1', method, params, place: 0 })

test('calls get their line of the table', () => {
  const [checked] = checkMethods('evm', 'base-mainnet', [item('eth_call', '[]')])
  assert.deepEqual([checked?.params, checked?.methodOf.name, checked?.methodOf.tier], ['[]', 'eth_call', 'standard'])
})

test('one unsupported method refuses the batch, and all of them are named once, notifications too', () => {
  const failure = failureOf(() =>
    checkMethods('evm', 'base-mainnet', [
      item('eth_newFilter'),
      item('eth_call'),
      { ...item('getSlot'), id: undefined },
      item('eth_newFilter'),
      item('nonsense\u0007\n é'),
      item('x'.repeat(1_000)),
    ]),
  )
  assert.equal(failure.code, 'UNSUPPORTED_METHOD')
  const long = `${'x'.repeat(64)}...`
  assert.deepEqual(failure.extra.methods, ['eth_newFilter', 'getSlot', 'nonsense???\u003f', long])
  assert.equal(
    failure.message,
    'On base-mainnet, eth_newFilter is not available (stateful filters are not kept, use eth_getLogs), ' +
      `getSlot is not available (belongs to Solana), nonsense???? is not available (not known), ` +
      `${long} is not available (not known). ` +
      'Nothing was run, nothing is charged',
  )
})

test('parameters by name are for Starknet only', () => {
  assert.equal(checkMethods('starknet', 's', [item('starknet_call', '{"block_id":"latest"}')]).length, 1)
  assert.equal(
    failureOf(() => checkMethods('evm', 'e', [item('eth_call', '{}')])).message,
    'Invalid request: params must be an array',
  )
  assert.equal(
    failureOf(() => checkMethods('evm', 'e', [item('eth_call', '{}')], true)).message,
    'Invalid request: [0].params must be an array',
  )
  assert.equal(
    failureOf(() => checkMethods('solana', 's', [item('getSlot', '[]'), { ...item('getSlot', '{}'), place: 1 }]))
      .message,
    'Invalid request: [1].params must be an array',
  )
})
