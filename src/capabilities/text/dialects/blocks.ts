import type { Logprobs } from '#contract/chat.js'
import type { ReasoningDetail } from '#contract/text-parts.js'
import type { AnswerChoice, ChoiceDelta, ToolCallDelta } from '#engines/text.js'
import type { Sealed } from './sealed.js'

/**
 * An answer as a row of blocks, for dialects that tell it that way. Chat tells reasoning, text and tool calls side by
 * side; here one block ends before the next one begins.
 */
export type Block =
  | { kind: 'reasoning'; text: string; signature: string }
  | { kind: 'sealed'; text: ''; sealed: Sealed }
  | { kind: 'text'; text: string; logprobs: TokenLogprobs }
  /** `text` are the arguments. */
  | { kind: 'call'; text: string; id: string; name: string }

export type TokenLogprobs = NonNullable<Logprobs['content']>

type CallBlock = Block & { kind: 'call' }

/** What a stream says about blocks, in order; each function gives the text to send. */
export type Teller = {
  opened(block: Block): string
  /** `block.text` already ends with `text`. */
  added(block: Block, text: string, logprobs: TokenLogprobs): string
  closed(block: Block, isLast: boolean): string
}

/** A block before anything is said in it; what is sealed is told at once. */
export const emptied = (block: Block): Block => {
  switch (block.kind) {
    case 'sealed':
      return block
    case 'reasoning':
      return { ...block, text: '', signature: '' }
    case 'text':
      return { ...block, text: '', logprobs: [] }
    case 'call':
      return { ...block, text: '' }
  }
}

/** The blocks of a whole answer: reasoning, then text, then calls. */
export const blocksOf = ({ message, logprobs }: AnswerChoice): Block[] => {
  const details = message.reasoning_details ?? []
  const thoughts = details.filter(isThought)
  const text = message.reasoning_content || details.map((detail) => detail.text ?? '').join('')
  const signed = thoughts.filter((thought) => thought.text && thought.data)
  const reasoning: Block[] =
    signed.length > 0 && signed.length === thoughts.length
      ? signed.map((thought) => ({ kind: 'reasoning', text: thought.text ?? '', signature: thought.data ?? '' }))
      : text || thoughts.length > 0
        ? [{ kind: 'reasoning', text, signature: thoughts.at(-1)?.data ?? '' }]
        : []
  const hidden = sealedBlocks(
    details.filter((detail) => !isThought(detail)),
    message.thought_signature,
  )
  const content = message.content ?? ''
  const calls = (message.tool_calls ?? []).map(
    ({ id, function: { name, arguments: text } }): Block => ({ kind: 'call', text, id, name }),
  )
  const before = [...reasoning, ...hidden]
  const isEmpty = before.length === 0 && calls.length === 0
  const written: Block[] =
    content !== '' || isEmpty ? [{ kind: 'text', text: content, logprobs: logprobs?.content ?? [] }] : []
  return [...before, ...written, ...calls]
}

const isThought = (detail: ReasoningDetail) => detail.type === 'thinking'

/** Redacted thoughts are blocks of their own; everything else that must come back travels in one. */
const sealedBlocks = (details: ReasoningDetail[], thoughtSignature: string | null | undefined): Block[] => {
  const alone = details.filter(({ type, data }) => type === 'redacted_thinking' && data)
  const together = details.filter((detail) => detail.type !== 'redacted_thinking' && mustComeBack(detail))
  const block = (sealed: Sealed): Block => ({ kind: 'sealed', text: '', sealed })
  return [
    ...alone.map((detail) => block({ details: [detail] })),
    ...(together.length > 0 || thoughtSignature
      ? [block({ details: together, thoughtSignature: thoughtSignature ?? undefined })]
      : []),
  ]
}

/** A detail that only repeats the text of the reasoning is told already. */
const mustComeBack = ({ type, text, index, format, id, ...more }: ReasoningDetail) =>
  Object.values(more).some((value) => value != null)

