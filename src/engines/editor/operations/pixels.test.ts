import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brown, edit, editBytes, grey, near, refusal } from '../fixtures/editing.js'
import { type Pixel, picture, plain, quarters } from '../fixtures/pictures.js'

/** Operations that make one colour of another. */
const colours: [string, Pixel, number[]][] = [
  ['brighten by 50%', brown, [180, 135, 90]],
  ['darken by 50%', brown, [60, 45, 30]],
  ['increase the contrast by 50%', brown, [116, 71, 26]],
  ['increase exposure by 1 stop', brown, [164, 123, 82]],
  ['gamma 2', [64, 64, 64, 255], [128, 128, 128]],
  ['saturation 0%', brown, [grey, grey, grey]],
  ['saturate 2x', [120, 100, 100, 255], [136, 96, 96]],
  ['hue shift by 180 degrees', [200, 100, 100, 255], [42, 142, 142]],
  ['invert', brown, [135, 165, 195]],
  ['sepia', [100, 100, 100, 255], [135, 120, 94]],
  ['duotone from black to white', brown, [grey, grey, grey]],
  ['duotone of #000040 and #ff8000', [255, 255, 255, 255], [255, 128, 0]],
  ['brighten by 50%, then invert', brown, [75, 120, 165]],
  ['turn red to blue', [220, 30, 30, 255], [31, 79, 223]],
  ['make the green lime', [30, 160, 40, 255], [117, 196, 13]],
  ['posterize', [100, 10, 250, 255], [85, 0, 255]],
  ['threshold', brown, [0, 0, 0]],
  ['fade', [0, 0, 0, 255], [25, 25, 25]],
]

for (const [prompt, from, to] of colours)
  test(`"${prompt}" makes ${to.map(Math.round)} of ${from.slice(0, 3)}`, async () => {
    const { at, width, height } = await edit(await plain(16, 12, from), prompt)
    assert.deepEqual([width, height], [16, 12])
    near(at(8, 6), to)
    assert.equal(at(8, 6)[3], 255)
  })

test('black and white has no colours and keeps light', async () => {
  const { at, channels } = await edit(await quarters(), 'make it black and white')
  const [red, green, blue] = at(10, 50)
  assert.ok(red === green && green === blue && red > 40 && red < 120)
  near(at(40, 10), [255, 255, 255])
  assert.equal(channels, 3)
})

test('warmer is more red and less blue, cooler the other way round', async () => {
  const warm = (await edit(await plain(8, 8, [100, 100, 100, 255]), 'warmer')).at(4, 4)
  const cool = (await edit(await plain(8, 8, [100, 100, 100, 255]), 'cooler')).at(4, 4)
  assert.ok(warm[0] > 105 && warm[2] < 95, `${warm}`)
  assert.ok(cool[0] < 95 && cool[2] > 105, `${cool}`)
})

test('shadows lift dark tones more than light ones, and highlights the other way round', async () => {
  const steps = await picture(
    3,
    1,
    (x) =>
      [
        [40, 40, 40, 255],
        [128, 128, 128, 255],
        [220, 220, 220, 255],
      ][x] as Pixel,
  )
  const lifted = await edit(steps, 'lift the shadows')
  assert.ok(lifted.at(0, 0)[0] - 40 > 12 && lifted.at(2, 0)[0] - 220 < 6, `${lifted.at(0, 0)} ${lifted.at(2, 0)}`)
  const held = await edit(steps, 'recover the highlights')
  assert.ok(220 - held.at(2, 0)[0] > 12 && 40 - held.at(0, 0)[0] < 6, `${held.at(2, 0)} ${held.at(0, 0)}`)
})

test('levels stretch what there is to black and white', async () => {
  const flat = await picture(64, 8, (x) => [90 + x, 90 + x, 90 + x, 255])
  const { at } = await edit(flat, 'auto levels')
  near(at(0, 4), [0, 0, 0], 6)
  near(at(63, 4), [255, 255, 255], 6)
})

test('faded colours are fixed per channel', async () => {
  const faded = await picture(64, 8, (x) => [120 + x, 90 + x, 60 + x, 255])
  const { at } = await edit(faded, 'fix the faded colors', { model: 'restore' })
  near(at(32, 4), [129, 129, 129], 8)
})

