import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { after, test } from 'node:test'
import { neverStops } from '#plumbing/stop-signal.js'
import { createPixels } from '../pixels/pixels.js'
import { sharp } from '../pixels/sharp.js'

const pixels = createPixels()
after(() => pixels.close())

test('the threads of the picture library come after requests', {
  skip: process.platform !== 'linux' && 'only Linux knows priorities of threads',
}, async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const picture = sharp({ create: { width: 3000, height: 3000, channels: 3, noise, background: '#000' } })
  const bytes = await picture.jpeg().toBuffer()
  // What starts late in a job is found in the next.
  for (let job = 0; job < 2; job++) await pixels.normalise({ bytes, width: 3000, height: 3000 }, neverStops)
  const helpers = readdirSync('/proc/self/task').filter((id) =>
    readFileSync(`/proc/self/task/${id}/comm`, 'latin1').startsWith('libvips worker'),
  )
  assert.ok(helpers.length > 0)
  for (const id of helpers) assert.ok(getPriority(Number(id)) >= 10)
})
