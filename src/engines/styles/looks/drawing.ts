import { blur } from '../blocks/blur.js'
import { clamp, createCanvas, createPlane, eachPixel, luma, mix, ramp } from '../blocks/canvas.js'
import { contrast, saturate, stretch } from '../blocks/colour.js'
import { flowOf, smoothAlong } from '../blocks/flow.js'
import { inkContours, inkLines } from '../blocks/ink.js'
import { createRandom, hash, noise } from '../blocks/random.js'
import { line } from '../blocks/screen.js'
import { calm } from '../blocks/smooth.js'
import { paper } from '../blocks/surface.js'
import type { Look } from '../look.js'

/** Layers of hatching: from which darkness on, in which direction, how dense. */
const hatchings = [
  { from: 0.2, angle: 0.85, cell: 6 },
  { from: 0.42, angle: 1.25, cell: 5 },
  { from: 0.6, angle: -0.5, cell: 5.5 },
  { from: 0.78, angle: 0.2, cell: 4.5 },
].map((hatching) => ({ ...hatching, cosine: Math.cos(hatching.angle), sine: Math.sin(hatching.angle) }))

export const pencilSketch: Look = (picture, { seed, stop }) => {
  const { unit } = picture
  stretch(picture, luma(picture), 0.2)
  const tones = luma(picture)
  const flow = flowOf(tones, picture, { sigma: 2.5 * unit, seed })
  const lines = inkLines(tones, picture, { width: 1.1 * unit, flow, faintest: 0.008, stop })
  const soft = blur(tones, picture, 2.5 * unit)
  const sway = noise(picture, { cell: 110 * unit, seed, octaves: 2 })
  const pressure = noise(picture, { cell: 38 * unit, seed: seed + 1, octaves: 2 })
  const tooth = noise(picture, { cell: 2.2 * unit, seed: seed + 2, octaves: 2 })
  const sheet = createCanvas(picture)
  eachPixel(picture, stop, (at, x, y) => {
    const darkness = 1 - soft[at]! ** 0.9
    let graphite = ramp(0.1, 1, darkness) * 0.2
    for (const { from, cosine, sine, cell } of hatchings) {
      const amount = ramp(from - 0.1, from + 0.4, darkness + pressure[at]! * 0.14)
      if (amount <= 0.02) continue
      const place = -x * sine + y * cosine + sway[at]! * 9 * unit
      // A hand lifts the pencil: strokes end and begin again.
      const along =
        (x * cosine + y * sine) / (unit * 170) + hash(Math.round(place / (cell * unit)), from * 10, seed) * 7
      const lift = ramp(0, 0.05, Math.abs(along - Math.round(along)))
      graphite += line(place, { cell: cell * unit, amount: 0.2 + amount * 0.5 }) * lift * (0.25 + amount * 0.4)
    }
    graphite = clamp(graphite * 0.85 + lines[at]! * 0.85)
    const cover = clamp(graphite * (1 + tooth[at]! * 0.55))
    sheet.red[at] = mix(0.972, 0.17, cover)
    sheet.green[at] = mix(0.966, 0.17, cover)
    sheet.blue[at] = mix(0.945, 0.19, cover)
  })
  return sheet
}

/** Coal, rubbed with the side and drawn with the point, and white chalk for the lights, on grey paper. */
export const charcoal: Look = (picture, { seed, stop }) => {
  const { unit } = picture
  stretch(picture, luma(picture), 0.25)
  const tones = luma(picture)
  const flow = flowOf(tones, picture, { sigma: 7 * unit, seed })
  const fibres = noise(picture, { cell: 1.6 * unit, seed, octaves: 1 })
  const streaks = smoothAlong(fibres, picture, { flow, steps: 9, stride: Math.max(1, 1.6 * unit), stop })
  const tooth = noise(picture, { cell: 4 * unit, seed: seed + 2, octaves: 3 })
  const soft = blur(tones, picture, 3.5 * unit)
  const lines = inkLines(tones, picture, { width: 2.8 * unit, flow, faintest: 0.012, steps: 6, stop })
  const deep = contrast(2.6, 0.46)
  const sheet = createCanvas(picture)
  eachPixel(picture, stop, (at) => {
    const tone = deep(clamp(soft[at]!))
    const rough = streaks[at]! * 1.5 + tooth[at]! * 0.75
    const coal = clamp(ramp(0.05, 0.95, (1 - tone) * 1.25 - 0.22 + rough * 0.33) + lines[at]! * (0.75 + rough * 0.5))
    const chalk = ramp(0.72, 1.05, tone + rough * 0.28) * 0.85
    const base = 0.735 + tooth[at]! * 0.03
    sheet.red[at] = mix(mix(base, 0.97, chalk), 0.075, coal)
    sheet.green[at] = mix(mix(base * 0.975, 0.965, chalk), 0.072, coal)
    sheet.blue[at] = mix(mix(base * 0.925, 0.945, chalk), 0.075, coal)
  })
  return sheet
}

