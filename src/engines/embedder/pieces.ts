/** A vocabulary entry that fits at some place: its symbols, its score, its number. */
export type Match = [symbols: string[], score: number, id: number]

export type PieceVocabulary = {
  /** All entries that the symbols begin with; the unknown entry (0) when there is none. */
  matches(symbols: string[]): Match[]
  /** The symbols of the longest entry. */
  symbolsMax: number
}

const unknown = 0
/** SentencePiece writes a space as this, also before the first word. */
const space = '\u2581'

/**
 * The pieces of a text as the model was taught them: the split with the best total score, runs of unknown symbols as one.
 * The package's own tokenizer gives the same pieces, but copies the rest of the text at each symbol; in a text of 40,000
 * characters that takes seconds, and this is linear.
 */
export const splitIntoPieces = (text: string, vocabulary: PieceVocabulary): number[] => {
  const symbols = Array.from(text.length === 0 ? '' : space + text.normalize('NFKC').replaceAll(' ', space))
  const best = new Float64Array(symbols.length + 1)
  const ids = new Int32Array(symbols.length + 1)
  const lengths = new Int32Array(symbols.length + 1)
  for (let start = 0; start < symbols.length; start++) {
    for (const [piece, score, id] of vocabulary.matches(symbols.slice(start, start + vocabulary.symbolsMax))) {
      const end = start + piece.length
      const total = (best[start] as number) + score
      // Nothing has reached this place while its score is 0: real scores are below it.
      if (best[end] !== 0 && total < (best[end] as number)) continue
      best[end] = total
      ids[end] = id
      lengths[end] = piece.length
    }
  }
  const backwards: number[] = []
  for (let end = symbols.length; end > 0; end -= lengths[end] as number) {
    const id = ids[end] as number
    if (id !== unknown || backwards.at(-1) !== unknown) backwards.push(id)
  }
  return backwards.reverse()
}
