import type { Stop } from '../../threads/serve.js'
import { blur, blurCanvas } from '../blocks/blur.js'
import { type Canvas, clamp, createCanvas, createPlane, eachPixel, luma, mix, nearest, ramp } from '../blocks/canvas.js'
import { rgb, rgbOf, stretch, tinted } from '../blocks/colour.js'
import { fillLabels, labelsOf, paletteOf } from '../blocks/palette.js'
import { whileSmall } from '../blocks/scale.js'
import { calm } from '../blocks/smooth.js'
import { bordersOf, distances, paper } from '../blocks/surface.js'
import type { Look } from '../look.js'

/** Calms until only large clean shapes are left. */
export const simplified = (picture: Canvas, radius: number, stop: Stop): Canvas =>
  whileSmall(picture, Math.max(1, Math.round(radius / 4)), (small) => {
    const reach = (radius * small.width) / picture.width
    const once = calm(small, { radius: reach, stop })
    return calm(calm(once, { radius: reach * 0.8, stop }), { radius: Math.max(1, reach * 0.5), stop })
  })

/** The colours of areas, with borders as smooth as if they were cut, by letting each colour spread and the strongest win. */
export const smoothLabels = (labels: Uint8Array, picture: Canvas, count: number, sigma: number): Uint8Array => {
  const best = new Float32Array(labels.length)
  const smooth = labels.slice()
  const mask = createPlane(picture)
  for (let label = 0; label < count; label++) {
    for (let at = 0; at < labels.length; at++) mask[at] = labels[at] === label ? 1 : 0
    const spread = blur(mask, picture, sigma)
    for (let at = 0; at < labels.length; at++)
      if (spread[at]! > best[at]!) {
        best[at] = spread[at]!
        smooth[at] = label
      }
  }
  return smooth
}

export const minimalist: Look = (picture, { seed, stop }) => {
  const { unit } = picture
  stretch(picture, luma(picture), 0.25)
  const clean = simplified(picture, 9 * unit, stop)
  const palette = paletteOf(clean, 6, seed)
  const labels = smoothLabels(labelsOf(clean, palette), picture, palette.length, 5 * unit)
  const steps = Math.max(1, palette.length - 1)
  // Quiet, light colours; what was lightest becomes the empty sheet.
  const colours = palette.map(({ lab: [lightness, greenRed, blueYellow] }, at) =>
    at === palette.length - 1
      ? rgb('#f6f2ea')
      : rgbOf([mix(0.42 + 0.44 * (at / steps), lightness, 0.25), greenRed * 0.8, blueYellow * 0.8]),
  )
  return blurCanvas(fillLabels(clean, labels, colours), 0.8 * unit)
}

/** Sheets of coloured card, cut and stacked, the lightest behind; each throws a shadow on those below. */
export const flatPapercut: Look = (picture, { seed, stop, detail }) => {
  const { unit } = picture
  stretch(picture, luma(picture), 0.3)
  const clean = simplified(picture, 9 * unit, stop)
  const palette = paletteOf(clean, { low: 5, medium: 7, high: 9 }[detail], seed)
  const labels = smoothLabels(labelsOf(clean, palette), picture, palette.length, 5 * unit)
  const tooth = paper(picture, unit, seed)
  const card = createCanvas(picture)
  const back = palette.length - 1
  const colours = palette.map(({ rgb }) => tinted(rgb, { chroma: 1.25, lift: 0.03 }))
  for (let layer = back; layer >= 0; layer--) {
    stop.check()
    // Everything darker than this layer lies on top of it.
    const mask = createPlane(picture)
    for (let at = 0; at < mask.length; at++) mask[at] = labels[at]! <= layer ? 1 : 0
    const sheet = blur(mask, picture, 0.7 * unit)
    const shadow = blur(mask, picture, 8 * unit)
    const [red, green, blue] = colours[layer]!
    eachPixel(picture, stop, (at, x, y) => {
      const dark = shadow[nearest(picture, x - 5 * unit, y - 8 * unit)]!
      const dim = layer === back ? 1 : 1 - dark * 0.58 * (1 - sheet[at]!)
      const cover = layer === back ? 1 : sheet[at]!
      // A cut edge catches the light on the upper left.
      const lip = clamp((mask[at]! - shadow[at]!) * 1.2) * 0.1 * (layer === back ? 0 : 1)
      const light = 1 + tooth[at]! * 0.05
      card.red[at] = mix(card.red[at]! * dim, (red + lip) * light, cover)
      card.green[at] = mix(card.green[at]! * dim, (green + lip) * light, cover)
      card.blue[at] = mix(card.blue[at]! * dim, (blue + lip) * light, cover)
    })
  }
  return card
}

