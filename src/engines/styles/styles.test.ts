import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { EngineError } from '../engine-error.js'
import { emptyRaster, type Raster } from '../pixels/raster.js'
import { paintScene } from './fixtures/scene.js'
import { type StyleOptions, styleNamed, styles } from './styles.js'

const stop = { isStopped: () => false, check: () => {} }
const usual: StyleOptions = { seed: 7, strength: 0.8, stop }
const scene = paintScene()
const named = (id: string) => styleNamed(id) ?? assert.fail(`there is no style ${id}`)

/** The mean difference of red, green and blue, 0 to 255. */
const difference = (one: Raster, other: Raster) => {
  let sum = 0
  for (let at = 0; at < one.data.length; at++) if (at % 4 !== 3) sum += Math.abs(one.data[at]! - other.data[at]!)
  return sum / ((one.data.length / 4) * 3)
}

const pixelsOf = ({ data }: Raster) =>
  Array.from({ length: data.length / 4 }, (_, at) => [data[at * 4]!, data[at * 4 + 1]!, data[at * 4 + 2]!] as const)

const share = (raster: Raster, holds: (pixel: readonly [number, number, number]) => boolean) => {
  const pixels = pixelsOf(raster)
  return pixels.filter(holds).length / pixels.length
}

const rendered = new Map<string, Raster>()
const of = (id: string) => rendered.get(id) ?? assert.fail(id)
before(async () => {
  for (const { id, render } of styles) rendered.set(id, await render(scene, usual))
})

describe('names', () => {
  test('every style of the catalog and every style that edits use is there', () => {
    const catalog = parse(readFileSync(new URL('../../../../catalog/styles.yaml', import.meta.url), 'utf8'))
    assert.equal(catalog.styles.length, 43)
    for (const name of catalog.styles) assert.equal(named(name).name, name)
    const edits =
      'watercolor oil-painting pencil-sketch charcoal line-art comic-book pop-art pixel-art stained-glass low-poly pointillism woodcut film-noir analog-film neon-noir paper-cut tilt-shift blueprint'
    for (const id of edits.split(' ')) named(id)
  })

  test('capitals do not matter, and there is nothing under other names', () => {
    assert.equal(named('COMIC book'), named('comic-book'))
    assert.equal(named('paper-cut'), named('Flat Papercut'))
    for (const name of ['', 'comic', 'toString', '__proto__']) assert.equal(styleNamed(name), undefined)
    assert.equal(new Set(styles.map(({ id }) => id)).size, styles.length)
  })
})

describe('every style', () => {
  test('keeps the size, leaves its input alone, and changes the picture', () => {
    assert.deepEqual(scene.data, paintScene().data)
    for (const { id } of styles) {
      assert.deepEqual(
        [of(id).width, of(id).height, of(id).data.length],
        [scene.width, scene.height, scene.data.length],
      )
      assert.ok(difference(scene, of(id)) > 4, `${id} changes the picture by ${difference(scene, of(id))}`)
    }
  })

  test('differs from every other one', () => {
    for (const [at, { id: one }] of styles.entries())
      for (const { id: other } of styles.slice(at + 1)) {
        const far = difference(of(one), of(other))
        assert.ok(far > 4, `${one} and ${other} differ by ${far}`)
      }
  })

  test('gives the same bytes for the same seed, and is closer to the input when it is weaker', async () => {
    for (const { id, render } of styles) {
      assert.deepEqual((await render(scene, usual)).data, of(id).data, id)
      const weak = await render(scene, { ...usual, strength: 0.2 })
      assert.ok(difference(scene, weak) < difference(scene, of(id)) * 0.5, id)
      assert.ok(difference(scene, weak) > 0, id)
    }
  })

  test('keeps opacity, and is not misled by colours that nobody sees', async () => {
    const black = paintScene(40, 30)
    const white = paintScene(40, 30)
    for (let at = 0; at < black.data.length; at += 4) {
      const opacity = at % 120 < 40 ? 0 : at % 255
      black.data[at + 3] = white.data[at + 3] = opacity
      if (opacity === 0) {
        black.data.fill(0, at, at + 3)
        white.data.fill(255, at, at + 3)
      }
    }
    for (const { id, render } of styles) {
      const [one, other] = [await render(black, usual), await render(white, usual)]
      assert.deepEqual(one.data, other.data, id)
      for (let at = 3; at < one.data.length; at += 4) assert.equal(one.data[at], black.data[at], id)
    }
  })

  test('can do tiny, narrow and empty pictures', async () => {
    const sizes = [
      [1, 1],
      [3, 7],
      [64, 64],
      [400, 2],
      [1, 300],
    ] as const
    for (const { id, render } of styles)
      for (const [width, height] of sizes)
        for (const raster of [paintScene(width, height), emptyRaster(width, height)]) {
          const result = await render(raster, usual)
          assert.deepEqual([result.width, result.height, result.data.length], [width, height, width * height * 4], id)
        }
  })

  test('stops when nobody waits any more', async () => {
    for (const { id, render } of styles) {
      let checks = 0
      const leaving = {
        isStopped: () => checks > 2,
        check: () => {
          if (++checks > 2) throw new EngineError('unavailable', 'nobody wants this any more')
        },
      }
      await assert.rejects(render(scene, { ...usual, stop: leaving }), EngineError, id)
      assert.ok(checks <= 3, id)
    }
  })
})

