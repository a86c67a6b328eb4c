import { blur } from '../blocks/blur.js'
import {
  type Canvas,
  clamp,
  createCanvas,
  createPlane,
  eachPixel,
  luma,
  mix,
  type Plane,
  ramp,
  sample,
} from '../blocks/canvas.js'
import { saturate } from '../blocks/colour.js'
import { flowOf, gradientsOf, steepness } from '../blocks/flow.js'
import { inkLines } from '../blocks/ink.js'
import { noise } from '../blocks/random.js'
import { whileSmall } from '../blocks/scale.js'
import { calm } from '../blocks/smooth.js'
import { paper } from '../blocks/surface.js'
import type { Look } from '../look.js'

/** The picture as seen through uneven glass: `amount` in pixels. */
export const wobble = (picture: Canvas, cell: number, amount: number, seed: number): Canvas => {
  const across = noise(picture, { cell, seed, octaves: 2 })
  const down = noise(picture, { cell, seed: seed + 50, octaves: 2 })
  const { width, height } = picture
  const planes = (['red', 'green', 'blue'] as const).map((name) => {
    const plane = createPlane(picture)
    for (let y = 0, at = 0; y < height; y++)
      for (let x = 0; x < width; x++, at++)
        plane[at] = sample(picture[name], picture, x + across[at]! * amount, y + down[at]! * amount)
    return plane
  }) as [Plane, Plane, Plane]
  return { ...picture, red: planes[0], green: planes[1], blue: planes[2] }
}

export const watercolor: Look = (picture, { seed, stop }) => {
  const { unit } = picture
  const bled = wobble(picture, 26 * unit, 5 * unit, seed)
  const washes = calm(
    whileSmall(bled, Math.max(1, Math.round(2 * unit)), (small) => calm(small, { radius: 8 * small.unit, stop })),
    { radius: 5 * unit, stop },
  )
  saturate(washes, 1.3, 0.15)
  const tones = luma(washes)
  // Pigment gathers where a wash ends: dark rims just inside of edges.
  const edges = blur(steepness(gradientsOf(tones, picture)), picture, 1.1 * unit)
  const tooth = paper(picture, unit, seed + 3)
  const pools = noise(picture, { cell: 150 * unit, seed: seed + 7, octaves: 4 })
  const granules = noise(picture, { cell: 3 * unit, seed: seed + 9, octaves: 2 })
  const sketch = inkLines(luma(picture), picture, {
    width: 0.9 * unit,
    flow: flowOf(luma(picture), picture, { sigma: 2.5 * unit, seed }),
    faintest: 0.012,
    stop,
  })
  const sheet = createCanvas(picture)
  const rim = sheetRim(picture, seed)
  // A power as the exponential of a logarithm from a table, for there are three of them in every pixel.
  const logarithms = Float32Array.from({ length: 257 }, (_, step) => Math.log(0.09 + (step / 256) * 0.91))
  const wash = (colour: number, density: number) => Math.exp(logarithms[(clamp(colour) * 256 + 0.5) | 0]! * density)
  eachPixel(picture, stop, (at) => {
    const depth = ramp(0.015, 0.22, edges[at]! * unit)
    // Water carries pigment about: blooms of nearly white paper beside rich pools.
    const pool = 0.62 + ramp(-0.75, 0.7, pools[at]!) * 0.66
    const settled = 1 + granules[at]! * 0.2 + tooth[at]! * 0.14
    const density = (pool * settled * 0.8 + depth * 0.7) * rim[at]!
    const line = 1 - sketch[at]! * 0.32 * rim[at]!
    const light = (1 + tooth[at]! * 0.045) * line
    // Transparent colour over white: light passes the pigment twice.
    sheet.red[at] = 0.99 * wash(washes.red[at]!, density) * light
    sheet.green[at] = 0.98 * wash(washes.green[at]!, density) * light
    sheet.blue[at] = 0.955 * wash(washes.blue[at]!, density) * light
  })
  return sheet
}

/** 1 where paint lies, 0 at the uneven white border of the sheet. */
const sheetRim = (picture: Canvas, seed: number): Plane => {
  const { width, height, unit } = picture
  const ragged = noise(picture, { cell: 60 * unit, seed: seed + 11, octaves: 4 })
  const rim = createPlane(picture)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const inside = Math.min(x, y, width - 1 - x, height - 1 - y) / unit
      rim[at] = mix(0.03, 1, ramp(10, 20, inside + ragged[at]! * 20))
    }
  return rim
}
