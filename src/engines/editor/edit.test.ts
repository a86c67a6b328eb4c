import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../engine-error.js'
import type { InputPicture } from '../image.js'
import { sharp } from '../pixels/sharp.js'
import { createEdit, type EditInput } from './edit.js'
import { type Pixel, picture, plain, quarters, type Seen, see } from './fixtures/pictures.js'
import { fakeTools } from './fixtures/tools.js'

const going = { isStopped: () => false, check() {} }

type Wish = Partial<Omit<EditInput, 'images'>> & { images?: InputPicture[]; tools?: ReturnType<typeof fakeTools> }

const editBytes = async (
  image: InputPicture,
  prompt: string,
  { tools = fakeTools(), images = [], ...wish }: Wish = {},
) => {
  const { width, height } = image
  const usual = { model: 'general', width, height, hasFixedShape: false, format: 'png' as const, seed: 1 }
  const { bytes } = await createEdit(tools)({ ...usual, prompt, images: [image, ...images], ...wish }, going)
  return bytes
}
const edit = async (image: InputPicture, prompt: string, wish: Wish = {}): Promise<Seen> =>
  see(await editBytes(image, prompt, wish))

const near = (actual: Pixel, expected: number[], tolerance = 3) =>
  assert.ok(
    expected.every((value, index) => Math.abs(value - (actual[index] as number)) <= tolerance),
    `${actual} is not about ${expected}`,
  )

const refusal =
  (said: RegExp, trouble = 'refused') =>
  (error: unknown) => {
    assert.ok(error instanceof EngineError, String(error))
    assert.equal(error.trouble, trouble)
    assert.match(error.said ?? '', said)
    return true
  }

const brown: Pixel = [120, 90, 60, 255]
const grey = 120 * 0.2126 + 90 * 0.7152 + 60 * 0.0722

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

test('backgrounds are filled, blurred, greyed and taken away behind the subject', async () => {
  const image = await plain(40, 40)
  const red = await edit(image, 'replace the background with red', { model: 'background' })
  near(red.at(2, 2), [224, 32, 32])
  near(red.at(20, 20), brown)
  const gone = await edit(image, 'remove the background')
  assert.deepEqual([gone.at(2, 2)[3], gone.at(20, 20)[3]], [0, 255])
  const flat = await edit(image, 'remove the background', { format: 'jpeg' })
  near(flat.at(2, 2), [255, 255, 255])
  const gradient = await edit(image, 'replace the background with a gradient from black to white')
  near(gradient.at(2, 0), [0, 0, 0])
  near(gradient.at(2, 39), [255, 255, 255])
  const other = await edit(image, 'replace the background with the second image', {
    images: [await plain(10, 10, [0, 0, 255, 255])],
  })
  near(other.at(2, 2), [0, 0, 255])
  near(other.at(20, 20), brown)
  const grey = await edit(image, 'make the background black and white')
  assert.equal(grey.at(2, 2)[0], grey.at(2, 2)[2])
  near(grey.at(20, 20), brown)
  const lines = await picture(40, 40, (x) => (x % 2 ? [0, 0, 0, 255] : [255, 255, 255, 255]))
  const soft = await edit(lines, 'blur the background strongly')
  assert.ok(Math.abs(soft.at(2, 20)[0] - soft.at(3, 20)[0]) < 60)
  near(soft.at(20, 20), [255, 255, 255], 0)
  near(soft.at(21, 20), [0, 0, 0], 0)
})

test('the subject is looked for once as long as the picture keeps its shape', async () => {
  const tools = fakeTools()
  await edit(await plain(40, 40), 'darken the background, blur the background', { tools })
  assert.deepEqual(tools.used, ['cutter'])
})

test('what is removed is filled, and nothing else', async () => {
  const image = await plain(60, 60)
  const dog = await edit(image, 'remove the dog')
  near(dog.at(30, 30), [255, 0, 255])
  near(dog.at(5, 5), brown, 0)
  const corner = await edit(image, 'remove the object in the top left corner', { model: 'mask-fill' })
  near(corner.at(5, 5), [255, 0, 255])
  near(corner.at(30, 30), brown, 0)
  await assert.rejects(edit(image, 'remove the cat'), refusal(/no cat was found/))
  await assert.rejects(edit(image, 'remove the dog on the left'), refusal(/no dog was found/))
})

