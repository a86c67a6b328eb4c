import type { ServiceParametersEcho } from '#contract/chat.js'
import type { AnswerChoice, TextPiece } from '#engines/text.js'
import { createThinkRemover, removeThinking } from './thinking.js'

type Wish = Pick<ServiceParametersEcho, 'strip_thinking_response' | 'disable_thinking'>

/** Takes the thinking out of a stream as the caller wishes; undefined when there is nothing to do. */
export const createThinkingFilter = ({ strip_thinking_response: strips, disable_thinking: disables }: Wish) => {
  if (!strips && !disables) return undefined
  const removers = new Map<number, ReturnType<typeof createThinkRemover>>()
  const removerOf = (index: number) => {
    const known = removers.get(index) ?? createThinkRemover()
    removers.set(index, known)
    return known
  }

  return ({ chunk, usage }: TextPiece): TextPiece => ({
    usage,
    chunk: {
      ...chunk,
      choices: chunk.choices.map((choice) => {
        const delta = { ...choice.delta }
        if (typeof delta.content === 'string') delta.content = removerOf(choice.index).push(delta.content)
        // What looked like the beginning of a tag and was none must still be told.
        if (choice.finish_reason) {
          const rest = removerOf(choice.index).end()
          if (rest !== '') delta.content = (delta.content ?? '') + rest
        }
        if (disables) {
          delete delta.reasoning_content
          delete delta.reasoning_details
        }
        return { ...choice, delta }
      }),
    },
  })
}

/** The same for a whole answer. */
export const withoutThinking = (choices: AnswerChoice[], wish: Wish): AnswerChoice[] => {
  if (!wish.strip_thinking_response && !wish.disable_thinking) return choices
  return choices.map((choice) => {
    const message = { ...choice.message }
    if (message.content) message.content = removeThinking(message.content)
    if (wish.disable_thinking) {
      message.reasoning_content = null
      delete message.reasoning_details
    }
    return { ...choice, message }
  })
}
