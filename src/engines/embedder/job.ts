import { dimensions, piecesReadMax, type SentenceModel } from './model.js'
import { splitIntoPieces } from './pieces.js'

export const tokensMax = 512

/** More characters than this cannot be `tokensMax` pieces of known words, and are not worth reading. */
export const charactersMax = tokensMax * 16

/** How many pieces go through the model at once: it bounds memory, and how long others wait for their turn. */
const piecesPerStep = 1024
const rowsPerStep = 32

export type Answer =
  | { id: number; vectors: Float32Array; tokens: number }
  | { id: number; tooLong: { index: number; tokens: number } }
  | { id: number; empty: { index: number } }
  | { id: number; broken: string }

/** A stretch of a text that the model reads at once. */
type Window = { text: number; pieces: number[] }

const normalise = (vector: Float32Array): void => {
  const length = Math.hypot(...vector)
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] as number) / length
}

/**
 * The work of one call in steps, so that calls can take turns. Texts beyond what the model reads are cut into windows,
 * and their vector is the mean of the windows' vectors, weighted by their pieces.
 */
export const createJob = (id: number, texts: string[]) => {
  const sums = new Float32Array(texts.length * dimensions)
  const waiting: Window[] = []
  let tokens = 0
  let read = 0

  const readOne = (model: SentenceModel): Answer | undefined => {
    const index = read++
    const pieces = splitIntoPieces(texts[index] as string, model.vocabulary)
    if (pieces.length > tokensMax) return { id, tooLong: { index, tokens: pieces.length } }
    if (pieces.length === 0) return { id, empty: { index } }
    tokens += pieces.length
    const windows = Math.ceil(pieces.length / piecesReadMax)
    const size = Math.ceil(pieces.length / windows)
    for (let start = 0; start < pieces.length; start += size)
      waiting.push({ text: index, pieces: pieces.slice(start, start + size) })
    if (read === texts.length) waiting.sort((a, b) => a.pieces.length - b.pieces.length)
    return undefined
  }

  const runSome = async (model: SentenceModel): Promise<void> => {
    const length = waiting.at(-1)?.pieces.length as number
    const rowsMax = Math.min(rowsPerStep, Math.ceil(piecesPerStep / length))
    const batch: Window[] = []
    while (batch.length < rowsMax && waiting.at(-1)?.pieces.length === length) batch.push(waiting.pop() as Window)
    const vectors = await model.run(batch.map(({ pieces }) => pieces))
    batch.forEach(({ text, pieces }, row) => {
      const sum = sums.subarray(text * dimensions, (text + 1) * dimensions)
      vectors[row]?.forEach((value, place) => {
        sum[place] = (sum[place] as number) + value * pieces.length
      })
    })
  }

  return {
    id,
    /** Does a part of the work; the answer when it was the last. */
    async step(model: SentenceModel): Promise<Answer | undefined> {
      for (let count = 0; count < rowsPerStep && read < texts.length; count++) {
        const refusal = readOne(model)
        if (refusal) return refusal
      }
      if (read < texts.length) return undefined
      if (waiting.length > 0) await runSome(model)
      if (waiting.length > 0) return undefined
      for (let text = 0; text < texts.length; text++)
        normalise(sums.subarray(text * dimensions, (text + 1) * dimensions))
      return { id, vectors: sums, tokens }
    },
  }
}
