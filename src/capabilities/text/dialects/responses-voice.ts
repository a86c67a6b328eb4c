import type { Failure } from '#contract/errors.js'
import type { ResponsesRequest } from '#contract/responses.js'
import type { Opening, Voice } from '../dialect.js'
import { compatError } from '../failures.js'
import { type Block, createBlocks, emptied, type TokenLogprobs } from './blocks.js'
import {
  endingOf,
  headOf,
  itemIdOf,
  itemOf,
  logprobsOf,
  type Status,
  searchOf,
  summaryPart,
  textPart,
  usageOf,
} from './responses-output.js'

type Item = ReturnType<typeof itemOf> | NonNullable<ReturnType<typeof searchOf>>

export const createResponsesVoice = (opening: Opening, body: ResponsesRequest): Voice => {
  const { requestId, echo } = opening
  const head = headOf(opening, body)
  const output: Item[] = []
  let hasStarted = false
  let sequence = 0
  let finishReason: string | undefined

  const event = (type: string, data: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`

  const item = (block: Block, status: Status) => itemOf(block, status, { requestId, index: output.length, echo })
  const itemEvent = (which: 'added' | 'done', told: Item) =>
    event(`response.output_item.${which}`, { output_index: output.length, item: told })
  /** Something about a part of the item that is being told; each has only one part. */
  const part = (type: string, block: Block, data: object) => {
    const place = block.kind === 'text' ? { content_index: 0 } : block.kind === 'reasoning' ? { summary_index: 0 } : {}
    return event(type, {
      item_id: itemIdOf(block, { requestId, index: output.length }),
      output_index: output.length,
      ...place,
      ...data,
    })
  }

  const opened = (block: Block) => {
    const added = itemEvent('added', item(emptied(block), 'in_progress'))
    switch (block.kind) {
      case 'reasoning':
        return added + part('response.reasoning_summary_part.added', block, { part: summaryPart('') })
      case 'text':
        return (
          added +
          part('response.content_part.added', block, { part: textPart({ ...block, text: '', logprobs: [] }, echo) })
        )
      default:
        return added
    }
  }

  const added = (block: Block, text: string, logprobs: TokenLogprobs) => {
    switch (block.kind) {
      case 'reasoning':
        return part('response.reasoning_summary_text.delta', block, { delta: text })
      case 'text':
        return part('response.output_text.delta', block, { delta: text, logprobs: logprobsOf(logprobs) })
      default:
        return part('response.function_call_arguments.delta', block, { delta: text })
    }
  }

  const ended = (block: Block): string => {
    switch (block.kind) {
      case 'reasoning':
        return (
          part('response.reasoning_summary_text.done', block, { text: block.text }) +
          part('response.reasoning_summary_part.done', block, { part: summaryPart(block.text) })
        )
      case 'text': {
        const whole = textPart(block, echo)
        const { text, logprobs, annotations } = whole
        const cited = annotations.map((annotation, index) =>
          part('response.output_text.annotation.added', block, { annotation_index: index, annotation }),
        )
        const done = part('response.output_text.done', block, { text, logprobs })
        return cited.join('') + done + part('response.content_part.done', block, { part: whole })
      }
      case 'call':
        return part('response.function_call_arguments.done', block, { name: block.name, arguments: block.text })
      case 'sealed':
        return ''
    }
  }

  const closed = (block: Block, isLast: boolean) => {
    const told = item(block, isLast ? endingOf(finishReason).status : 'completed')
    const text = ended(block) + itemEvent('done', told)
    output.push(told)
    return text
  }

  const blocks = createBlocks({ opened, added, closed }, (call) => `call_${requestId}_${call}`)

  const start = () => {
    if (hasStarted) return ''
    hasStarted = true
    const response = { ...head, ...unfinished, output: [] }
    const begun = event('response.created', { response }) + event('response.in_progress', { response })
    const search = searchOf(opening)
    if (!search) return begun
    const told = itemEvent('added', search) + itemEvent('done', search)
    output.push(search)
    return begun + told
  }

  return {
    piece({ chunk }) {
      let text = start()
      for (const choice of chunk.choices) {
        if (choice.index !== 0) continue
        text += blocks.add(choice.delta, choice.logprobs?.content ?? [])
        finishReason = choice.finish_reason ?? finishReason
      }
      return text
    },
    end({ usage, cost }) {
      const ending = endingOf(finishReason)
      const begun = start()
      const last = blocks.finish()
      const response = { ...head, ...ending, error: null, output, usage: usageOf(usage), cost }
      return begun + last + event(`response.${ending.status}`, { response })
    },
    failed(failure) {
      const begun = start()
      if (blocks.current) output.push(item(blocks.current, 'incomplete'))
      const error = compatError(failure)
      const { code, message, param } = error
      const response = { ...head, ...unfinished, status: 'failed', error: errorOf(failure), output }
      // The SDKs raise an error only for an event that has one; the fields beside it are those of the reference.
      return begun + event('response.failed', { response }) + event('error', { code, message, param, error })
    },
  }
}

const unfinished = { status: 'in_progress', incomplete_details: null, error: null }

/** The SDKs know a short list of codes. */
const errorOf = ({ status, message }: Failure) => ({
  code: status === 429 ? 'rate_limit_exceeded' : status < 500 ? 'invalid_prompt' : 'server_error',
  message,
})
