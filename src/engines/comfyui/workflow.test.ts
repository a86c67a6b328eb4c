import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fillWorkflow, placeholdersIn, type Workflow } from './workflow.js'

const workflow = (inputs: Record<string, unknown>): Workflow => ({ 1: { class_type: 'Any', inputs } })
const fill = (inputs: Record<string, unknown>, asked = {}, usual = {}) =>
  fillWorkflow(workflow(inputs), asked, usual)['1']?.inputs

test('a text that is one placeholder becomes the value itself, within a longer one it is text', () => {
  const inputs = { a: '{{seed}}', b: 'x {{seed}} {{prompt}} y', c: ['4', 0], d: { e: ['{{seed}}'] }, f: true, g: null }
  assert.deepEqual(fill(inputs, { seed: 7, prompt: 'fox' }), {
    ...{ a: 7, b: 'x 7 fox y', c: ['4', 0], d: { e: [7] }, f: true, g: null },
  })
})

test('what was asked for counts before what stands in the placeholder, and that before what is usual', () => {
  const inputs = {
    steps: '{{steps=8}}',
    cfg: '{{cfg}}',
    text: '{{negative_prompt=a, b}}',
    none: '{{negative_prompt=}}',
  }
  const usual = { steps: 20, cfg: 7, negative_prompt: 'usual' }
  assert.deepEqual(fill(inputs, {}, usual), { steps: 8, cfg: 7, text: 'a, b', none: '' })
  const asked = { steps: 3, cfg: 2, negative_prompt: 'c' }
  assert.deepEqual(fill(inputs, asked, usual), { steps: 3, cfg: 2, text: 'c', none: 'c' })
})

test('a placeholder without a value is refused by its name', () => {
  assert.throws(() => fill({ image: '{{image2}}' }), { trouble: 'refused', said: 'image2 is missing' })
  assert.deepEqual(
    placeholdersIn(workflow({ a: '{{seed}} {{steps=8}}', b: ['{{mask}}'] })),
    new Set(['seed', 'steps', 'mask']),
  )
})

test('whatever a prompt holds, it arrives as it is and changes nothing else', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('{{seed}}', '{{prompt}}', '$&', '$1', '"', '\\', '}}', '{{'),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const prompt = pieces.join('')
      const before = { text: '{{prompt}}', long: 'a {{prompt}} b', seed: '{{seed}}', link: ['2', 0] }
      assert.deepEqual(fill(before, { prompt, seed: 1 }), {
        text: prompt,
        long: `a ${prompt} b`,
        seed: 1,
        link: ['2', 0],
      })
    }),
  )
})