test('mask-fill: the mask, else the second image, else what is transparent, else the prompt', async () => {
  const model = 'mask-fill'
  const image = await plain(60, 60)
  const mask = await picture(60, 60, (x) => [0, 0, 0, x < 20 ? 0 : 255])
  const masked = await edit(image, 'remove the dog', { model, mask })
  near(masked.at(10, 30), [255, 0, 255])
  near(masked.at(30, 30), brown, 0)
  const white = await picture(30, 30, (_, y) => (y < 10 ? [255, 255, 255, 255] : [0, 0, 0, 255]))
  const second = await edit(image, 'fill it', { model, images: [white] })
  near(second.at(30, 10), [255, 0, 255])
  near(second.at(30, 50), brown, 0)
  const holed = await picture(60, 60, (x) => (x > 50 ? [0, 0, 0, 0] : brown))
  const own = await edit(holed, 'remove the lamp', { model })
  near(own.at(58, 30), [255, 0, 255, 255])
  near(own.at(30, 30), brown, 0)
  await assert.rejects(edit(image, 'remove the lamp', { model }), refusal(/mask.*transparent.*top left.*the dog/))
  await assert.rejects(edit(image, 'please', { model }), refusal(/mask/))
  const empty = await picture(60, 60, () => [0, 0, 0, 255])
  await assert.rejects(edit(image, 'remove it', { model, mask: empty }), refusal(/marks nothing/))
})

test('layers lie where they were put', async () => {
  const image = await plain(100, 100)
  const blue = await plain(10, 10, [0, 0, 255, 255])
  const placed = await edit(image, 'put the logo in the bottom right corner at 20%', {
    model: 'layers',
    images: [blue],
  })
  near(placed.at(90, 90), [0, 0, 255])
  near(placed.at(70, 90), brown)
  near(placed.at(99, 99), brown)
  const half = await edit(image, 'overlay the second image with 50% opacity', { images: [blue] })
  near(half.at(50, 50), [60, 45, 158])
  const round = await edit(image, 'put the second image in the center at 40% as a circle', { images: [blue] })
  near(round.at(50, 50), [0, 0, 255])
  near(round.at(32, 32), brown)
  const product = await edit(image, 'multiply blend', { images: [await plain(10, 10, [128, 128, 128, 255])] })
  near(product.at(50, 50), [60, 45, 30])
})

test('images beside, below and around each other', async () => {
  const image = await plain(100, 100)
  const blue = await plain(50, 100, [0, 0, 255, 255])
  const row = await edit(image, 'side by side', { model: 'layers', images: [blue] })
  assert.ok(
    row.width * row.height <= 10_000 && Math.abs(row.width / row.height - 1.5) < 0.05,
    `${row.width}x${row.height}`,
  )
  near(row.at(5, 5), brown)
  near(row.at(row.width - 5, 5), [0, 0, 255])
  const column = await edit(image, 'stack them vertically', { model: 'layers', images: [blue] })
  assert.ok(column.height > column.width)
  near(column.at(5, column.height - 5), [0, 0, 255])
  const grid = await edit(image, 'make a collage', { model: 'layers', images: [blue, blue, blue] })
  assert.deepEqual([grid.width, grid.height], [100, 100])
  near(grid.at(25, 25), brown)
  near(grid.at(75, 75), [0, 0, 255])
  near(grid.at(0, 0), [255, 255, 255])
  const scattered = await edit(image, 'as polaroids', { model: 'layers', images: [blue] })
  assert.deepEqual([scattered.width, scattered.height], [100, 100])
  near(scattered.at(0, 0), [214, 203, 188])
  await assert.rejects(edit(image, 'invert', { images: [blue] }), refusal(/images\.1/))
  await assert.rejects(
    edit(image, 'put the second image in the center', { images: [blue, blue] }),
    refusal(/images\.2/),
  )
})

test('styles come after the other operations, and before text and frames', async () => {
  const tools = fakeTools()
  const { at, width, height } = await edit(
    await plain(60, 40),
    'crop to square, add a 5px red border, a lovely harbour at dawn',
    { model: 'style:oil-painting', quality: 'low', tools },
  )
  assert.deepEqual(tools.used, ['oil-painting usual low'])
  assert.equal(width, height)
  near(at(0, 0), [224, 32, 32])
  near(at(20, 20), [0, 200, 0])
  await edit(await plain(20, 20), 'a subtle watercolor of my cat', { model: 'style:watercolor', tools })
  assert.match(tools.used[1] as string, /^watercolor 0\.\d+ medium$/)
  const several = await edit(await plain(60, 40), 'watercolor', {
    model: 'style:watercolor',
    images: [await plain(60, 40)],
  })
  near(several.at(30, 20), [0, 200, 0])
  await edit(await plain(20, 20), 'make it look like a comic', { tools })
  assert.match(tools.used[2] as string, /^comic-book/)
  for (const prompt of [
    'add a dragon',
    'replace the man with a robot',
    'make him wear a hat',
    'pop art',
    'watercolor, add a hat',
  ])
    await assert.rejects(edit(await plain(20, 20), prompt, { model: 'style:watercolor' }), refusal(/watercolor/))
})