/** Clean black lines on white, a thin pen for what is inside and a thicker one around. */
export const lineArt: Look = (picture, { seed, stop, detail }) => {
  const { unit } = picture
  stretch(picture, luma(picture), 0.25)
  const clean = calm(picture, { radius: 2.2 * unit, stop })
  const tones = luma(clean)
  const flow = flowOf(tones, picture, { sigma: 3 * unit, seed })
  const faintest = { low: 0.02, medium: 0.012, high: 0.007 }[detail]
  const thin = inkContours(clean, { width: 1.2 * unit, flow, faintest, steps: 6, stop })
  const bold = inkLines(blur(tones, picture, 2.4 * unit), picture, {
    width: 2.6 * unit,
    flow,
    faintest: 0.022,
    steps: 7,
    stop,
  })
  eachPixel(picture, stop, (at) => {
    const tone = 1 - Math.max(thin[at]!, bold[at]!) * 0.94
    picture.red[at] = picture.green[at] = picture.blue[at] = tone
  })
  return picture
}

/** An architect's presentation sheet: fine pen, pale markers, construction lines that run past their corners. */
export const architectural: Look = (picture, { seed, stop }) => {
  const { unit, width, height } = picture
  stretch(picture, luma(picture), 0.2)
  const washes = saturate(calm(picture, { radius: 6 * unit, stop }), 0.75)
  const tones = luma(picture)
  const flow = flowOf(tones, picture, { sigma: 2.5 * unit, seed })
  const pen = inkLines(tones, picture, { width: 0.85 * unit, flow, faintest: 0.009, steps: 6, stop })
  const shadows = blur(luma(washes), picture, 1.5 * unit)
  const construction = constructionLines(picture, seed)
  const tooth = paper(picture, unit, seed)
  const sheet = createCanvas(picture)
  const cell = 52 * unit
  eachPixel(picture, stop, (at, x, y) => {
    const dark = 1 - shadows[at]!
    const hatch = line((x + y) * Math.SQRT1_2, { cell: 7 * unit, amount: 0.24 * ramp(0.5, 0.75, dark) })
    const second = line((x - y) * Math.SQRT1_2, { cell: 7 * unit, amount: 0.24 * ramp(0.72, 0.92, dark) })
    const grid = Math.max(line(x, { cell, amount: 1.3 / 52 }), line(y, { cell, amount: 1.3 / 52 })) * 0.16
    const ink = clamp(Math.max(pen[at]! * 0.92, hatch * 0.5, second * 0.5))
    const blueprint = Math.max(grid, construction[at]! * 0.4)
    const light = 1 + tooth[at]! * 0.015
    const marker = 0.42
    // Markers stop short of the edge of the sheet.
    const inside = ramp(0.015, 0.05, Math.min(x / width, 1 - x / width, y / height, 1 - y / height)) * marker
    const wash = (colour: number) => mix(1, 0.35 + 0.65 * colour, inside * 1.5)
    sheet.red[at] = mix(mix(0.98 * wash(washes.red[at]!), 0.55, blueprint), 0.14, ink) * light
    sheet.green[at] = mix(mix(0.97 * wash(washes.green[at]!), 0.68, blueprint), 0.15, ink) * light
    sheet.blue[at] = mix(mix(0.94 * wash(washes.blue[at]!), 0.82, blueprint), 0.2, ink) * light
  })
  return sheet
}

/** Thin straight lines across the sheet: some level, some upright, and a fan from a vanishing point. */
const constructionLines = (picture: Parameters<Look>[0], seed: number) => {
  const { unit, width, height } = picture
  const random = createRandom(seed + 17)
  const [eyeX, eyeY] = [(0.25 + random() * 0.5) * width, (0.4 + random() * 0.2) * height]
  const lines = Array.from({ length: 16 }, (_, at) => {
    const angle = at < 3 ? 0 : at < 6 ? Math.PI / 2 : random() * Math.PI
    const x = at < 6 ? random() * width : eyeX
    const y = at < 6 ? random() * height : eyeY
    return { across: -Math.sin(angle), down: Math.cos(angle), offset: -Math.sin(angle) * x + Math.cos(angle) * y }
  })
  const drawn = createPlane(picture)
  const half = Math.max(0.5, 0.55 * unit)
  for (const { across, down, offset } of lines)
    for (let y = 0, at = 0; y < height; y++)
      for (let x = 0; x < width; x++, at++) {
        const far = Math.abs(x * across + y * down - offset)
        if (far < half + 0.5) drawn[at] = Math.max(drawn[at]!, Math.min(1, half + 0.5 - far))
      }
  return drawn
}
