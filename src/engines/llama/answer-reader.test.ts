import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnswerPart, createAnswerReader } from './answer-reader.js'
import type { ToolSyntax } from './tool-syntax.js'

const thought = { open: '<think>', close: '</think>' }
const syntax: ToolSyntax = {
  start: '<tool_call>{"name": "',
  trigger: '<tool_call>',
  beforeArguments: () => '", "arguments": ',
  afterCall: () => '}</tool_call>',
  nextCall: '<tool_call>{"name": "',
  end: '',
}
type Needs = Parameters<typeof createAnswerReader>[0]

/** The same text whole, and character by character: where it is cut must not matter. */
const readBothWays = (text: string, needs: Partial<Needs>) => {
  const readings = [[text], [...text]].map((pieces) => {
    const reader = createAnswerReader({ thought, isThinking: false, stops: [], tools: undefined, ...needs })
    const parts: AnswerPart[] = []
    for (const piece of pieces) {
      const reading = reader.read(piece)
      parts.push(...reading.parts)
      if (reading.isStopped || reading.overshoot !== undefined) return join(parts)
    }
    return join([...parts, ...reader.end().parts])
  })
  assert.deepEqual(readings[0], readings[1])
  return readings[0]
}

const join = (parts: AnswerPart[]) => {
  const joined: Record<string, string> = {}
  for (const part of parts) if (part.kind !== 'call') joined[part.kind] = (joined[part.kind] ?? '') + part.text
  return joined
}

test('thinking at the beginning is told apart from the answer', () => {
  const text = '\n<think>\nTwo and two.\n</think>\n\nFour.'
  assert.deepEqual(readBothWays(text, {}), { reasoning: 'Two and two.', content: 'Four.' })
})

test('thinking that the prompt has opened needs no opening tag', () => {
  assert.deepEqual(readBothWays('Hm.</think>Yes.', { isThinking: true }), { reasoning: 'Hm.', content: 'Yes.' })
})

test('thinking that was cut off is reasoning only', () => {
  assert.deepEqual(readBothWays('<think>Let me see </thi', {}), { reasoning: 'Let me see </thi' })
})

test('a tag in the middle of an answer is text', () => {
  assert.deepEqual(readBothWays('Use <think> tags.', {}), { content: 'Use <think> tags.' })
})

test('the earliest stop ends the answer and is not part of it, however it is cut', () => {
  const stops = ['END', 'three']
  assert.deepEqual(readBothWays('one two three END', { stops }), { content: 'one two ' })
  assert.deepEqual(readBothWays('one EN two', { stops }), { content: 'one EN two' })
})

test('an announced call ends the text, and what came after the announcement is handed back', () => {
  const reader = createAnswerReader({ thought, isThinking: false, stops: [], tools: { syntax, names: ['add'] } })
  const reading = reader.read('Sure. <tool_call>{"na')
  assert.deepEqual(reading.overshoot, '{"na')
  assert.deepEqual(join(reading.parts), { content: 'Sure. ' })
})

test('calls are read one after the other, with arguments that contain braces and quotes', () => {
  const reader = createAnswerReader({
    thought,
    isThinking: false,
    stops: [],
    tools: { syntax, names: ['add', 'addAll'] },
  })
  reader.startCall()
  const written =
    'addAll", "arguments": {"a": "}\\"{", "b": [{}]}}</tool_call><tool_call>{"name": "add", "arguments": {}}</tool_call>'
  const parts = [...written].flatMap((character) => reader.read(character).parts)
  const calls: string[] = []
  for (const part of parts) {
    if (part.kind === 'call') calls[part.index] = `${part.name} `
    if (part.kind === 'arguments') calls[part.index] += part.text
  }
  assert.deepEqual(calls, ['addAll {"a": "}\\"{", "b": [{}]}', 'add {}'])
})
