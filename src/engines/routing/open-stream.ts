import { EngineError } from '../engine-error.js'
import type { TextPiece } from '../text.js'

/** More of these without a word, and the target is taken at its word: what is held back must not grow for ever. */
const heldMax = 256

export type OpenStream = {
  /** What came before the first meaningful piece, and that piece with all that came together with it. */
  held: TextPiece[][]
  rest: AsyncIterator<TextPiece[]>
}

/**
 * Reads a stream until it says something. Until then the caller has been told nothing, so another target may begin
 * anew; when it fails that early the error is thrown and the stream is closed.
 */
export const openStream = async (pieces: AsyncIterable<TextPiece[]>): Promise<OpenStream> => {
  const rest = pieces[Symbol.asyncIterator]()
  const held: TextPiece[][] = []
  try {
    while (held.length < heldMax) {
      const next = await rest.next()
      if (next.done) throw new EngineError('broken', 'the stream ended without saying anything')
      held.push(next.value)
      if (next.value.some(isMeaningful)) break
    }
    return { held, rest }
  } catch (error) {
    await closeQuietly(rest)
    throw error
  }
}

/** For a stream that failed already: what its closing says is less than what is being thrown. */
export const closeQuietly = async (iterator: AsyncIterator<unknown>): Promise<void> => {
  try {
    await iterator.return?.()
  } catch {}
}

/** A role alone, empty deltas and usage do not count. Fields that nobody knows do: they may be all that comes for long. */
const isMeaningful = ({ chunk }: TextPiece): boolean =>
  chunk.choices.some(
    ({ delta, finish_reason, logprobs }) =>
      Boolean(finish_reason) ||
      Boolean(logprobs?.content?.length) ||
      Object.entries(delta).some(([field, value]) => field !== 'role' && !isEmpty(value)),
  )

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)
