import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { enhanceEdit, enhanceScene } from './enhance-by-rules.js'

const fine = { lightness: 0.6, contrast: 0.3, saturation: 0.5 }

test('a scene gains what it leaves open, and keeps what it says', () => {
  const better = enhanceScene('a cat')
  assert.match(better ?? '', /^a cat, .+, .+, .+ mood$/)
  assert.equal(enhanceScene('a cat'), better, 'always the same')
  assert.doesNotMatch(enhanceScene('a cat at night') ?? '', /sunrise|golden|bright day|evening/)
  assert.equal(enhanceScene('a calm forest at night'), undefined)
})

test('an edit gains what its picture needs, unless it is about that', () => {
  assert.equal(enhanceEdit('crop it to a square', fine), undefined)
  assert.equal(enhanceEdit('crop it.', { ...fine, lightness: 0.2 }), 'crop it, brighten it slightly')
  assert.match(enhanceEdit('flip it', { ...fine, contrast: 0.05 }) ?? '', /^flip it, increase the contrast slightly$/)
  assert.match(enhanceEdit('flip it', { ...fine, saturation: 0.1 }) ?? '', /more vivid$/)
  assert.equal(enhanceEdit('make it darker', { ...fine, lightness: 0.2 }), undefined)
})

test('whatever is said stays at the beginning', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (prompt) => {
      const kept = prompt.trim().replace(/[\s,.;]+$/, '')
      assert.ok(enhanceScene(prompt)?.startsWith(kept) ?? true)
      assert.ok(enhanceEdit(prompt, { lightness: 0, contrast: 0, saturation: 0 })?.startsWith(kept) ?? true)
    }),
  )
})