test('a colour that is not there is refused', async () => {
  await assert.rejects(edit(await plain(16, 16), 'turn blue to green'), refusal(/no such colour/))
})

test('one colour stays and the rest is grey', async () => {
  const { at } = await edit(await quarters(), 'keep only red')
  near(at(10, 50), [220, 30, 30])
  const [red, green, blue] = at(70, 50)
  assert.ok(red === green && green === blue)
})

test('an operation for a part of the picture leaves the rest as it was', async () => {
  const { at } = await edit(await plain(40, 20), 'brighten the left half by 50%')
  near(at(19, 10), [180, 135, 90])
  near(at(20, 10), brown, 0)
})

test('what a mask leaves opaque stays as it was', async () => {
  const mask = await picture(40, 20, (x) => [0, 0, 0, x < 10 ? 0 : 255])
  const { at } = await edit(await plain(40, 20), 'invert', { mask })
  near(at(4, 10), [135, 165, 195])
  near(at(20, 10), brown, 0)
})

test('blurring, pixelating and sharpening change edges and not flat colours', async () => {
  const edge = await picture(60, 60, (x) => (x < 30 ? [50, 50, 50, 255] : [200, 200, 200, 255]))
  const soft = await edit(edge, 'blur strongly')
  assert.ok(soft.at(29, 30)[0] > 90 && soft.at(30, 30)[0] < 170)
  near(soft.at(0, 30), [50, 50, 50])
  const sharp = await edit(edge, 'sharpen')
  assert.ok(sharp.at(29, 30)[0] < 50 && sharp.at(30, 30)[0] > 200)
  const checks = await picture(72, 72, (x, y) => ((x + y) % 2 ? [0, 0, 0, 255] : [255, 255, 255, 255]))
  const coarse = await edit(checks, 'pixelate the top left corner')
  near(coarse.at(5, 5), [128, 128, 128], 6)
  near(coarse.at(60, 60), [255, 255, 255], 0)
  const moved = await edit(edge, 'motion blur')
  assert.ok(moved.at(29, 30)[0] > 60)
  const zoomed = await edit(edge, 'zoom blur')
  near(zoomed.at(2, 30), [50, 50, 50])
})

test('noise goes and edges stay; specks go', async () => {
  const noisy = await picture(60, 40, (x, y) => {
    const value = (x < 30 ? 60 : 190) + ((x * 7 + y * 13) % 5) * 4 - 8
    return [value, value, value, 255]
  })
  const clean = await edit(noisy, 'remove the noise', { model: 'restore' })
  const spread = (x: number) =>
    Math.max(...[10, 11, 12, 13, 14].map((y) => clean.at(x, y)[0])) -
    Math.min(...[10, 11, 12, 13, 14].map((y) => clean.at(x, y)[0]))
  assert.ok(spread(15) <= 6, `${spread(15)}`)
  assert.ok(clean.at(31, 20)[0] - clean.at(28, 20)[0] > 100)
  const dusty = await picture(60, 40, (x, y) => (x === 20 || (x === 40 && y === 10) ? [255, 255, 255, 255] : brown))
  const repaired = await edit(dusty, 'remove dust and scratches', { model: 'restore' })
  near(repaired.at(20, 20), brown)
  near(repaired.at(40, 10), brown)
})

test('vignette, grain, light leaks and glow do what they are called', async () => {
  const base = await plain(60, 60, [150, 150, 150, 255])
  const dark = await edit(base, 'strong vignette')
  assert.ok(dark.at(0, 0)[0] < 60)
  near(dark.at(30, 30), [150, 150, 150])
  const white = await edit(base, 'white vignette')
  assert.ok(white.at(0, 0)[0] > 180)
  const [first, second, other] = await Promise.all([1, 1, 2].map((seed) => editBytes(base, 'film grain', { seed })))
  assert.deepEqual(first, second)
  assert.notDeepEqual(first, other)
  const leak = await edit(base, 'add light leaks')
  assert.ok([...Array(60).keys()].some((y) => leak.at(0, y)[0] - leak.at(0, y)[2] > 40))
  assert.ok((await edit(base, 'dreamy glow')).at(30, 30)[0] > 155)
})
