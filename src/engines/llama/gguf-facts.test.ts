import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readGgufFacts } from './gguf-facts.js'

const bundled = 'models/tessera-tiny-57m-q5.gguf'
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-gguf-'))
})
after(() => rm(folder, { recursive: true, force: true }))

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const uint64 = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
const string = (text: string) => Buffer.concat([uint64(Buffer.byteLength(text)), Buffer.from(text)])

/** A file with a header and nothing behind it. */
const write = async (name: string, values: Record<string, string | number>) => {
  const entries = Object.entries(values).map(([key, value]) =>
    Buffer.concat([
      string(key),
      typeof value === 'string' ? Buffer.concat([uint32(8), string(value)]) : Buffer.concat([uint32(4), uint32(value)]),
    ]),
  )
  const path = join(folder, name)
  await writeFile(path, Buffer.concat([Buffer.from('GGUF'), uint32(3), uint64(0), uint64(entries.length), ...entries]))
  return path
}

const chat = {
  'general.architecture': 'llama',
  'llama.context_length': 131072,
  'tokenizer.chat_template': '{{ messages }}',
}

test('the bundled model is read without loading it', async () => {
  assert.deepEqual(await readGgufFacts(bundled), {
    name: 'Tessera Tiny',
    architecture: 'llama',
    contextTokens: 2048,
    trainedContextTokens: 2048,
    sizeLabel: '57M',
    license: 'cc-by-sa-4.0',
    sizeBytes: 44_286_944,
    knowsTools: true,
    knowsThinking: true,
  })
})

test('a model without a name is called like its file, and a very long context is cut', async () => {
  const facts = await readGgufFacts(await write('my-model.gguf', chat))
  assert.equal(facts.name, 'my-model')
  assert.deepEqual([facts.contextTokens, facts.trainedContextTokens], [8192, 131072])
})

const refuses = async (path: string, reason: RegExp) =>
  assert.rejects(readGgufFacts(path), { name: 'EngineError', trouble: 'unsupported', said: reason })

test('what is not a model to chat with is refused, with the reason', async () => {
  const text = join(folder, 'text.gguf')
  await writeFile(text, 'no')
  await refuses(text, /is not a GGUF file/)
  const cut = join(folder, 'cut.gguf')
  await writeFile(cut, (await readFile(bundled)).subarray(0, 5000))
  await refuses(cut, /is damaged or cut off/)
  await refuses(join(folder, 'absent.gguf'), /cannot be opened/)
  const { 'tokenizer.chat_template': _, ...base } = chat
  await refuses(await write('base.gguf', base), /has no chat template/)
  await refuses(await write('embedder.gguf', { ...chat, 'llama.pooling_type': 1 }), /is a model for embeddings/)
  await refuses(await write('adapter.gguf', { ...chat, 'general.type': 'adapter' }), /is of type "adapter"/)
  await refuses(await write('part.gguf', { ...chat, 'split.no': 2 }), /is a later part/)
})
