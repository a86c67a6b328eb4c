import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../../engine-error.js'
import type { InputPicture } from '../../image.js'
import { createEdit } from '../edit.js'
import { type Pixel, picture, plain, quarters, see } from '../fixtures/pictures.js'
import { fakeTools } from '../fixtures/tools.js'

const edit = async (image: InputPicture, prompt: string, mask?: InputPicture) => {
  const { width, height } = image
  const wish = { model: 'general', prompt, images: [image], mask, width, height, hasFixedShape: false, seed: 1 }
  const { bytes } = await createEdit(fakeTools())(
    { ...wish, format: 'png' },
    { check: () => {}, isStopped: () => false },
  )
  return see(bytes)
}

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
    await assert.rejects(edit(untouched, prompt), (error: unknown) => {
      assert.ok(error instanceof EngineError && error.trouble === 'refused', String(error))
      assert.match(error.said ?? '', /would stay as it is/)
      return true
    })
  })

test('a mask that lets nothing through leaves nothing to deliver', async () => {
  const solid = await picture(80, 60, () => [0, 0, 0, 255])
  await assert.rejects(edit(await quarters(), 'invert', solid), /changes nothing/)
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
