import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createThinkRemover, removeThinking } from './thinking.js'

test('a block goes, with the white space after it; the rest stays', () => {
  assert.equal(removeThinking('<think>hm</think>\n\nTwo.'), 'Two.')
  assert.equal(removeThinking('One.<think>a</think> Two.<think>b</think>'), 'One.Two.')
  assert.equal(removeThinking('no thoughts, 1 < 2 <thin'), 'no thoughts, 1 < 2 <thin')
})

test('a block that never ends is thinking to its end', () => {
  assert.equal(removeThinking('Well<think>and then'), 'Well')
})

test('however the text is cut into pieces, the same is left', () => {
  const text = fc
    .array(fc.constantFrom('<think>', '</think>', '<', '<th', 'ink>', '</', ' ', '\n', 'word', 'é', '>'))
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, fc.array(fc.nat(40)), (whole, cuts) => {
      const remover = createThinkRemover()
      const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]
      let left = ''
      places.forEach((place, index) => {
        left += remover.push(whole.slice(place, places[index + 1] ?? place))
      })
      assert.equal(left + remover.end(), removeThinking(whole))
    }),
  )
})
