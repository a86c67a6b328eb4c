import { blur, blurCanvas } from '../blocks/blur.js'
import {
  type Canvas,
  clamp,
  createCanvas,
  createPlane,
  distance,
  eachPixel,
  luma,
  mix,
  nearest,
  ramp,
} from '../blocks/canvas.js'
import { hue, labOf, rgbOf, saturate, stretch } from '../blocks/colour.js'
import { createRandom, hash, noise } from '../blocks/random.js'
import { relief, shade, weave } from '../blocks/surface.js'
import type { Look } from '../look.js'

/** Seurat: dots of pure colour that the eye mixes, among them some of the opposite one. */
export const pointillism: Look = (picture, { seed, stop, detail }) => {
  const { unit } = picture
  stretch(picture, luma(picture), 0.15)
  saturate(picture, 1.45, 0.35)
  const random = createRandom(seed)
  const sheet = createCanvas(picture, [0.95, 0.92, 0.84])
  const finest = { low: 5.2, medium: 4.1, high: 3.1 }[detail]
  for (const radius of [finest * 1.6, finest * 1.15, finest]) {
    const size = Math.max(1, radius * unit)
    const subject = blurCanvas(picture, size * 0.5)
    const gap = size * 1.75
    for (let row = -1; row * gap < picture.height + gap; row++) {
      stop.check()
      for (let column = -1; column * gap < picture.width + gap; column++) {
        const x = (column + (row % 2) * 0.5 + (random() - 0.5) * 0.8) * gap
        const y = (row + (random() - 0.5) * 0.8) * gap
        const at = nearest(picture, x, y)
        const [lightness, greenRed, blueYellow] = labOf([
          clamp(subject.red[at]!),
          clamp(subject.green[at]!),
          clamp(subject.blue[at]!),
        ])
        const turn = (random() - 0.5) * 1.1
        const isOpposite = random() < 0.1
        const flip = isOpposite ? -0.9 : 1.15
        const colour = rgbOf([
          clamp(lightness + (random() - 0.5) * 0.13 + (isOpposite ? 0.06 : 0.02), 0.2, 0.97),
          (greenRed * Math.cos(turn) - blueYellow * Math.sin(turn)) * flip + (random() - 0.5) * 0.05,
          (greenRed * Math.sin(turn) + blueYellow * Math.cos(turn)) * flip + (random() - 0.5) * 0.05,
        ])
        disc(sheet, x, y, size * (0.75 + random() * 0.35), colour)
      }
    }
  }
  return sheet
}

const disc = (
  canvas: Canvas,
  x: number,
  y: number,
  radius: number,
  [red, green, blue]: readonly [number, number, number],
) => {
  const { width, height } = canvas
  for (let row = Math.max(0, Math.floor(y - radius)); row <= Math.min(height - 1, Math.ceil(y + radius)); row++)
    for (
      let column = Math.max(0, Math.floor(x - radius));
      column <= Math.min(width - 1, Math.ceil(x + radius));
      column++
    ) {
      const cover = clamp(radius + 0.5 - distance(column - x, row - y)) * 0.93
      if (cover <= 0) continue
      const at = row * width + column
      canvas.red[at] = mix(canvas.red[at]!, red, cover)
      canvas.green[at] = mix(canvas.green[at]!, green, cover)
      canvas.blue[at] = mix(canvas.blue[at]!, blue, cover)
    }
}

/** A hanging of thick wool: every thread has one colour, and one can almost feel it. */
export const texture: Look = (picture, { seed, stop, detail }) => {
  const { unit, width, height } = picture
  stretch(picture, luma(picture), 0.15)
  saturate(picture, 1.1, 0.1)
  const thread = Math.max(3, { low: 15, medium: 11, high: 8 }[detail] * unit)
  const yarn = blurCanvas(picture, thread * 0.35)
  const twist = noise(picture, { cell: 2.4 * unit, seed, octaves: 2 })
  const slack = noise(picture, { cell: 80 * unit, seed: seed + 1, octaves: 2 })
  const heights = createPlane(picture)
  const wool = createCanvas(picture)
  eachPixel(picture, stop, (at, x, y) => {
    const bentX = x + slack[at]! * thread * 0.5
    const bentY = y + slack[at]! * thread * 0.4
    const column = Math.floor(bentX / thread)
    const row = Math.floor(bentY / thread)
    const high = clamp(weave(bentX, bentY, thread))
    const isWarp = (column + row) % 2 === 0
    const along = isWarp ? bentY - row * thread : bentX - column * thread
    const side = isWarp ? bentX - column * thread : bentY - row * thread
    // Strands wind around the thread.
    const strand = 0.5 + 0.5 * Math.sin(((along * 1.1 + side * 1.3) / thread) * Math.PI * 4)
    heights[at] = high + strand * 0.12 + twist[at]! * 0.1
    const from = nearest({ width, height }, (column + 0.5) * thread, (row + 0.5) * thread)
    const dye = 0.93 + hash(column, row, seed) * 0.14
    const light = (0.32 + 0.76 * high) * (0.9 + 0.16 * strand) * dye
    wool.red[at] = yarn.red[from]! * light + 0.02
    wool.green[at] = yarn.green[from]! * light + 0.015
    wool.blue[at] = yarn.blue[from]! * light + 0.01
  })
  shade(wool, relief(blur(heights, picture, 0.5 * unit), picture, 0.5 * unit), 0.2)
  return wool
}

/** Inner workings of a psychedelic poster: tones become bands of the rainbow that flow like oil on water. */
export const psychedelic: Look = (picture, { seed, stop }) => {
  const { unit, width, height } = picture
  stretch(picture, luma(picture), 0.3)
  const tones = blur(luma(picture), picture, 3.5 * unit)
  const wide = blur(tones, picture, 26 * unit)
  const swirl = noise(picture, { cell: 300 * unit, seed, octaves: 3 })
  const shift = createRandom(seed)()
  const rainbow = Array.from({ length: 512 }, (_, step) => {
    const turn = step / 512
    return hue(turn + shift, 0.66 + 0.12 * Math.sin(turn * Math.PI * 6), 0.23)
  })
  const melted = createPlane(picture)
  eachPixel(picture, stop, (at, x, y) => {
    const fromX = x + swirl[at]! * 60 * unit
    const fromY = y + Math.sin(x / (90 * unit) + swirl[at]! * 4) * 14 * unit
    melted[at] = tones[nearest({ width, height }, fromX, fromY)]!
  })
  eachPixel(picture, stop, (at, x, y) => {
    const far = distance(x - width / 2, y - height / 2) / (unit * 1024)
    const phase = melted[at]! * 2.2 + wide[at]! * 1.1 + swirl[at]! * 0.9 - far * 0.7 + 8
    const step = phase * 5
    const band = Math.floor(step) / 5
    const colour = rainbow[Math.floor((band - Math.floor(band)) * 512) & 511]!
    const edge = Math.min(step - Math.floor(step), Math.ceil(step) - step)
    const rim = ramp(0.04, 0.16, edge)
    const light = mix(0.35, 1.12, ramp(0.08, 0.75, melted[at]!)) * mix(0.72, 1.05, rim)
    picture.red[at] = colour[0] * light
    picture.green[at] = colour[1] * light
    picture.blue[at] = colour[2] * light
  })
  return picture
}