test('a model refuses what it does not do, and says what it does', async () => {
  const image = await plain(20, 20)
  await assert.rejects(
    edit(image, 'add a dragon'),
    refusal(/^"add a dragon" was not understood; this model can.*"make it black and white"/),
  )
  await assert.rejects(
    edit(image, 'crop to square', { model: 'color-light' }),
    refusal(/another shape.*colours and light/),
  )
  await assert.rejects(edit(image, 'black and white', { model: 'background' }), refusal(/behind the subject/))
  await assert.rejects(edit(image, 'watercolor', { model: 'restore' }), refusal(/another style.*repairs/))
  await assert.rejects(edit(image, 'please, high quality'), refusal(/no change/))
  await assert.rejects(edit(image, ''), refusal(/no change/))
  await assert.rejects(
    edit(image, 'warmer', { model: 'color-light', images: [image] }),
    refusal(/one image, and 2 came/),
  )
  await assert.rejects(edit(image, 'rotate, '.repeat(60)), refusal(/more than 40/))
})

test('a model that does not exist is no fault of the caller', async () => {
  for (const model of ['style:nothing', 'toString'])
    await assert.rejects(
      edit(await plain(4, 4), 'invert', { model }),
      (error: EngineError) => error.trouble === 'unavailable',
    )
})

test('formats, with transparency where they have it', async () => {
  const image = await picture(40, 40, (x) => (x < 20 ? [0, 0, 0, 0] : brown))
  for (const format of ['png', 'webp'] as const) {
    const seen = await edit(image, 'invert', { format })
    assert.deepEqual([seen.format, seen.at(5, 5)[3], seen.at(30, 5)[3]], [format, 0, 255])
    near(seen.at(30, 20), [135, 165, 195], 6)
  }
  const flat = await edit(image, 'invert', { format: 'jpeg' })
  assert.equal(flat.format, 'jpeg')
  near(flat.at(5, 20), [255, 255, 255], 6)
})

test('a photograph that was taken upright stays upright', async () => {
  const corner = await picture(40, 20, (x, y) => (x < 10 && y < 10 ? [255, 0, 0, 255] : [0, 0, 0, 255]))
  const bytes = await sharp(corner.bytes).withMetadata({ orientation: 6 }).jpeg({ quality: 100 }).toBuffer()
  const turned = { bytes, width: 20, height: 40 }
  const upright = await edit(turned, 'brighten by 1%')
  assert.deepEqual([upright.width, upright.height], [20, 40])
  assert.ok(upright.at(16, 3)[0] > 200)
  const half = await edit(turned, 'crop to the top half')
  assert.deepEqual([half.width, half.height], [20, 20])
  assert.ok(half.at(16, 3)[0] > 200)
  const back = await edit(turned, 'rotate left')
  assert.deepEqual([back.width, back.height], [40, 20])
  assert.ok(back.at(3, 3)[0] > 200)
})

test('an image that is cut off is named', async () => {
  const photo = await picture(200, 200, (x, y) => [x, y, (x * y) % 255, 255], 'jpeg')
  const broken = { ...photo, bytes: photo.bytes.slice(0, photo.bytes.length / 2) }
  await assert.rejects(edit(broken, 'invert'), refusal(/^image is cut off or broken$/, 'unreadable'))
  await assert.rejects(
    edit(photo, 'side by side', { images: [broken] }),
    refusal(/^images\.1 is cut off or broken$/, 'unreadable'),
  )
  await assert.rejects(edit(photo, 'remove it', { mask: broken }), refusal(/^mask is cut off or broken$/, 'unreadable'))
})

test('an edit that nobody wants stops', async () => {
  let checks = 0
  const stop = {
    isStopped: () => true,
    check() {
      checks++
      if (checks > 2) throw new EngineError('unavailable', 'nobody wants this any more')
    },
  }
  const image = await plain(64, 64)
  const input = {
    model: 'general',
    prompt: 'denoise, denoise, denoise',
    images: [image],
    width: 64,
    height: 64,
    hasFixedShape: false,
    format: 'png' as const,
    seed: 1,
  }
  await assert.rejects(async () => createEdit(fakeTools())(input, stop), /nobody wants/)
  assert.equal(checks, 3)
})
