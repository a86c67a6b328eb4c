import { loadSentenceModel, piecesReadMax } from '../../embedder/model.js'
import { splitIntoPieces } from '../../embedder/pieces.js'

/** How well each of the descriptions goes with a text, as numbers up to 1. */
export type Judge = (text: string, descriptions: readonly string[]) => Promise<number[]>

const rememberedMax = 400

/** Judges with the sentence model, which is loaded when it is needed first. */
export const createJudge = (): Judge => {
  let model: ReturnType<typeof loadSentenceModel> | undefined
  const remembered = new Map<string, Float32Array>()

  const embed = async (text: string) => {
    const known = remembered.get(text)
    if (known) return known
    model ??= loadSentenceModel()
    const { run, vocabulary } = await model
    // One row a run: rows of one run must have one length.
    const [vector] = await run([splitIntoPieces(text, vocabulary).slice(0, piecesReadMax)])
    const length = Math.hypot(...(vector ?? []))
    const unit = (vector ?? new Float32Array()).map((value) => value / (length || 1))
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(text, unit)
    return unit
  }

  return async (text, descriptions) => {
    const own = await embed(text)
    const likenesses: number[] = []
    for (const description of descriptions) {
      const other = await embed(description)
      likenesses.push(own.reduce((sum, value, index) => sum + value * (other[index] as number), 0))
    }
    return likenesses
  }
}
