import type { ChatChunk, TextPiece } from '../text.js'

/** What would end the text of a JSON string, has to be decoded in it, or must not be there. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings, so a chunk with one is broken
const notPlain = /["\\\u0000-\u001f]/

type Familiar = { before: string; after: string; chunk: ChatChunk }

/**
 * Nearly all chunks of a stream are the same but for a few letters of content. Once one was read, the next is known by what
 * stands before and after its content, letter for letter; what lies between is a JSON string as long as it has neither
 * quotes nor backslashes. That says exactly what parsing would, at a tenth of the price. Everything else is parsed.
 */
export const createFamiliarChunks = () => {
  let familiar: Familiar | undefined

  return {
    /** The piece, if only its content is new. */
    recognise(data: string): TextPiece | undefined {
      if (familiar === undefined) return undefined
      const { before, after, chunk } = familiar
      if (!data.startsWith(before) || !data.endsWith(after) || data.length < before.length + after.length)
        return undefined
      const content = data.slice(before.length, data.length - after.length)
      if (notPlain.test(content)) return undefined
      const [choice] = chunk.choices as [ChatChunk['choices'][number]]
      return {
        chunk: { ...chunk, choices: [{ ...choice, delta: { ...choice.delta, content } }] },
        json: data,
        usage: undefined,
      }
    },

    /** Remembers what a piece looks like that was parsed, if others may look like it. */
    learn(data: string, { chunk, json, usage }: TextPiece) {
      const [choice, ...others] = chunk.choices
      if (json === undefined || usage !== undefined || choice === undefined || others.length > 0) return
      const { content } = choice.delta
      if (!content || choice.finish_reason !== null || choice.logprobs || notPlain.test(content)) return
      const written = `"content":"${content}"`
      const at = data.indexOf(written)
      if (at < 0 || data.includes(written, at + 1)) return
      const from = at + written.length - content.length - 1
      familiar = { before: data.slice(0, from), after: data.slice(from + content.length), chunk }
    },
  }
}
