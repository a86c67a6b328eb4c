import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NodeError } from '#engines/nodes/node.js'
import { type Outcome, withinBounds } from './outcome.js'

const max = 10_000
const lengths = (outcomes: Outcome[]) => outcomes.map((outcome) => ('result' in outcome ? outcome.result.length : 0))

test('one answer that is asked for a hundred times is not given a hundred times if it is large', () => {
  const large: Outcome = { result: 'x'.repeat(max), source: 'cache' }
  const bounded = withinBounds(new Array<Outcome>(100).fill(large), max)
  assert.deepEqual(lengths(bounded), [...new Array(4).fill(max), ...new Array(96).fill(0)])
  for (const outcome of bounded.slice(4)) assert.ok('failed' in outcome && outcome.failed.trouble === 'tooLarge')
})

test('whatever a batch comes to, its answers are bounded, and what is short stays: it may be that of a transaction', () =>
  fc.assert(
    fc.property(fc.array(fc.nat({ max }), { maxLength: 100 }), (sizes) => {
      const outcomes = sizes.map(
        (size): Outcome =>
          size % 3 === 0
            ? { failed: new NodeError('unknown', '') }
            : ({ [size % 3 === 1 ? 'result' : 'error']: 'x'.repeat(size), source: 'node' as const } as Outcome),
      )
      const before = [...outcomes]
      let bytes = 0
      for (const [place, outcome] of withinBounds(outcomes, max).entries()) {
        if ((sizes[place] as number) <= 1_024) assert.equal(outcome, before[place])
        if ('result' in outcome) bytes += outcome.result.length
        if ('error' in outcome) bytes += outcome.error.length
      }
      assert.ok(bytes <= 4 * max + 100 * 1_024)
    }),
  ))
