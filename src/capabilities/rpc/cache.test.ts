import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRpcCache, questionKey } from './cache.js'

const createSubject = (bytesMax = 1_000_000) => {
  let now = 0
  const cache = createRpcCache({ bytesMax: () => bytesMax, clock: { nowMs: () => now } })
  return {
    cache,
    passMs(ms: number) {
      now += ms
    },
  }
}

test('what is true for ever is given in every generation, at any time', () => {
  const { cache, passMs } = createSubject()
  cache.put('key', '"0x1"', 'forever', { generation: 1, untilMs: 100 })
  passMs(1_000_000)
  assert.equal(cache.get('key', 99), '"0x1"')
})

test('what is true of a block is given in its generation, and for one block time', () => {
  const { cache, passMs } = createSubject()
  const put = () => cache.put('key', '"0x1"', 'block', { generation: 1, untilMs: 100 })
  put()
  assert.equal(cache.get('key', 1), '"0x1"')
  assert.equal(cache.get('key', 2), undefined)
  put()
  assert.equal(cache.get('key', 0), undefined)
  put()
  passMs(99)
  assert.equal(cache.get('key', 1), '"0x1"')
  passMs(1)
  assert.equal(cache.get('key', 1), undefined)
  assert.deepEqual(cache.size(), { entries: 0, bytes: 0 })
})

test('the longest unused is given up first', () => {
  const { cache } = createSubject(16 * 1_000)
  const text = 'x'.repeat(700)
  const forever = { generation: 0, untilMs: 0 }
  const keys = [...Array(20).keys()].map((place) => `k${place}`)
  for (const key of keys.slice(0, 17)) cache.put(key, text, 'forever', forever)
  assert.equal(cache.get('k0', 0), text, 'all of them fit')
  for (const key of keys.slice(17)) cache.put(key, text, 'forever', forever)
  assert.equal(cache.get('k0', 0), text)
  assert.equal(cache.get('k1', 0), undefined)
  assert.equal(cache.get('k19', 0), text)
})

test('a very large answer is not kept, and with no room at all nothing is', () => {
  const { cache } = createSubject(16_000)
  cache.put('key', 'x'.repeat(1_000), 'forever', { generation: 0, untilMs: 0 })
  assert.equal(cache.get('key', 0), undefined)
  const none = createSubject(0).cache
  none.put('key', '1', 'forever', { generation: 0, untilMs: 0 })
  assert.deepEqual(none.size(), { entries: 0, bytes: 0 })
})

test('it holds what was used last, as much as fits, and nothing but what was last put', () =>
  fc.assert(
    fc.property(
      fc.array(fc.record({ key: fc.nat({ max: 30 }), length: fc.nat({ max: 400 }), isPut: fc.boolean() }), {
        size: 'max',
        maxLength: 200,
      }),
      (steps) => {
        const bytesMax = 8_000
        const { cache } = createSubject(bytesMax)
        const bytesOf = (key: string, text: string) => key.length + text.length + 200
        /** The same, written without care for time: the longest unused first. */
        const model = new Map<string, string>()
        const bytes = () => [...model].reduce((sum, [key, text]) => sum + bytesOf(key, text), 0)
        for (const [step, { key, length, isPut }] of steps.entries()) {
          const name = `k${key}`
          const text = isPut ? String(step % 10).repeat(length) : model.get(name)
          if (!isPut) assert.equal(cache.get(name, 0), text)
          if (text === undefined || bytesOf(name, text) * 16 > bytesMax) continue
          if (isPut) cache.put(name, text, 'forever', { generation: 0, untilMs: 0 })
          model.delete(name)
          model.set(name, text)
          for (const oldest of model.keys()) if (bytes() > bytesMax) model.delete(oldest)
          assert.deepEqual(cache.size(), { entries: model.size, bytes: bytes() })
        }
      },
    ),
  ))

test('bytes come back as they were', () => {
  const { cache } = createSubject()
  const text = Buffer.from('"é\u{1f600}"').toString('latin1')
  cache.put('key', text, 'forever', { generation: 0, untilMs: 0 })
  assert.equal(Buffer.from(cache.get('key', 0) ?? '', 'latin1').toString('utf8'), '"é\u{1f600}"')
})

test('a question is its network, method and parameters, however long; no parameters are an empty list', () => {
  const params = `["${'a'.repeat(1_000)}"]`
  assert.equal(questionKey('n', 'm', undefined), questionKey('n', 'm', '[]'))
  assert.ok(questionKey('n', 'm', params).length < 64)
  const keys = ['a', 'b'].flatMap((network) =>
    ['c', 'd'].flatMap((method) =>
      [undefined, '{}', '[1]', '[ 1]', params, `${params} `].map((text) => questionKey(network, method, text)),
    ),
  )
  assert.equal(new Set(keys).size, keys.length)
})
