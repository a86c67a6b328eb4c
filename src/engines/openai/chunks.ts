import { EngineError } from '../engine-error.js'
import type { AnswerChoice, ChatChunk, TextAnswer, TextPiece } from '../text.js'
import { readUsage } from './usage.js'

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const broken = (what: string) => new EngineError('broken', `the upstream sent ${what}`)

export const parseObject = (data: string): Fields => {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    // What the parser says quotes the text, so it is not passed on.
    throw broken('an event that is not JSON')
  }
  if (!isObject(value)) throw broken('an event that is not an object')
  return value
}

/** Whether this stands for a failure: most servers wrap it, vLLM once did not. */
export const isFailure = (body: Fields): boolean =>
  (body.error !== undefined && body.error !== null) || body.object === 'error'

/** Servers name the text of reasoning differently. True when something was renamed. */
const renameReasoning = (part: Fields): boolean => {
  let isChanged = false
  for (const name of ['reasoning', 'thinking']) {
    if (typeof part[name] !== 'string') continue
    if (typeof part.reasoning_content !== 'string') part.reasoning_content = part[name]
    delete part[name]
    isChanged = true
  }
  return isChanged
}

/** Fills in what servers leave out. True when that changed something. */
const completeChoice = (choice: unknown): boolean => {
  if (!isObject(choice)) throw broken('a choice that is not an object')
  let isChanged = false
  if (typeof choice.index !== 'number') {
    choice.index = 0
    isChanged = true
  }
  if (!isObject(choice.delta)) {
    choice.delta = {}
    isChanged = true
  }
  if (typeof choice.finish_reason !== 'string' && choice.finish_reason !== null) {
    choice.finish_reason = null
    isChanged = true
  }
  return renameReasoning(choice.delta as Fields) || isChanged
}

/** One step of a stream; undefined for an event that says nothing, such as a sign of life. */
export const readPiece = (chunk: Fields, data: string): TextPiece | undefined => {
  const usage = readUsage(chunk.usage)
  let isChanged = false
  if (!Array.isArray(chunk.choices)) {
    if (chunk.choices !== undefined && chunk.choices !== null) throw broken('choices that are not a list')
    chunk.choices = []
    isChanged = true
  }
  const choices = chunk.choices as unknown[]
  if (choices.length === 0 && usage === undefined) return undefined
  for (const choice of choices) isChanged = completeChoice(choice) || isChanged
  return { chunk: chunk as ChatChunk, json: isChanged ? undefined : data, usage }
}

const readChoice = (choice: unknown, position: number): AnswerChoice => {
  if (!isObject(choice) || !isObject(choice.message)) throw broken('a choice without a message')
  const { message } = choice
  const { content = null } = message
  if (content !== null && typeof content !== 'string') throw broken('content that is not text')
  renameReasoning(message)
  return {
    ...choice,
    index: typeof choice.index === 'number' ? choice.index : position,
    finish_reason: typeof choice.finish_reason === 'string' ? choice.finish_reason : 'stop',
    message: { ...message, role: 'assistant', content },
  }
}

export const readAnswer = (body: Fields): TextAnswer => {
  if (!Array.isArray(body.choices) || body.choices.length === 0) throw broken('an answer without choices')
  return {
    choices: body.choices.map(readChoice),
    usage: readUsage(body.usage),
    system_fingerprint: typeof body.system_fingerprint === 'string' ? body.system_fingerprint : undefined,
  }
}
