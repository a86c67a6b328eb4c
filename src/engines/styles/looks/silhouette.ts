import { blur } from '../blocks/blur.js'
import { type Canvas, createPlane, eachPixel, luma, mix, type Plane, ramp } from '../blocks/canvas.js'
import { type Rgb, rgb, stretch, tinted } from '../blocks/colour.js'
import { labelsOf, type PaletteColour, paletteOf } from '../blocks/palette.js'
import { distances } from '../blocks/surface.js'
import type { Look } from '../look.js'
import { simplified } from './flat.js'

/** A dark figure before a bright ground. */
export const silhouette: Look = (picture, { seed, stop }) => {
  const { unit } = picture
  stretch(picture, luma(picture), 0.3)
  const clean = simplified(picture, 6 * unit, stop)
  const palette = paletteOf(clean, 6, seed)
  const labels = labelsOf(clean, palette)
  const isGround = groundOf(labels, palette, picture)
  const mask = createPlane(picture)
  for (let at = 0; at < mask.length; at++) mask[at] = isGround[labels[at]!] ? 0 : 1
  const figure = withoutIslands(blur(mask, picture, 4 * unit), picture)
  const colour = glowing(palette.filter((_, label) => isGround[label]))
  eachPixel(picture, stop, (at) => {
    const light = ramp(0.54, 0.46, figure[at]!)
    picture.red[at] = mix(0.055, colour[0], light)
    picture.green[at] = mix(0.05, colour[1], light)
    picture.blue[at] = mix(0.075, colour[2], light)
  })
  return picture
}

/**
 * What is seen at the upper borders is the ground: the colours there, from the most frequent on, and whatever is about as
 * light. At least a third and at most two thirds of the picture belong to it.
 */
const groundOf = (labels: Uint8Array, palette: PaletteColour[], { width, height }: Canvas): boolean[] => {
  const counts = new Array<number>(palette.length).fill(0)
  for (let x = 0; x < width; x++) counts[labels[x]!]! += 1.5
  for (let y = 0; y < height * 0.7; y++) for (const x of [0, width - 1]) counts[labels[y * width + x]!]!++
  const total = counts.reduce((sum, count) => sum + count, 0)
  // Something bright makes a better ground than something dark.
  const scores = counts.map((count, label) => (count / total) * 1.5 + palette[label]!.lab[0] * 0.4)
  const order = scores.map((_, label) => label).sort((one, other) => scores[other]! - scores[one]!)
  const isGround = palette.map(() => false)
  let share = 0
  for (const label of order) {
    const isNeeded = share < 0.33
    const fits = share + palette[label]!.share < 0.66 && scores[label]! > 0.6 && counts[label]! > total * 0.12
    if (!isNeeded && !fits) continue
    if (share > 0 && share + palette[label]!.share > 0.8) continue
    isGround[label] = true
    share += palette[label]!.share
  }
  return isGround
}

/** Only what can be reached from the border is ground; holes in the figure are closed, and crumbs beside it swept away. */
const withoutIslands = (figure: Plane, picture: Canvas): Plane => {
  const solid = createPlane(picture).fill(1)
  const ground = spread(picture, (at) => figure[at]! < 0.5, bordersAbove(picture))
  for (let at = 0; at < solid.length; at++) if (ground[at]) solid[at] = 0
  const reach = 7 * picture.unit
  const depth = distances(ground, picture)
  const cores = new Uint8Array(depth.length)
  for (let at = 0; at < depth.length; at++) cores[at] = depth[at]! > reach ? 1 : 0
  const away = distances(cores, picture)
  for (let at = 0; at < solid.length; at++) if (away[at]! > reach * 2.2) solid[at] = 0
  return blur(solid, picture, 2.2 * picture.unit)
}

const bordersAbove = ({ width, height }: Canvas): number[] => {
  const places = Array.from({ length: width }, (_, x) => x)
  for (let y = 0; y < height; y++) places.push(y * width, y * width + width - 1)
  return places
}

/** All pixels that can be reached over fitting ones, as 1. */
const spread = ({ width, height }: Canvas, fits: (at: number) => boolean, from: number[]): Uint8Array => {
  const isReached = new Uint8Array(width * height)
  const waiting = new Int32Array(width * height)
  let count = 0
  const reach = (at: number) => {
    if (isReached[at] || !fits(at)) return
    isReached[at] = 1
    waiting[count++] = at
  }
  for (const at of from) reach(at)
  while (count > 0) {
    const at = waiting[--count]!
    const x = at % width
    if (x > 0) reach(at - 1)
    if (x < width - 1) reach(at + 1)
    if (at >= width) reach(at - width)
    if (at < isReached.length - width) reach(at + width)
  }
  return isReached
}

/** A radiant version of the ground's own colour; a grey ground becomes an evening sky. */
const glowing = (ground: PaletteColour[]): Rgb => {
  const total = ground.reduce((sum, { share }) => sum + share, 0) || 1
  const mean = [0, 1, 2].map(
    (channel) => ground.reduce((sum, { rgb, share }) => sum + rgb[channel]! * share, 0) / total,
  ) as unknown as Rgb
  const isGrey = Math.max(...mean) - Math.min(...mean) < 0.12
  return isGrey ? rgb('#ffb765') : tinted(mean, { chroma: 1.4, lightness: 0.25, lift: 0.62 })
}
