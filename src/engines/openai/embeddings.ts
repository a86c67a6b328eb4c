import type { EmbeddingEngine } from '../embedding.js'
import { EngineError } from '../engine-error.js'
import type { UpstreamClient } from '../upstream/client.js'
import { readUsage } from './usage.js'

const broken = (what: string) => new EngineError('broken', `the upstream sent ${what}`)

/** Little-endian on the wire, whatever the machine is. */
const fromBase64 = (text: string): Float32Array => {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length % 4 !== 0) throw broken('a vector that is cut')
  const vector = new Float32Array(bytes.length / 4)
  for (let index = 0; index < vector.length; index++) vector[index] = bytes.readFloatLE(index * 4)
  return vector
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'number')

const readVector = (embedding: unknown): Float32Array => {
  // Servers that do not know base64 send numbers.
  if (typeof embedding !== 'string' && !isNumbers(embedding))
    throw broken('a vector that is neither numbers nor base64')
  const vector = typeof embedding === 'string' ? fromBase64(embedding) : Float32Array.from(embedding)
  if (vector.length === 0 || !vector.every(Number.isFinite)) throw broken('a vector that is empty or not of numbers')
  return vector
}

/** The vectors by their `index`, which is the place of their text; servers may give them in any order. */
const readVectors = (data: unknown, count: number, dimensions: number | undefined): Float32Array[] => {
  if (!Array.isArray(data) || data.length !== count) throw broken(`not ${count} vectors`)
  const vectors = new Map<number, Float32Array>()
  for (const item of data as ({ index?: unknown; embedding?: unknown } | null)[]) {
    const { index, embedding } = item ?? {}
    if (typeof index !== 'number') throw broken('a vector without an index')
    vectors.set(index, readVector(embedding))
  }
  const length = dimensions ?? vectors.get(0)?.length
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.get(index)
    if (vector === undefined || vector.length !== length) throw broken('vectors that are missing or of wrong length')
    return vector
  })
}

/** Vectors from anything that speaks like OpenAI. Base64 is asked for: it is smaller than numbers and exact. */
export const createOpenAiEmbeddings = (client: UpstreamClient): EmbeddingEngine => ({
  async embed({ model, texts, dimensions, signal }) {
    const body = JSON.stringify({ model, input: texts, encoding_format: 'base64', dimensions })
    const answer = await client.postForJson('/embeddings', body, { signal })
    if (typeof answer !== 'object' || answer === null) throw broken('no object')
    const { data, usage } = answer as { data?: unknown; usage?: unknown }
    const tokens = readUsage(usage)
    return {
      vectors: readVectors(data, texts.length, dimensions),
      promptTokens: tokens && tokens.fresh + tokens.cacheRead + tokens.cacheWrite,
    }
  },
})
