import type { MessagesAnswer, MessagesRequest } from '#contract/messages.js'
import type { Dialect, Finished } from '../dialect.js'
import { blocksOf } from './blocks.js'
import { contentOf, headOf, messagesError, stopOf, usageOf } from './messages-answer.js'
import { readMessages } from './messages-read.js'
import { createMessagesVoice } from './messages-voice.js'

/** POST /messages: the language of the Anthropic API. */
export const messages: Dialect<MessagesRequest> = {
  read: readMessages,
  answer: (finished, body) => wholeMessage(finished, body),
  voice: (opening, body) => createMessagesVoice(opening, body),
  refusal: (failure, requestId) => messagesError(failure, requestId),
}

export const wholeMessage = (finished: Finished, body: MessagesRequest) => {
  const choice = finished.choices[0]
  const blocks = choice ? blocksOf(choice) : []
  const hasCalls = blocks.some(({ kind }) => kind === 'call')
  return {
    ...headOf(finished),
    content: blocks.map(contentOf),
    ...stopOf({ finishReason: choice?.finish_reason, stopReason: choice?.stop_reason, hasCalls }, body),
    usage: usageOf(finished.usage),
  } satisfies MessagesAnswer
}
