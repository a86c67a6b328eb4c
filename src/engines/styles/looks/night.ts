import { blur } from '../blocks/blur.js'
import { clamp, createCanvas, createPlane, eachPixel, luma, mix, ramp } from '../blocks/canvas.js'
import { saturate, stretch, tinted, vignette } from '../blocks/colour.js'
import { flowOf } from '../blocks/flow.js'
import { inkContours, inkLines } from '../blocks/ink.js'
import { fillLabels, labelsOf, paletteOf } from '../blocks/palette.js'
import { createRandom, hash, noise } from '../blocks/random.js'
import { line } from '../blocks/screen.js'
import { calm } from '../blocks/smooth.js'
import { relief } from '../blocks/surface.js'
import type { Look } from '../look.js'
import { simplified, smoothLabels } from './flat.js'

/** A wet street at midnight: contours are tubes of neon, and what they do not light is nearly black. */
export const neonNoir: Look = (picture, { seed, stop }) => {
  const { unit, height } = picture
  stretch(picture, luma(picture), 0.3)
  const clean = calm(picture, { radius: 3.5 * unit, stop })
  const tones = luma(clean)
  const flow = flowOf(tones, picture, { sigma: 3 * unit, seed })
  const tubes = inkContours(clean, { width: 1.9 * unit, flow, faintest: 0.012, steps: 6, stop })
  const wheel = noise(picture, { cell: 330 * unit, seed, octaves: 2 })
  const night = createCanvas(picture)
  const glow = createCanvas(picture)
  eachPixel(picture, stop, (at, _, y) => {
    // Warm things are lit in magenta, cold ones in cyan; between them the place decides.
    const warmth = clean.red[at]! - clean.blue[at]!
    const pink = ramp(-0.35, 0.35, warmth * 0.9 + wheel[at]! * 0.9 + (y / height - 0.5) * 0.2)
    const tube = tubes[at]!
    glow.red[at] = tube * mix(0.02, 1, pink)
    glow.green[at] = tube * mix(0.85, 0.08, pink)
    glow.blue[at] = tube * mix(1, 0.75, pink)
    const dim = tones[at]! ** 1.7
    night.red[at] = 0.025 + dim * mix(0.1, 0.36, pink)
    night.green[at] = 0.02 + dim * mix(0.2, 0.1, pink)
    night.blue[at] = 0.06 + dim * 0.4
  })
  for (const name of ['red', 'green', 'blue'] as const) {
    const close = blur(glow[name], picture, 5 * unit)
    const wide = blur(close, picture, 22 * unit)
    const plane = night[name]
    for (let at = 0; at < plane.length; at++)
      plane[at] =
        plane[at]! * (1 + wide[at]! * 3) +
        glow[name][at]! * 0.95 +
        tubes[at]! * 0.22 +
        close[at]! * 0.85 +
        wide[at]! * 0.75
  }
  return vignette(night, { amount: 0.6, start: 0.4, stop })
}

/** A drawing of an engineer, copied in white on blue. */
export const blueprint: Look = (picture, { seed, stop }) => {
  const { unit, width, height } = picture
  stretch(picture, luma(picture), 0.25)
  const clean = calm(picture, { radius: 2 * unit, stop })
  const tones = luma(clean)
  const flow = flowOf(tones, picture, { sigma: 3 * unit, seed })
  const pen = inkContours(clean, { width: 1.3 * unit, flow, faintest: 0.01, steps: 6, stop })
  const stains = noise(picture, { cell: 260 * unit, seed, octaves: 4 })
  const fibres = noise(picture, { cell: 2 * unit, seed: seed + 1 })
  const soft = blur(tones, picture, 3 * unit)
  const cell = 32 * unit
  const margin = 26 * unit
  const sheet = createCanvas(picture)
  eachPixel(picture, stop, (at, x, y) => {
    const fine = Math.max(line(x, { cell, amount: 1.1 / 32 }), line(y, { cell, amount: 1.1 / 32 })) * 0.13
    const coarse =
      Math.max(line(x, { cell: cell * 4, amount: 1.6 / 128 }), line(y, { cell: cell * 4, amount: 1.6 / 128 })) * 0.2
    const inside = Math.min(x, y, width - 1 - x, height - 1 - y)
    const frame = ramp(1.6 * unit, 0.6 * unit, Math.abs(inside - margin)) * 0.85
    const hatch = line((x + y) * Math.SQRT1_2, { cell: 9 * unit, amount: 0.16 * ramp(0.45, 0.15, soft[at]!) }) * 0.5
    const isOutside = inside < margin
    const chalk = clamp(
      Math.max(isOutside ? 0 : Math.max(pen[at]! * 0.95, hatch), frame, fine, coarse) * (1 + fibres[at]! * 0.15),
    )
    const light = 1 + stains[at]! * 0.14 + fibres[at]! * 0.04
    sheet.red[at] = mix(0.06 * light, 0.92, chalk)
    sheet.green[at] = mix(0.25 * light, 0.96, chalk)
    sheet.blue[at] = mix(0.58 * light, 1, chalk)
  })
  return sheet
}

