import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ChoiceDelta, ToolCallDelta } from '#engines/text.js'
import { anyCut } from '../../../../test/fakes/text-answers.js'
import { type Block, createBlocks } from './blocks.js'

/** What is told, one line per step. */
const tell = (...deltas: ChoiceDelta[]): string[] => {
  const nameOf = (block: Block) => (block.kind === 'call' ? `${block.id} ${block.name}` : block.kind)
  const blocks = createBlocks(
    {
      opened: (block) => `open ${nameOf(block)}\n`,
      added: (_, text) => `${text}\n`,
      closed: (block, isLast) => {
        const end = block.kind === 'reasoning' && block.signature ? ` signed ${block.signature}` : ''
        const sealed = block.kind === 'sealed' ? ` ${JSON.stringify(block.sealed)}` : ''
        return `close${end}${sealed}${isLast ? ' at last' : ''}\n`
      },
    },
    (index) => `made-${index}`,
  )
  const told = deltas.map((delta) => blocks.add(delta, [])).join('')
  return (told + blocks.finish()).trim().split('\n')
}

const call = (index: number, more: Omit<ToolCallDelta, 'index'>): ChoiceDelta => ({ tool_calls: [{ index, ...more }] })

test('one block ends before the next one begins', () => {
  assert.deepEqual(tell({ reasoning_content: 'a' }, { reasoning_content: 'b' }, { content: 'c' }, { content: 'd' }), [
    'open reasoning',
    'a',
    'b',
    'close',
    'open text',
    'c',
    'd',
    'close at last',
  ])
})

test('a signature ends a thought, whether it repeats the text or brings it', () => {
  const signed = (text: string, data: string) => ({ reasoning_details: [{ type: 'thinking', text, data }] })
  assert.deepEqual(tell({ reasoning_content: 'a' }, signed('a', 's1'), { reasoning_content: 'b' }, { content: 'c' }), [
    'open reasoning',
    'a',
    'close signed s1',
    'open reasoning',
    'b',
    'close',
    'open text',
    'c',
    'close at last',
  ])
  assert.deepEqual(tell(signed('a', 's1')), ['open reasoning', 'a', 'close signed s1 at last'])
})

test('reasoning that comes only in details is told, and what must come back is put together', () => {
  const piece = (more: object) => ({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...more }] })
  assert.deepEqual(tell(piece({ text: 'a' }), piece({ text: 'b' }), piece({ signature: 's' }), { content: 'c' }), [
    'open reasoning',
    'a',
    'b',
    'close',
    'open sealed',
    'close {"details":[{"type":"reasoning.text","index":0,"text":"ab","signature":"s"}]}',
    'open text',
    'c',
    'close at last',
  ])
})

test('details that only repeat the reasoning are not told twice', () => {
  const detail = { type: 'reasoning.text', text: 'a', index: 0, format: null, id: 'r' }
  assert.deepEqual(tell({ reasoning_content: 'a', reasoning_details: [detail] }), [
    'open reasoning',
    'a',
    'close at last',
  ])
})

test('text waits for a call that is not complete, and does not wait for one that is', () => {
  const start = call(0, { id: 'c', function: { name: 'f', arguments: '{"a"' } })
  assert.deepEqual(tell(start, { content: 'x' }, call(0, { function: { arguments: ':1}' } }), { content: 'y' }), [
    'open c f',
    '{"a"',
    ':1}',
    'close',
    'open text',
    'xy',
    'close at last',
  ])
})

test('a call without an id gets one, and begins when its name is known', () => {
  assert.deepEqual(
    tell(
      call(1, { function: { arguments: '{' } }),
      call(1, { function: { name: 'f' } }),
      call(1, { function: { arguments: '}' } }),
    ),
    ['open made-1 f', '{', '}', 'close at last'],
  )
})

test('nothing at all is an empty text', () => {
  assert.deepEqual(tell({ role: 'assistant', content: '' }), ['open text', 'close at last'])
})

test('however calls are mixed, each is told once and whole, in the order in which they began', () => {
  const anyOrder = fc.infiniteStream(fc.nat())
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), anyCut, anyOrder, (texts, cut, order) => {
      const whole = texts.map((text) => JSON.stringify({ text }))
      const rest = whole.map((text, index) => cut(text).map((piece) => call(index, { function: { arguments: piece } })))
      const deltas = whole.map((_, index) => call(index, { id: `c${index}`, function: { name: 'f' } }))
      while (rest.some((pieces) => pieces.length > 0)) {
        const left = rest.filter((pieces) => pieces.length > 0)
        deltas.push(left[(order.next().value as number) % left.length]!.shift()!)
      }
      const told = tell(...deltas)
        .join('\n')
        .split(/\nclose(?: at last)?(?:\n|$)/)
        .filter((text) => text !== '')
        .map((text) => text.split('\n'))
      assert.deepEqual(
        told.map(([opened, ...pieces]) => [opened, pieces.join('')]),
        whole.map((text, index) => [`open c${index} f`, text]),
      )
    }),
  )
})
