/**
 * Finds the parts of a JSON text without reading them, so that they can be passed on exactly as they came. What is cut is
 * checked against the whole grammar of JSON: the parts of a text that passed here are JSON themselves.
 *
 * Works on text of any encoding in which ASCII is itself, also on bytes as latin1.
 */
export class NotJson extends Error {
  constructor(readonly position: number) {
    super(`not JSON from position ${position}`)
    this.name = 'NotJson'
  }
}

/** What a text is as a whole: the parts of an array, the members of an object (the last one of a name), or neither. */
export type Cut =
  | { kind: 'array'; parts: string[] }
  | { kind: 'object'; members: Map<string, string> }
  | { kind: 'other'; text: string }

export type Wanted = {
  /** Of an array only the first parts, where more than so many are not wanted: one more than that says that there are. */
  partsMax?: number
  /** Of an object only the members of these names, where it may have any number of others. */
  names?: ReadonlySet<string>
}

export const cutJson = (text: string, { partsMax = Number.POSITIVE_INFINITY, names }: Wanted = {}): Cut => {
  const start = skipSpace(text, 0)
  const opening = text.charCodeAt(start)
  if (opening === bracketOpen) {
    const parts: string[] = []
    const at = eachPart(text, start, (from, to) => parts.push(text.slice(from, to)) <= partsMax)
    if (at !== undefined) end(text, at)
    return { kind: 'array', parts }
  }
  if (opening === braceOpen) {
    const members = new Map<string, string>()
    end(
      text,
      eachMember(text, start, (name, from, to) => {
        if (names === undefined || names.has(name)) members.set(name, text.slice(from, to))
      }),
    )
    return { kind: 'object', members }
  }
  const to = endOfValue(text, start)
  end(text, to)
  return { kind: 'other', text: text.slice(start, to) }
}

const end = (text: string, at: number) => {
  const after = skipSpace(text, at)
  if (after < text.length) throw new NotJson(after)
}

const quote = 0x22
const plus = 0x2b
const comma = 0x2c
const minus = 0x2d
const dot = 0x2e
const zero = 0x30
const colon = 0x3a
const bracketOpen = 0x5b
const backslash = 0x5c
const bracketClose = 0x5d
const braceOpen = 0x7b
const braceClose = 0x7d

const skipSpace = (text: string, from: number): number => {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
    at++
  }
}

/** Undefined when the visitor wants no more. */
const eachPart = (text: string, open: number, visit: (from: number, to: number) => boolean): number | undefined => {
  let at = skipSpace(text, open + 1)
  if (text.charCodeAt(at) === bracketClose) return at + 1
  for (;;) {
    const to = endOfValue(text, at)
    if (!visit(at, to)) return undefined
    at = skipSpace(text, to)
    const code = text.charCodeAt(at)
    if (code === bracketClose) return at + 1
    if (code !== comma) throw new NotJson(at)
    at = skipSpace(text, at + 1)
  }
}

const eachMember = (text: string, open: number, visit: (name: string, from: number, to: number) => void): number => {
  let at = skipSpace(text, open + 1)
  if (text.charCodeAt(at) === braceClose) return at + 1
  for (;;) {
    const nameEnd = endOfString(text, at)
    const name = text.slice(at + 1, nameEnd - 1)
    at = afterColon(text, nameEnd)
    const to = endOfValue(text, at)
    visit(name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name, at, to)
    at = skipSpace(text, to)
    const code = text.charCodeAt(at)
    if (code === braceClose) return at + 1
    if (code !== comma) throw new NotJson(at)
    at = skipSpace(text, at + 1)
  }
}

const afterColon = (text: string, nameEnd: number): number => {
  const at = skipSpace(text, nameEnd)
  if (text.charCodeAt(at) !== colon) throw new NotJson(at)
  return skipSpace(text, at + 1)
}

/** Where the value that begins here is over. Without recursion: how deep it is nested is not ours to decide. */
const endOfValue = (text: string, from: number): number => {
  /** What closes each container that is open. */
  const closings: number[] = []
  let at = from
  for (;;) {
    // A value begins here.
    const code = text.charCodeAt(at)
    if (code === braceOpen || code === bracketOpen) {
      const closing = code === braceOpen ? braceClose : bracketClose
      at = skipSpace(text, at + 1)
      if (text.charCodeAt(at) !== closing) {
        closings.push(closing)
        if (closing === braceClose) at = afterColon(text, endOfString(text, at))
        continue
      }
      at++
    } else at = endOfScalar(text, at, code)
    // A value is over here, and perhaps what it is in.
    for (;;) {
      const closing = closings[closings.length - 1]
      if (closing === undefined) return at
      at = skipSpace(text, at)
      const next = text.charCodeAt(at)
      if (next === comma) {
        at = skipSpace(text, at + 1)
        if (closing === braceClose) at = afterColon(text, endOfString(text, at))
        break
      }
      if (next !== closing) throw new NotJson(at)
      closings.pop()
      at++
    }
  }
}

const endOfScalar = (text: string, at: number, code: number): number => {
  switch (code) {
    case quote:
      return endOfString(text, at)
    case 0x74:
      return endOfWord(text, at, 'true')
    case 0x66:
      return endOfWord(text, at, 'false')
    case 0x6e:
      return endOfWord(text, at, 'null')
    default:
      return endOfNumber(text, at)
  }
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

const endOfDigits = (text: string, from: number): number => {
  let at = from
  while (isDigit(text.charCodeAt(at))) at++
  if (at === from) throw new NotJson(at)
  return at
}

const endOfNumber = (text: string, from: number): number => {
  let at = text.charCodeAt(from) === minus ? from + 1 : from
  // None begins with a zero but those that are less than one.
  at = text.charCodeAt(at) === zero ? at + 1 : endOfDigits(text, at)
  if (text.charCodeAt(at) === dot) at = endOfDigits(text, at + 1)
  const code = text.charCodeAt(at)
  if (code !== 0x45 && code !== 0x65) return at
  const sign = text.charCodeAt(at + 1)
  return endOfDigits(text, sign === plus || sign === minus ? at + 2 : at + 1)
}

const endOfWord = (text: string, at: number, word: string): number => {
  if (!text.startsWith(word, at)) throw new NotJson(at)
  return at + word.length
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: strings must not have any
const plainRun = /[^"\\\x00-\x1f]*/y

/** Shorter runs are passed over before a regular expression has begun. */
const shortRun = 16

const endOfString = (text: string, open: number): number => {
  if (text.charCodeAt(open) !== quote) throw new NotJson(open)
  let at = open + 1
  let run = 0
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === quote) return at + 1
    if (code === backslash) {
      at = endOfEscape(text, at)
      run = 0
    }
    // Control characters, and the end of the text, which is no number.
    else if (!(code >= 0x20)) throw new NotJson(at)
    else if (run < shortRun) {
      at++
      run++
    } else {
      plainRun.lastIndex = at
      plainRun.test(text)
      at = plainRun.lastIndex
    }
  }
}

const endOfEscape = (text: string, at: number): number => {
  const code = text.charCodeAt(at + 1)
  if (code === 0x75) {
    for (let place = at + 2; place < at + 6; place++) if (!isHex(text.charCodeAt(place))) throw new NotJson(at)
    return at + 6
  }
  if (Number.isNaN(code) || !escapable.includes(text.charAt(at + 1))) throw new NotJson(at)
  return at + 2
}

const escapable = '"\\/bfnrt'

const isHex = (code: number) => isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