describe('chance', () => {
  const random =
    'abstract analog-film cubist fantasy-art graffiti impressionist long-exposure low-poly oil-painting origami pencil-sketch pointillism psychedelic stained-glass surrealist typography watercolor woodcut'
  for (const id of random.split(' '))
    test(`another seed is another ${id}`, async () => {
      assert.ok(difference(of(id), await named(id).render(scene, { ...usual, seed: 8 })) > 0.5)
    })

  test('more detail is closer to the picture', async () => {
    for (const id of ['oil-painting', 'low-poly']) {
      const [low, high] = await Promise.all(
        (['low', 'high'] as const).map((detail) => named(id).render(scene, { ...usual, detail })),
      )
      assert.ok(difference(scene, high!) < difference(scene, low!), id)
    }
  })
})

describe('character', () => {
  for (const id of ['monochrome', 'film-noir', 'line-art'])
    test(`${id} has no colour`, () =>
      assert.equal(
        share(of(id), ([red, green, blue]) => red !== green || green !== blue),
        0,
      ))

  test('pixel art is made of equal squares in few colours', async () => {
    const large = await named('pixel-art').render(paintScene(240, 200), usual)
    const { data, width } = large
    const side = Math.round(240 / 112)
    const colours = new Set(pixelsOf(large).map(String))
    assert.ok(side > 1 && colours.size <= 16 && colours.size > 4, `${colours.size} colours`)
    for (let at = 0; at < data.length; at += 4) {
      const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)]
      const corner = ((y - (y % side)) * width + x - (x % side)) * 4
      assert.deepEqual(data.subarray(at, at + 3), data.subarray(corner, corner + 3))
    }
  })

  test('a blueprint is mostly blue, line art mostly white, neon noir mostly dark', () => {
    assert.ok(share(of('blueprint'), ([red, green, blue]) => blue > green + 40 && green > red) > 0.7)
    assert.ok(share(of('line-art'), ([red]) => red > 230) > 0.7)
    assert.ok(share(of('line-art'), ([red]) => red < 100) > 0.005)
    assert.ok(share(of('neon-noir'), (pixel) => Math.max(...pixel) < 128) > 0.6)
  })

  test('a silhouette has two tones, and its figure is what stands before the sky', () => {
    const colours = new Map<string, number>()
    for (const pixel of pixelsOf(of('silhouette'))) colours.set(String(pixel), (colours.get(String(pixel)) ?? 0) + 1)
    const counts = [...colours.values()].sort((one, other) => other - one)
    assert.ok((counts[0]! + counts[1]!) / (scene.width * scene.height) > 0.85)
    const pixels = pixelsOf(of('silhouette'))
    assert.ok(Math.max(...pixels[Math.floor(scene.height * 0.6) * scene.width + 62]!) < 60, 'the house is dark')
    assert.ok(Math.max(...pixels[5 * scene.width + 20]!) > 150, 'the sky is bright')
  })

  test('tilt-shift is sharp in its band and soft away from it', async () => {
    const stripes = emptyRaster(120, 240)
    for (let at = 0; at < stripes.data.length; at += 4)
      stripes.data.set(((at / 4) % 120) % 4 < 2 ? [0, 0, 0, 255] : [255, 255, 255, 255], at)
    const { data } = await named('tilt-shift').render(stripes, usual)
    const contrast = (y: number) => {
      const row = Array.from({ length: 60 }, (_, x) => data[(y * 120 + 30 + x) * 4]!)
      return Math.max(...row) - Math.min(...row)
    }
    assert.ok(contrast(132) > 200 && contrast(8) < 60, `${contrast(132)} and ${contrast(8)}`)
  })

  test('cinema has bars above and below, unless the picture is wide already', async () => {
    const top = (raster: Raster) => Math.max(...pixelsOf(raster).slice(0, raster.width).flat())
    assert.ok(top(of('cinematic')) < 10)
    assert.ok(top(await named('cinematic').render(paintScene(300, 100), usual)) > 60)
  })
})

test('large pictures are painted smaller, and gradings keep their finest detail', async () => {
  const large = paintScene(2200, 2000)
  // One bright hair, a pixel wide, on the hill.
  for (let y = 1500; y < 1900; y++) large.data.fill(255, (y * 2200 + 1800) * 4, (y * 2200 + 1801) * 4)
  const { data, width } = await named('monochrome').render(large, usual)
  const at = (1700 * 2200 + 1800) * 4
  assert.equal(width, 2200)
  assert.ok(data[at]! > data[at - 16]! + 80)
})
