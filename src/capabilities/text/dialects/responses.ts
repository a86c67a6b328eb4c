import type { ResponsesAnswer, ResponsesRequest } from '#contract/responses.js'
import type { Dialect, Finished } from '../dialect.js'
import { blocksOf } from './blocks.js'
import { endingOf, headOf, itemOf, searchOf, usageOf } from './responses-output.js'
import { readResponses } from './responses-read.js'
import { createResponsesVoice } from './responses-voice.js'

/** POST /responses. */
export const responses: Dialect<ResponsesRequest> = {
  read: readResponses,
  answer: (finished, body) => wholeResponse(finished, body),
  voice: (opening, body) => createResponsesVoice(opening, body),
}

export const wholeResponse = (finished: Finished, body: ResponsesRequest) => {
  const { requestId, echo, usage, cost } = finished
  const choice = finished.choices[0]
  const blocks = choice ? blocksOf(choice) : []
  const ending = endingOf(choice?.finish_reason)
  const search = searchOf(finished)
  const items = blocks.map((block, position) => {
    const isLast = position === blocks.length - 1
    const index = position + (search ? 1 : 0)
    return itemOf(block, isLast ? ending.status : 'completed', { requestId, index, echo })
  })
  return {
    ...headOf(finished, body),
    ...ending,
    error: null,
    output: [...(search ? [search] : []), ...items],
    usage: usageOf(usage),
    cost,
  } satisfies ResponsesAnswer
}
