import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRoom, Place, uncountedBytes } from './room.js'

test('a room is never fuller than it may be, and empty when all have left', () => {
  const step = fc.record({ who: fc.nat(4), bytes: fc.option(fc.nat(300_000)) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 1_000_000 }), (steps, max) => {
      const room = createRoom(() => max)
      const places = Array.from({ length: 5 }, () => new Place(room))
      for (const { who, bytes } of steps) {
        const place = places[who] as Place
        // Who found no room has to go.
        if (bytes === null || !place.grow(bytes)) place.leave()
        const counted = places.map((one) => (one.bytes > uncountedBytes ? one.bytes : 0))
        assert.equal(
          room.taken(),
          counted.reduce((sum, more) => sum + more),
        )
        assert.ok(room.taken() <= max)
      }
      for (const place of places) place.leave()
      assert.equal(room.taken(), 0)
    }),
  )
})
