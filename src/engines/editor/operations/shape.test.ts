import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brown, edit, near, refusal } from '../fixtures/editing.js'
import { type Pixel, picture, plain, quarters, type Seen } from '../fixtures/pictures.js'

test('crops have the shape and the place that was asked for', async () => {
  const image = await quarters(80, 60)
  const square = await edit(image, 'crop to square')
  assert.deepEqual([square.width, square.height], [60, 60])
  const left = await edit(image, 'crop to the bottom left quarter')
  assert.deepEqual([left.width, left.height], [40, 30])
  near(left.at(20, 15), [220, 30, 30])
  const wide = await edit(image, 'crop to 16:9')
  assert.deepEqual([wide.width, wide.height], [80, 45])
  const pixels = await edit(image, 'crop to 20x10 at the bottom right')
  assert.deepEqual([pixels.width, pixels.height], [20, 10])
  near(pixels.at(0, 0), [30, 60, 220])
  const later = await edit(image, 'invert, crop 50% off the top')
  assert.deepEqual([later.width, later.height], [80, 30])
  near(later.at(10, 10), [35, 225, 225])
  const dog = await edit(image, 'crop to the dog')
  assert.ok(dog.width >= 40 && dog.width <= 50 && dog.height >= 30 && dog.height <= 38, `${dog.width}x${dog.height}`)
})

test('a crop takes the pixels that the image has, within those that were ordered', async () => {
  const large = await quarters(400, 300)
  const half = await edit(large, 'crop to the right half', { width: 80, height: 60 })
  assert.ok(half.width * half.height <= 4800 && half.width * half.height > 4500, `${half.width}x${half.height}`)
  assert.ok(Math.abs(half.width / half.height - 200 / 300) < 0.03)
})

test('turning and flipping move corners', async () => {
  const corner = await picture(40, 20, (x, y) => (x < 10 && y < 10 ? [255, 0, 0, 255] : [0, 0, 0, 255]))
  const right = await edit(corner, 'rotate right')
  assert.deepEqual([right.width, right.height, right.at(18, 2)[0]], [20, 40, 255])
  const left = await edit(corner, 'rotate 90 degrees counterclockwise')
  assert.deepEqual([left.width, left.height, left.at(2, 38)[0]], [20, 40, 255])
  assert.equal((await edit(corner, 'turn it upside down')).at(38, 18)[0], 255)
  assert.equal((await edit(corner, 'mirror it')).at(38, 2)[0], 255)
  assert.equal((await edit(corner, 'flip vertically')).at(2, 18)[0], 255)
  assert.equal((await edit(corner, 'flip it, then rotate right, then flip it')).at(2, 38)[0], 255)
  const tilted = await edit(corner, 'rotate 45 degrees', { width: 40, height: 20 })
  assert.equal(tilted.at(0, 0)[3], 0)
  assert.ok(tilted.width * tilted.height <= 800)
})

test('resizing follows the prompt within the pixels that were ordered', async () => {
  const image = await quarters(80, 60)
  const half = await edit(image, 'resize to half')
  assert.deepEqual([half.width, half.height], [40, 30])
  const exact = await edit(image, 'resize to 60x70')
  assert.deepEqual([exact.width, exact.height], [60, 70])
  const wide = await edit(image, 'resize to 40 pixels wide')
  assert.deepEqual([wide.width, wide.height], [40, 30])
  await assert.rejects(edit(image, 'resize to 800x600'), refusal(/800x600 is larger.*larger resolution/))
  await assert.rejects(edit(image, 'make it half the size', { hasFixedShape: true }), refusal(/leave out one/))
})

test('an untouched shape has the ordered size, a fixed shape always', async () => {
  const image = await quarters(80, 60)
  const larger = await edit(image, 'invert', { width: 160, height: 120 })
  assert.deepEqual([larger.width, larger.height], [160, 120])
  for (const prompt of [
    'invert',
    'rotate right',
    'add a 5px red border',
    'polaroid',
    'crop to the left half',
    'rotate 30 degrees',
    'circle crop',
    'add a drop shadow',
    'add the text "Hi"',
  ]) {
    const { width, height } = await edit(image, prompt, { width: 50, height: 70, hasFixedShape: true })
    assert.deepEqual([prompt, width, height], [prompt, 50, 70])
  }
})

test('a frame in a fixed shape is whole', async () => {
  const { at } = await edit(await plain(80, 60), 'add a 5px red border', { width: 50, height: 70, hasFixedShape: true })
  for (const [x, y] of [
    [0, 0],
    [49, 69],
    [4, 35],
    [45, 35],
    [25, 4],
    [25, 65],
  ] as const)
    near(at(x, y), [224, 32, 32], 12)
  near(at(25, 35), brown, 4)
})

test('borders, polaroids, round corners and shadows', async () => {
  const image = await plain(60, 40)
  const bordered = await edit(image, 'add a 10% blue border', { width: 600, height: 400 })
  assert.ok(bordered.width * bordered.height <= 240_000)
  near(bordered.at(5, 5), [32, 80, 224])
  near(bordered.at(300, 200), brown)
  const inside = await edit(image, 'add a 4px white inner border')
  assert.deepEqual([inside.width, inside.height], [60, 40])
  near(inside.at(2, 20), [255, 255, 255])
  near(inside.at(5, 20), brown)
  const rounded = await edit(image, 'rounded corners of 25%')
  assert.equal(rounded.at(0, 0)[3], 0)
  assert.equal(rounded.at(30, 0)[3], 255)
  const circle = await edit(image, 'crop to a circle')
  assert.deepEqual([circle.width, circle.height, circle.at(0, 0)[3], circle.at(20, 20)[3]], [40, 40, 0, 255])
  const polaroid = await edit(image, 'polaroid', { width: 600, height: 400 })
  near(polaroid.at(300, polaroid.height - 10), [250, 249, 246])
  const shadow = await edit(image, 'add a drop shadow', { width: 300, height: 200 })
  const below = shadow.at(150, shadow.height - 9)
  assert.ok(below[3] > 10 && below[3] < 250 && below[0] < 20, `${below}`)
})

test('text is written where and in the colour that was asked for', async () => {
  const image = await plain(300, 200, [0, 0, 0, 255])
  const rows = ({ at }: Seen, from: number, to: number, is: (pixel: Pixel) => boolean) => {
    let count = 0
    for (let y = from; y < to; y++) for (let x = 0; x < 300; x++) if (is(at(x, y))) count++
    return count
  }
  const isRed = ([red, green]: Pixel) => red > 180 && green < 80
  const top = await edit(image, 'add the text "HELLO" at the top in red')
  assert.ok(rows(top, 0, 60, isRed) > 100)
  assert.equal(rows(top, 60, 200, isRed), 0)
  const bottom = await edit(image, 'write "HELLO" in the bottom left corner, red')
  assert.ok(rows(bottom, 140, 200, isRed) > 100)
  const isInk = ([red]: Pixel) => red > 180
  assert.ok(
    rows(await edit(image, 'add "HELLO" in big letters in the center'), 60, 140, isInk) >
      rows(await edit(image, 'add a small "HELLO" in the center'), 60, 140, isInk) * 2,
  )
  const long = await edit(image, `add the text "${'many words '.repeat(40)}"`)
  assert.equal(rows(long, 0, 10, isInk), 0)
  const strange = await edit(image, 'add the text "<&>\u0007 \\" ]]>" at the top')
  assert.ok(rows(strange, 0, 60, isInk) > 20)
})
