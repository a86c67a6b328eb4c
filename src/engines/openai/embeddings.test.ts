import assert from 'node:assert/strict'
import { test } from 'node:test'
import { script, startFakeUpstream } from '../../../test/fakes/upstream.js'
import { fakeVector } from '../../../test/fakes/upstream-scripts.js'
import { createUpstreamClient } from '../upstream/client.js'
import { createOpenAiEmbeddings } from './embeddings.js'

const createSubject = async (test: { after(work: () => void): void }) => {
  const upstream = await startFakeUpstream(test)
  const client = createUpstreamClient({ baseUrl: upstream.baseUrl })
  test.after(() => void client.close())
  const engine = createOpenAiEmbeddings(client)
  const texts = ['a', 'bcd', '']
  const embed = (dimensions?: number) =>
    engine.embed({ model: 'acme/vectors', texts, dimensions, signal: new AbortController().signal })
  return { upstream, embed, texts }
}

test('vectors are asked for as base64 and come in the order of their texts', async (test) => {
  const { upstream, embed, texts } = await createSubject(test)
  upstream.next(script.embeddings({ change: (data) => data.reverse() }))
  const { vectors, promptTokens } = await embed()
  assert.deepEqual(
    vectors,
    texts.map((text) => Float32Array.from(fakeVector(text))),
  )
  assert.equal(promptTokens, 6)
  const { path, body } = await upstream.request()
  assert.equal(path, '/v1/embeddings')
  assert.deepEqual(body, { model: 'acme/vectors', input: texts, encoding_format: 'base64' })
})

test('a server that does not know base64 may send numbers', async (test) => {
  const { upstream, embed, texts } = await createSubject(test)
  upstream.next(script.embeddings({ asNumbers: true }))
  assert.deepEqual(
    (await embed()).vectors,
    texts.map((text) => Float32Array.from(fakeVector(text))),
  )
})

test('vectors have the length that was asked for', async (test) => {
  const { upstream, embed } = await createSubject(test)
  assert.equal((await embed(2)).vectors[0]?.length, 2)
  upstream.next(script.embeddings({ change: (data) => data.map((item) => ({ ...item, embedding: [1, 2, 3] })) }))
  await assert.rejects(embed(2), { trouble: 'broken' })
})

type Change = NonNullable<Parameters<typeof script.embeddings>[0]['change']>
const wrong: [name: string, change: Change][] = [
  ['one is missing', (data) => data.slice(1)],
  ['one is there twice', ([first, , third]) => [first, first, third]],
  ['one is longer', ([first, ...rest]) => [{ ...first, embedding: [1, 2, 3, 4, 5] }, ...rest]],
  ['one is empty', ([first, ...rest]) => [{ ...first, embedding: [] }, ...rest]],
  ['one is cut', ([first, ...rest]) => [{ ...first, embedding: 'AAAA' }, ...rest]],
  ['one is not of numbers', ([first, ...rest]) => [{ ...first, embedding: ['x', 1, 2, 3] }, ...rest]],
  ['one has infinite numbers', ([first, ...rest]) => [{ ...first, embedding: [1e300, 1, 2, 3] }, ...rest]],
  ['one has no index', ([first, ...rest]) => [{ embedding: first?.embedding }, ...rest]],
  ['one is null', ([, ...rest]) => [null, ...rest]],
]
for (const [name, change] of wrong)
  test(`vectors of which ${name} are broken`, async (test) => {
    const { upstream, embed } = await createSubject(test)
    upstream.next(script.embeddings({ change }))
    await assert.rejects(embed(), { name: 'EngineError', trouble: 'broken' })
  })

test('faults of the upstream have the same words as everywhere', async (test) => {
  const { upstream, embed } = await createSubject(test)
  upstream.next(script.contextLengthExceeded())
  await assert.rejects(embed(), { trouble: 'tooLong' })
  upstream.next(script.refuse(200, null))
  await assert.rejects(embed(), { trouble: 'broken' })
})