/** Turns the deltas of one choice into blocks. */
export const createBlocks = (teller: Teller, newCallId: (index: number) => string) => {
  const calls = new Map<number, CallBlock>()
  const met = new Set<Block>()
  /** The block that is being told. */
  let current: Block | undefined
  /** Blocks that began while a call was not finished: a block that was closed cannot be opened again. */
  const waiting: Block[] = []
  let details: ReasoningDetail[] = []
  let thoughtSignature: string | undefined

  const close = (isLast = false) => {
    const text = current ? teller.closed(current, isLast) : ''
    current = undefined
    return text
  }

  const tell = (block: Block) => {
    const before = close()
    current = block
    const { text } = block
    const logprobs = block.kind === 'text' ? block.logprobs : []
    return before + teller.opened(block) + (text !== '' ? teller.added(block, text, logprobs) : '')
  }

  const advance = () => {
    let text = ''
    while (waiting.length > 0 && !isUnfinishedCall(current)) text += tell(waiting.shift()!)
    return text
  }

  const begin = (block: Block) => {
    const hidden = sealedBlocks(details, thoughtSignature)
    details = []
    thoughtSignature = undefined
    for (const next of [...hidden, block]) {
      met.add(next)
      waiting.push(next)
    }
    return advance()
  }

  const write = (block: Block, text: string, logprobs: TokenLogprobs = []) => {
    block.text += text
    if (block.kind === 'text') block.logprobs.push(...logprobs)
    if (block === current) return teller.added(block, text, logprobs)
    return met.has(block) ? advance() : begin(block)
  }

  const last = () => waiting.at(-1) ?? current

  const reason = (text: string) => {
    const block = last()
    const isOpen = block?.kind === 'reasoning' && block.signature === ''
    return write(isOpen ? block : { kind: 'reasoning', text: '', signature: '' }, text)
  }

  const sign = ({ text, data }: ReasoningDetail) => {
    let told = ''
    let block = last()
    // A signed thought repeats all of its text, unless it is the first that is heard of it.
    if (block?.kind !== 'reasoning' || block.signature !== '') {
      block = { kind: 'reasoning', text: text ?? '', signature: '' }
      told = begin(block)
    }
    block.signature = data ?? ''
    return told
  }

  const addCall = ({ index, id, function: called }: ToolCallDelta) => {
    const call = calls.get(index) ?? { kind: 'call', text: '', id: id || newCallId(index), name: '' }
    calls.set(index, call)
    if (id && !met.has(call)) call.id = id
    if (called?.name) call.name = called.name
    const text = called?.arguments ?? ''
    if (call.name === '' || (text === '' && met.has(call))) {
      call.text += text
      return ''
    }
    return write(call, text)
  }

  return {
    add(delta: ChoiceDelta, logprobs: TokenLogprobs) {
      let text = ''
      const given = delta.reasoning_details ?? []
      const reasoning = delta.reasoning_content || given.map(({ text, data }) => (data ? '' : (text ?? ''))).join('')
      if (reasoning) text += reason(reasoning)
      for (const detail of given) {
        if (!isThought(detail)) collect(details, detail)
        else if (detail.data) text += sign(detail)
      }
      if (delta.thought_signature) thoughtSignature = delta.thought_signature
      if (delta.content) {
        const block = last()
        text += write(
          block?.kind === 'text' ? block : { kind: 'text', text: '', logprobs: [] },
          delta.content,
          logprobs,
        )
      }
      for (const call of delta.tool_calls ?? []) text += addCall(call)
      return text
    },
    /** Closes what is open, after telling what has waited. */
    finish() {
      waiting.push(...sealedBlocks(details, thoughtSignature))
      let text = ''
      for (const block of waiting.splice(0)) {
        met.add(block)
        text += tell(block)
      }
      if (met.size === 0) text += tell({ kind: 'text', text: '', logprobs: [] })
      return text + close(true)
    },
    get current() {
      return current
    },
    get hasCalls() {
      return calls.size > 0
    },
  }
}

/** Arguments are one JSON object: once it is complete, nothing can follow. */
const isUnfinishedCall = (block: Block | undefined) => {
  if (block?.kind !== 'call') return false
  if (!block.text.trimEnd().endsWith('}')) return true
  try {
    JSON.parse(block.text)
    return false
  } catch {
    return true
  }
}

/** Streams tell a detail in pieces that share type and index. */
const collect = (details: ReasoningDetail[], detail: ReasoningDetail) => {
  const before = details.at(-1)
  if (!before || detail.index === undefined || before.type !== detail.type || before.index !== detail.index) {
    details.push({ ...detail })
    return
  }
  const text = (before.text ?? '') + (detail.text ?? '')
  Object.assign(before, detail, text && { text })
}
