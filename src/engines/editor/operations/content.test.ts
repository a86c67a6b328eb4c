import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brown, edit, near, refusal } from '../fixtures/editing.js'
import { picture, plain } from '../fixtures/pictures.js'
import { fakeTools } from '../fixtures/tools.js'

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

test('a soft edge keeps no rim of what was behind the subject', async () => {
  // Red before green, and between them ten columns of both.
  const share = (x: number) => Math.min(1, Math.max(0, (55 - x) / 10))
  const image = await picture(100, 60, (x) => [220 * share(x), 200 * (1 - share(x)), 30, 255])
  const cutter = {
    matte: async ({ width, height }: { width: number; height: number }) =>
      Uint8Array.from({ length: width * height }, (_, pixel) => Math.round(255 * share(pixel % width))),
  }
  const tools = { ...fakeTools(), cutter: async () => cutter }
  const onBlue = await edit(image, 'change the background to #0000ff', { tools })
  for (const x of [47, 50, 53]) assert.ok((onBlue.at(x, 30)[1] as number) < 25, `${onBlue.at(x, 30)} is greenish`)
  near(onBlue.at(50, 30), [110, 0, 142], 25)
})