/** Sprayed on bricks: loud flat colours, fat outlines, drips and overspray. */
export const graffiti: Look = (picture, { seed, stop }) => {
  const { unit, width, height } = picture
  const random = createRandom(seed)
  stretch(picture, luma(picture), 0.3)
  const clean = simplified(picture, 7 * unit, stop)
  saturate(clean, 1.5, 0.4)
  const palette = paletteOf(clean, 8, seed)
  const labels = smoothLabels(labelsOf(clean, palette), picture, palette.length, 3.5 * unit)
  const tones = luma(clean)
  const flow = flowOf(tones, picture, { sigma: 4 * unit, seed })
  const fat = inkLines(blur(tones, picture, 2 * unit), picture, {
    width: 4.2 * unit,
    flow,
    faintest: 0.02,
    steps: 6,
    stop,
  })
  const paint = fillLabels(
    createCanvas(picture),
    labels,
    palette.map(({ rgb }) => tinted(rgb, { chroma: 1.7, lightness: 0.85, lift: 0.13 })),
  )
  const halo = blur(fat, picture, 7 * unit)
  eachPixel(picture, stop, (at, x, y) => {
    // Spray is dust: it thins out into specks.
    const speck = hash((x / unit / 1.2) | 0, (y / unit / 1.2) | 0, seed)
    const white = ramp(0.12, 0.34, halo[at]!) * (speck < 0.25 + halo[at]! * 2 ? 0.9 : 0.25) * 0.5
    const black = clamp(fat[at]! + (speck > 0.93 ? halo[at]! * 1.2 : 0))
    paint.red[at] = mix(mix(paint.red[at]!, 1, white), 0.05, black)
    paint.green[at] = mix(mix(paint.green[at]!, 1, white), 0.04, black)
    paint.blue[at] = mix(mix(paint.blue[at]!, 0.98, white), 0.08, black)
  })
  drips(paint, fat, random)
  const wall = bricks(picture, seed)
  const light = relief(blur(wall.heights, picture, 0.8 * unit), picture, 0.35)
  const cloud = noise(picture, { cell: 70 * unit, seed: seed + 8, octaves: 3 })
  eachPixel(picture, stop, (at, x, y) => {
    const border = Math.min(x, y, width - 1 - x, height - 1 - y) / (70 * unit) + cloud[at]! * 0.7
    const cover =
      (0.94 - 0.3 * wall.mortar[at]!) * ramp(0.05, 0.45, border + hash((x / unit) | 0, (y / unit) | 0, seed + 1) * 0.3)
    const dim = (1 + light[at]! * 0.3 + cloud[at]! * 0.07) * (1 - 0.22 * wall.mortar[at]!)
    paint.red[at] = mix(wall.tone[at]! * 0.62, paint.red[at]!, cover) * dim
    paint.green[at] = mix(wall.tone[at]! * 0.45, paint.green[at]!, cover) * dim
    paint.blue[at] = mix(wall.tone[at]! * 0.4, paint.blue[at]!, cover) * dim
  })
  return paint
}

/** Where much paint lies, some of it runs down. */
const drips = (paint: ReturnType<typeof createCanvas>, lines: Float32Array, random: () => number) => {
  const { unit, width, height } = paint
  for (let tries = 0, made = 0; tries < 900 && made < 46; tries++) {
    const startX = random() * width
    const startY = random() * height * 0.85
    const at = (startY | 0) * width + (startX | 0)
    if (lines[at]! < 0.7) continue
    made++
    const length = (30 + random() * 110) * unit
    const radius = (1.6 + random() * 1.8) * unit
    const [red, green, blue] = [paint.red[at]!, paint.green[at]!, paint.blue[at]!]
    for (let y = startY | 0; y < Math.min(height, startY + length + radius * 1.5); y++) {
      const end = (y - startY - length) / (radius * 1.5)
      // A drop hangs at the end.
      const swell = end > -2 ? 1.35 : 1 - 0.25 * ((y - startY) / length)
      const half = end > 0 ? radius * swell * Math.sqrt(Math.max(0, 1 - end * end)) : radius * swell
      for (let x = Math.max(0, Math.floor(startX - half)); x <= Math.min(width - 1, startX + half); x++) {
        const cover = clamp(half + 0.5 - Math.abs(x - startX))
        const here = y * width + x
        paint.red[here] = mix(paint.red[here]!, red, cover)
        paint.green[here] = mix(paint.green[here]!, green, cover)
        paint.blue[here] = mix(paint.blue[here]!, blue, cover)
      }
    }
  }
}

const bricks = (picture: Parameters<Look>[0], seed: number) => {
  const { unit, width, height } = picture
  const [brickWidth, brickHeight] = [92 * unit, 34 * unit]
  const heights = createPlane(picture)
  const mortar = createPlane(picture)
  const tone = createPlane(picture)
  const rough = noise(picture, { cell: 7 * unit, seed: seed + 2, octaves: 3 })
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const row = Math.floor((y + rough[at]! * 1.5 * unit) / brickHeight)
      const shifted = x + rough[at]! * 1.5 * unit + (row % 2) * brickWidth * 0.5
      const column = Math.floor(shifted / brickWidth)
      const across = Math.min(shifted - column * brickWidth, (column + 1) * brickWidth - shifted)
      const bentY = y + rough[at]! * 1.5 * unit
      const down = Math.min(bentY - row * brickHeight, (row + 1) * brickHeight - bentY)
      const inside = Math.min(across, down) / unit
      mortar[at] = ramp(3, 1.4, inside)
      heights[at] = ramp(1, 5, inside) * 3 + rough[at]! * 1.3
      tone[at] = mix(0.72 + hash(column, row, seed) * 0.35 + rough[at]! * 0.15, 1.05, mortar[at]!)
    }
  return { heights, mortar, tone }
}
