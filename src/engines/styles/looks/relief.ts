import { blur, blurCanvas } from '../blocks/blur.js'
import { type Canvas, clamp, createCanvas, eachPixel, luma, mix, type Plane, ramp, warmth } from '../blocks/canvas.js'
import { saturate, stretch, tinted } from '../blocks/colour.js'
import { gradientsOf, steepness } from '../blocks/flow.js'
import { fillLabels, labelsOf, paletteOf } from '../blocks/palette.js'
import { noise } from '../blocks/random.js'
import { calm } from '../blocks/smooth.js'
import { bordersOf, distances } from '../blocks/surface.js'
import type { How, Look } from '../look.js'
import { simplified, smoothLabels } from './flat.js'

type Material = {
  /** How much shine, and how small it is. */
  gloss: number
  hardness: number
  ambient: number
}

/** Lights a landscape of heights (in pixels) with a lamp from the top left and a weak one from the right. */
const lit = (colours: Canvas, heights: Plane, { gloss, hardness, ambient }: Material, stop: How['stop']): Canvas => {
  const { width, height, unit } = colours
  const hollow = blur(heights, colours, 9 * unit)
  const wide = blur(heights, colours, 26 * unit)
  const solid = createCanvas(colours)
  const lamp = normal(-0.5, -0.62, 0.75)
  const fill = normal(0.8, 0.25, 0.55)
  // Halfway between lamp and eye.
  const shine = normal(lamp[0], lamp[1], lamp[2] + 1)
  eachPixel(colours, stop, (at, x, y) => {
    const left = x > 0 ? heights[at - 1]! : heights[at]!
    const right = x < width - 1 ? heights[at + 1]! : heights[at]!
    const above = y > 0 ? heights[at - width]! : heights[at]!
    const below = y < height - 1 ? heights[at + width]! : heights[at]!
    const slopeX = (left - right) / 2
    const slopeY = (above - below) / 2
    const length = Math.sqrt(slopeX * slopeX + slopeY * slopeY + 1)
    const facing = Math.max(0, (slopeX * lamp[0] + slopeY * lamp[1] + lamp[2]) / length)
    const beside = Math.max(0, (slopeX * fill[0] + slopeY * fill[1] + fill[2]) / length)
    const towards = (slopeX * shine[0] + slopeY * shine[1] + shine[2]) / length
    const glint = Math.exp(hardness * (towards - 1)) * gloss
    const depth = (hollow[at]! - heights[at]!) / (7 * unit) + ((wide[at]! - heights[at]!) / (16 * unit)) * 0.6
    const shadow = 1 - clamp(depth, -0.1, 0.36)
    const light = (ambient + facing * 0.86 + beside * 0.16) * shadow
    solid.red[at] = colours.red[at]! * light + glint
    solid.green[at] = colours.green[at]! * light + glint
    solid.blue[at] = colours.blue[at]! * light * 1.02 + glint
  })
  return solid
}

const normal = (x: number, y: number, z: number) => {
  const length = Math.hypot(x, y, z)
  return [x / length, y / length, z / length] as const
}

/**
 * Cushions: areas rise from their borders like a quarter circle and are flat after `reach` pixels. Borders that only
 * divide a soft transition are none.
 */
const cushions = (labels: Uint8Array, picture: Canvas, reach: number): Plane => {
  const borders = bordersOf(labels, picture)
  const soft = blur(luma(picture), picture, 1.2 * picture.unit)
  const steep = steepness(gradientsOf(soft, picture))
  const others = steepness(gradientsOf(blur(warmth(picture), picture, 1.2 * picture.unit), picture))
  for (let at = 0; at < steep.length; at++) steep[at] = Math.max(steep[at]!, others[at]!)
  const edges = blur(steep, picture, 6 * picture.unit)
  const faintest = 0.014 / picture.unit
  for (let at = 0; at < borders.length; at++) if (edges[at]! < faintest) borders[at] = 0
  const far = distances(borders, picture)
  for (let at = 0; at < far.length; at++) {
    const rest = 1 - Math.min(1, far[at]! / reach)
    far[at] = Math.sqrt(1 - rest * rest) * reach
  }
  return far
}

/** As if modelled on a computer: smooth plastic bodies under studio lights. */
export const model3d: Look = (picture, how) => {
  const { unit } = picture
  const { seed, stop } = how
  stretch(picture, luma(picture), 0.25)
  const clean = calm(simplified(picture, 6 * unit, stop), { radius: 3 * unit, stop })
  const palette = paletteOf(clean, 7, seed)
  const labels = smoothLabels(labelsOf(clean, palette), picture, palette.length, 4 * unit)
  const puffed = blur(cushions(labels, clean, 24 * unit), picture, 3.2 * unit)
  const tones = blur(luma(clean), picture, 2.6 * unit)
  for (let at = 0; at < puffed.length; at++) puffed[at] = puffed[at]! * 0.75 + tones[at]! * 24 * unit
  const plastic = saturate(clean, 1.1, 0.1)
  for (const plane of [plastic.red, plastic.green, plastic.blue])
    for (let at = 0; at < plane.length; at++) plane[at] = 0.14 + plane[at]! * 0.84
  return lit(plastic, puffed, { gloss: 0.5, hardness: 34, ambient: 0.32 }, stop)
}

/** Plasticine: a few colours, thick rounded pieces, and the prints of fingers on them. */
export const craftClay: Look = (picture, how) => {
  const { unit } = picture
  const { seed, stop, detail } = how
  stretch(picture, luma(picture), 0.3)
  const clean = simplified(picture, 6.5 * unit, stop)
  const palette = paletteOf(clean, { low: 7, medium: 10, high: 14 }[detail], seed)
  const labels = smoothLabels(labelsOf(clean, palette), picture, palette.length, 3.2 * unit)
  const colours = palette.map(({ rgb }) => tinted(rgb, { chroma: 1.3, lightness: 0.85, lift: 0.1 }))
  const clay = blurCanvas(fillLabels(createCanvas(picture), labels, colours), 1.2 * unit)
  const heights = blur(cushions(labels, clean, 15 * unit), picture, 2 * unit)
  const dents = noise(picture, { cell: 70 * unit, seed, octaves: 2 })
  const whorl = noise(picture, { cell: 110 * unit, seed: seed + 3, octaves: 2 })
  const pressed = noise(picture, { cell: 90 * unit, seed: seed + 4 })
  const grit = noise(picture, { cell: 3 * unit, seed: seed + 5 })
  eachPixel(picture, stop, (at, x, y) => {
    const ridge = Math.sin((whorl[at]! * 150 + (x - y) / unit / 9) * 1.15) * ramp(0.1, 0.5, pressed[at]!)
    heights[at]! += (dents[at]! * 7 + ridge * 0.5 + grit[at]! * 0.2) * unit
    // Colours that were kneaded together stay a little uneven.
    const marbled = (dents[at]! + 0.6) * 0.03
    clay.red[at] = mix(mix(clay.red[at]!, clean.red[at]!, 0.25), 1, marbled)
    clay.green[at] = mix(mix(clay.green[at]!, clean.green[at]!, 0.25), 1, marbled)
    clay.blue[at] = mix(clay.blue[at]!, clean.blue[at]!, 0.25)
  })
  return lit(clay, heights, { gloss: 0.12, hardness: 9, ambient: 0.34 }, stop)
}
