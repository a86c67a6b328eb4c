import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../engine-error.js'
import { sharp } from '../pixels/sharp.js'
import { createEdit } from './edit.js'
import { brown, edit, near, refusal } from './fixtures/editing.js'
import { picture, plain } from './fixtures/pictures.js'
import { fakeTools } from './fixtures/tools.js'

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
