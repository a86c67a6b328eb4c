import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InputPicture } from '../../image.js'
import { edit, refusal } from '../fixtures/editing.js'
import { type Pixel, picture, plain, quarters, see } from '../fixtures/pictures.js'

const greyWith = (light: number): Pixel => [light, light, light, 255]
const greySteps = () => picture(40, 30, (x) => greyWith(40 + x * 4))

const idle: [string, () => Promise<InputPicture>][] = [
  ['increase the saturation', greySteps],
  ['shift the hue by 90 degrees', greySteps],
  ['more vibrant colors', greySteps],
  ['brighten by 0%, contrast by 0%', quarters],
  ['remove the scratches', () => plain(40, 30)],
  ['brighten by 0% in the left half', quarters],
  ['rotate by 360 degrees', quarters],
]
for (const [prompt, image] of idle)
  test(`"${prompt}" is refused where it changes nothing`, async () => {
    const untouched = await image()
    await assert.rejects(edit(untouched, prompt), refusal(/would stay as it is/))
  })

test('a mask that lets nothing through leaves nothing to deliver', async () => {
  const mask = await picture(80, 60, () => [0, 0, 0, 255])
  await assert.rejects(edit(await quarters(), 'invert', { mask }), refusal(/would stay as it is/))
})

const states: [string, () => Promise<InputPicture>][] = [
  ['make it black and white', greySteps],
  ['auto levels', () => picture(40, 30, (x) => greyWith(x % 2 === 0 ? 0 : 255))],
  ['crop to a square', () => plain(30, 30)],
  ['resize to 80x60', quarters],
]
for (const [prompt, image] of states)
  test(`"${prompt}" is fulfilled by a picture that is so already`, async () => {
    const asked = await image()
    const before = await see(asked.bytes)
    const after = await edit(asked, prompt)
    for (const [x, y] of [
      [3, 4],
      [20, 25],
    ] as const)
      assert.deepEqual(after.at(x, y), before.at(x, y))
  })

test('one step that changes something is enough', async () => {
  const result = await edit(await greySteps(), 'increase the saturation and invert it')
  assert.deepEqual(result.at(0, 0), greyWith(215))
})