/** Night, bottle green, jade, brass and cream. */
const decoTones = ['#0c0f14', '#0f3338', '#1d5c58', '#c39a4b', '#f3e6c4'].map(rgb)

/** A poster of 1925: few stepped tones, fans and steps of gold. */
export const artDeco: Look = (picture, { stop }) => {
  const { unit, width, height } = picture
  stretch(picture, luma(picture), 0.35)
  const clean = simplified(picture, 9 * unit, stop)
  const tones = blur(luma(clean), picture, 1.5 * unit)
  const sorted = Float32Array.from({ length: 4001 }, (_, at) => tones[Math.floor((at / 4001) * tones.length)]!).sort()
  const limits = [0.22, 0.46, 0.68, 0.86].map((share) => sorted[Math.floor(share * 4000)]!)
  const labels = new Uint8Array(tones.length)
  for (let at = 0; at < labels.length; at++) {
    let band = 0
    while (band < 4 && tones[at]! > limits[band]!) band++
    labels[at] = band
  }
  const smooth = smoothLabels(labels, picture, 5, 5 * unit)
  const poster = blurCanvas(fillLabels(clean, smooth, decoTones), 0.6 * unit)
  const edges = distances(bordersOf(smooth, picture), picture)
  const frame = Math.min(width, height) * 0.035
  eachPixel(picture, stop, (at, x, y) => {
    const turn = (Math.atan2(x - width / 2, height * 1.04 - y) / Math.PI) * 44
    const isRay =
      ramp(0.44, 0.5, Math.abs(turn - Math.round(turn)) * 2) *
      ramp(0.75, 0.5, Math.abs(turn - Math.round(turn)) * 2 - 0.25)
    const fan = mix(1, 1.2, isRay * (smooth[at]! > 0 ? 1 : 0.6))
    const gold = Math.max(ramp(1.9 * unit, 0.9 * unit, edges[at]!) * (smooth[at]! < 4 ? 0.95 : 0.6), 0)
    const sheen = 0.82 + 0.3 * Math.sin(((x + y) / (width + height)) * 9)
    let red = poster.red[at]! * fan + (fan - 1) * 0.1
    let green = poster.green[at]! * fan + (fan - 1) * 0.1
    let blue = poster.blue[at]! * fan + (fan - 1) * 0.07
    red = mix(red, 0.86 * sheen, gold)
    green = mix(green, 0.69 * sheen, gold)
    blue = mix(blue, 0.36 * sheen, gold)
    const border = frameLines(x, y, width, height, frame)
    const isGold = border === 1
    poster.red[at] = border === 0 ? red : isGold ? 0.8 * sheen : 0.045
    poster.green[at] = border === 0 ? green : isGold ? 0.64 * sheen : 0.06
    poster.blue[at] = border === 0 ? blue : isGold ? 0.33 * sheen : 0.08
  })
  return poster
}

/** 0 inside, 1 on a golden line, 2 on the dark frame; its corners step in. */
const frameLines = (x: number, y: number, width: number, height: number, frame: number): 0 | 1 | 2 => {
  const near = Math.min(x, width - 1 - x)
  const high = Math.min(y, height - 1 - y)
  const step =
    near < frame * 4 && high < frame * 4
      ? frame * (near + high < frame * 3.6 ? 2.4 : near < frame * 2.4 || high < frame * 2.4 ? 1 : 0)
      : 0
  const inside = Math.min(near, high) - Math.min(step, frame * 1.2)
  if (inside > frame) return 0
  const place = inside / frame
  return (place > 0.86 && place <= 1) || (place > 0.6 && place < 0.68) ? 1 : 2
}
