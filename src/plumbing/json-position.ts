/**
 * Says where a text stops being JSON: `line 3, column 14: expected ',' or '}'`. JSON.parse decides whether it is JSON;
 * this only explains a refusal, because the engine's own messages differ between versions and quote the body.
 */
export const explainJsonError = (text: string): string => {
  const { at, expected } = findProblem(text)
  const before = text.slice(0, at)
  const line = before.split('\n').length
  const column = at - before.lastIndexOf('\n')
  return `line ${line}, column ${column}: ${at >= text.length ? 'the text ends here, ' : ''}${expected}`
}

type Problem = { at: number; expected: string }

const space = /[ \t\n\r]*/y
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// One run of ordinary characters or one escape at a time: a single pattern for the whole string would overflow the
// regular-expression stack on very long ones.
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these
const stringPiece = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

const findProblem = (text: string): Problem => {
  let at = 0
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    const length = pattern.exec(text)?.[0].length ?? 0
    at += length
    return length > 0
  }
  /** Moves past a string and returns undefined, or says what is wrong with it. */
  const string = (): Problem | undefined => {
    const start = at
    at++
    while (match(stringPiece));
    if (text[at] === '"') {
      at++
      return undefined
    }
    if (at >= text.length) return { at: start, expected: 'this string is never closed' }
    return text[at] === '\\'
      ? { at, expected: 'this escape is not allowed in JSON' }
      : { at, expected: 'control characters must be escaped in strings' }
  }

  const closers: ('}' | ']')[] = []
  let expects: 'value' | 'key' | 'key or }' | 'value or ]' | 'comma' = 'value'
  for (;;) {
    match(space)
    const next = text[at]
    if (expects === 'comma') {
      const closer = closers.at(-1)
      if (closer === undefined) return { at, expected: 'expected the end of the text' }
      if (next === closer) {
        closers.pop()
        at++
      } else if (next === ',') {
        at++
        expects = closer === '}' ? 'key' : 'value'
      } else return { at, expected: `expected ',' or '${closer}'` }
    } else if (expects === 'key' || expects === 'key or }') {
      if (next === '}' && expects === 'key or }') {
        closers.pop()
        at++
        expects = 'comma'
        continue
      }
      if (next !== '"') return { at, expected: 'expected a field name in double quotes' }
      const problem = string()
      if (problem) return problem
      match(space)
      if (text[at] !== ':') return { at, expected: "expected ':'" }
      at++
      expects = 'value'
    } else if (next === ']' && expects === 'value or ]') {
      closers.pop()
      at++
      expects = 'comma'
    } else if (next === '{') {
      closers.push('}')
      at++
      expects = 'key or }'
    } else if (next === '[') {
      closers.push(']')
      at++
      expects = 'value or ]'
    } else if (next === '"') {
      const problem = string()
      if (problem) return problem
      expects = 'comma'
    } else if (match(scalar)) expects = 'comma'
    else return { at, expected: 'expected a value' }
  }
}
