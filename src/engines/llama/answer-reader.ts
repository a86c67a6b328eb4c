import type { ThoughtTags, ToolSyntax } from './tool-syntax.js'

export type AnswerPart =
  | { kind: 'reasoning'; text: string }
  /** `from` and `to` count the characters of everything that the model wrote. */
  | { kind: 'content'; text: string; from: number; to: number }
  | { kind: 'call'; index: number; name: string }
  | { kind: 'arguments'; index: number; text: string }

type Needs = {
  thought: ThoughtTags | undefined
  /** The prompt already ends with the tag that opens thinking. */
  isThinking: boolean
  stops: string[]
  tools: { syntax: ToolSyntax; names: string[] } | undefined
}

export type Reading = {
  parts: AnswerPart[]
  isStopped: boolean
  /** Set when a call was announced: what came after the announcement, which is not used. */
  overshoot: string | undefined
}

/** Takes apart what a model writes, as it writes it: thinking, text and calls. Text that may belong to a tag or a stop waits. */
export const createAnswerReader = ({ thought, isThinking, stops, tools }: Needs) => {
  let state: 'start' | 'thinking' | 'gap' | 'content' | 'name' | 'arguments' | 'after' = isThinking
    ? 'thinking'
    : 'start'
  let held = ''
  /** Where `held` begins in everything that was written. */
  let position = 0
  let hasThought = false
  let calls = 0
  let name = ''
  const json = createJsonEnd()

  const drop = (count: number): string => {
    const dropped = held.slice(0, count)
    held = held.slice(count)
    position += count
    return dropped
  }

  const readStart = (isEnd: boolean): boolean => {
    const text = held.trimStart()
    if (thought !== undefined && text.startsWith(thought.open)) {
      drop(held.length - text.length + thought.open.length)
      state = 'thinking'
      return true
    }
    if (!isEnd && thought?.open.startsWith(text)) return false
    state = 'content'
    return true
  }

  const readThinking = (parts: AnswerPart[], isEnd: boolean): boolean => {
    const close = thought?.close ?? ''
    if (!hasThought) drop(held.length - held.trimStart().length)
    const at = held.indexOf(close)
    const sure = at >= 0 ? at : isEnd ? held.length : held.length - beginningOf([close], held)
    const text = drop(held.slice(0, sure).trimEnd().length)
    if (text !== '') {
      parts.push({ kind: 'reasoning', text })
      hasThought = true
    }
    if (at < 0) return false
    drop(sure - text.length + close.length)
    state = 'gap'
    return true
  }

  const readGap = (): boolean => {
    drop(held.length - held.trimStart().length)
    if (held === '') return false
    state = 'content'
    return true
  }

  const readContent = (reading: Reading, isEnd: boolean): boolean => {
    const trigger = tools?.syntax.trigger
    const stopAt = firstOf(stops, held)
    const callAt = trigger === undefined ? -1 : held.indexOf(trigger)
    const isCall = callAt >= 0 && (stopAt < 0 || callAt < stopAt)
    const until = isCall
      ? callAt
      : stopAt >= 0
        ? stopAt
        : isEnd
          ? held.length
          : held.length - beginningOf(trigger === undefined ? stops : [...stops, trigger], held)
    const from = position
    const text = drop(until)
    if (text !== '') reading.parts.push({ kind: 'content', text, from, to: position })
    if (isCall) {
      drop(trigger?.length ?? 0)
      reading.overshoot = drop(held.length)
      state = 'name'
    } else if (stopAt >= 0) reading.isStopped = true
    return false
  }

  const readCall = (parts: AnswerPart[]): boolean => {
    if (tools === undefined) return false
    const { syntax, names } = tools
    if (state === 'name') {
      const found = names.find((each) => held.startsWith(each + syntax.beforeArguments(each)))
      if (found === undefined) return false
      drop(found.length + syntax.beforeArguments(found).length)
      name = found
      parts.push({ kind: 'call', index: calls, name })
      state = 'arguments'
    } else if (state === 'arguments') {
      const end = json.find(held)
      const text = drop(end ?? held.length)
      if (text !== '') parts.push({ kind: 'arguments', index: calls, text })
      if (end === undefined) return false
      state = 'after'
    } else {
      const again = syntax.afterCall(name) + (syntax.nextCall ?? '')
      if (syntax.nextCall === undefined || !held.startsWith(again)) return false
      drop(again.length)
      calls++
      state = 'name'
    }
    return true
  }

  const advance = (isEnd: boolean): Reading => {
    const reading: Reading = { parts: [], isStopped: false, overshoot: undefined }
    for (let goesOn = true; goesOn; ) {
      if (state === 'start') goesOn = readStart(isEnd)
      else if (state === 'thinking') goesOn = readThinking(reading.parts, isEnd)
      else if (state === 'gap') goesOn = readGap()
      else if (state === 'content') goesOn = readContent(reading, isEnd)
      else goesOn = readCall(reading.parts)
    }
    return reading
  }

  return {
    read: (text: string): Reading => {
      held += text
      return advance(false)
    },
    end: (): Reading => advance(true),
    /** The beginning of a call was written for the model: what follows is its name. */
    startCall: () => {
      state = 'name'
    },
    isThinking: () => state === 'thinking',
  }
}

/** How many characters at the end of `text` could be the beginning of one of `words`. */
const beginningOf = (words: string[], text: string): number => {
  let longest = 0
  for (const word of words)
    for (let length = Math.min(word.length - 1, text.length); length > longest; length--)
      if (text.endsWith(word.slice(0, length))) longest = length
  return longest
}

const firstOf = (words: string[], text: string): number => {
  const found = words.map((word) => text.indexOf(word)).filter((at) => at >= 0)
  return found.length === 0 ? -1 : Math.min(...found)
}

/** Finds where a JSON object ends that arrives in pieces. Starts over after each. */
const createJsonEnd = () => {
  let depth = 0
  let isInText = false
  let isEscaped = false
  return {
    find(piece: string): number | undefined {
      for (let at = 0; at < piece.length; at++) {
        const character = piece[at]
        if (isEscaped) isEscaped = false
        else if (isInText) {
          if (character === '\\') isEscaped = true
          else if (character === '"') isInText = false
        } else if (character === '"') isInText = true
        else if (character === '{' || character === '[') depth++
        else if ((character === '}' || character === ']') && --depth === 0) return at + 1
      }
      return undefined
    },
  }
}
