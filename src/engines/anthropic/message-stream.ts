import { EngineError } from '../engine-error.js'
import type { ChoiceDelta, TextPiece } from '../text.js'
import { toEnding, toUsage } from './ending.js'
import { toDetail } from './message-answer.js'
import type { BlockDelta, MessagesUsage, OutputBlock, StreamEvent } from './messages-api.js'

/** A block that is being written. */
type OpenBlock =
  | { kind: 'text' }
  | { kind: 'thinking'; text: string; signature: string }
  /** `call` is the index of the tool call, and undefined for the tool that stands for an answer in JSON. */
  | { kind: 'tool'; call: number | undefined; input: unknown; hasArguments: boolean }

type Needs = {
  /** The error that stands in an event. */
  errorFromEvent(body: unknown): EngineError
  /** Whether the caller has tools. If not, a call of a tool is an answer in JSON. */
  hasTools: boolean
}

/** Translates the events of one answer, in their order. Gives no piece for what a caller need not know. */
export const createStreamReader = ({ errorFromEvent, hasTools }: Needs) => {
  const blocks = new Map<number, OpenBlock>()
  let usage: MessagesUsage = {}
  let calls = 0

  const say = (delta: ChoiceDelta): TextPiece => ({ chunk: { choices: [{ index: 0, delta, finish_reason: null }] } })

  const sayArguments = (call: number | undefined, text: string): TextPiece =>
    say(call === undefined ? { content: text } : { tool_calls: [{ index: call, function: { arguments: text } }] })

  /** Later counts stand for everything so far, and what they leave out stays as it was. */
  const count = (later: MessagesUsage | undefined) => {
    const known = Object.entries(later ?? {}).filter(([, value]) => typeof value === 'number')
    usage = { ...usage, ...Object.fromEntries(known) }
    return Object.keys(usage).length > 0 ? { usage: toUsage(usage) } : {}
  }

  const startBlock = (index: number, block: OutputBlock): TextPiece | undefined => {
    if (block.type === 'redacted_thinking')
      return say({ reasoning_details: [{ type: block.type, data: block.data, index }] })
    if (block.type === 'text') {
      blocks.set(index, { kind: 'text' })
      return block.text ? say({ content: block.text }) : undefined
    }
    if (block.type === 'thinking') {
      blocks.set(index, { kind: 'thinking', text: block.thinking ?? '', signature: block.signature ?? '' })
      return block.thinking ? say({ reasoning_content: block.thinking }) : undefined
    }
    if (block.type !== 'tool_use') return undefined
    const call = hasTools ? calls : undefined
    blocks.set(index, { kind: 'tool', call, input: block.input, hasArguments: false })
    if (call === undefined) return undefined
    calls += 1
    const { id, name } = block
    return say({ tool_calls: [{ index: call, id, type: 'function', function: { name, arguments: '' } }] })
  }

  const addToBlock = (block: OpenBlock, delta: BlockDelta): TextPiece | undefined => {
    if (delta.type === 'text_delta') return say({ content: delta.text })
    if (delta.type === 'input_json_delta' && block.kind === 'tool') {
      if (delta.partial_json === '') return undefined
      block.hasArguments = true
      return sayArguments(block.call, delta.partial_json)
    }
    if (block.kind !== 'thinking') return undefined
    if (delta.type === 'signature_delta') block.signature += delta.signature
    if (delta.type !== 'thinking_delta') return undefined
    block.text += delta.thinking
    return say({ reasoning_content: delta.thinking })
  }

  const stopBlock = (index: number): TextPiece | undefined => {
    const block = blocks.get(index)
    blocks.delete(index)
    // Only a whole thought can be sent back, so its detail comes once and with all of its text.
    if (block?.kind === 'thinking') return say({ reasoning_details: [toDetail(block.text, block.signature, index)] })
    // A call without arguments is told without any text, but arguments are JSON.
    if (block?.kind === 'tool' && !block.hasArguments)
      return sayArguments(block.call, JSON.stringify(block.input ?? {}))
    return undefined
  }

  const read = (event: StreamEvent): TextPiece | undefined => {
    switch (event.type) {
      case 'message_start':
        return { ...say({ role: 'assistant', content: '' }), ...count(event.message.usage) }
      case 'content_block_start':
        return startBlock(event.index, event.content_block)
      case 'content_block_delta': {
        const block = blocks.get(event.index)
        return block && addToBlock(block, event.delta)
      }
      case 'content_block_stop':
        return stopBlock(event.index)
      case 'message_delta':
        return {
          chunk: { choices: [{ index: 0, delta: {}, ...toEnding(event.delta, calls > 0) }] },
          ...count(event.usage),
        }
      case 'error':
        throw errorFromEvent(event)
      default:
        return undefined
    }
  }

  /** `data` is the JSON of one event. */
  return (data: string): TextPiece | undefined => {
    try {
      return read(JSON.parse(data) as StreamEvent)
    } catch (error) {
      if (error instanceof EngineError) throw error
      // What the parser says quotes the text, so it is not passed on.
      throw new EngineError('broken', 'the upstream sent an event that is not of the Messages API')
    }
  }
}
