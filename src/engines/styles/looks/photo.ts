import { blur, blurCanvas } from '../blocks/blur.js'
import { type Canvas, distance, eachPixel, luma, mix, type Plane, ramp } from '../blocks/canvas.js'
import { contrast, curve, saturate, stretch, vignette } from '../blocks/colour.js'
import { smoothInside } from '../blocks/smooth.js'
import { shade } from '../blocks/surface.js'
import type { Look } from '../look.js'

const minus = (one: Plane, other: Plane): Plane => {
  const difference = new Float32Array(one.length)
  for (let at = 0; at < one.length; at++) difference[at] = one[at]! - other[at]!
  return difference
}

/** What stands out from its surroundings stands out more. Edges of objects get no halos. */
const clarify = (canvas: Canvas, radius: number, amount: number) => {
  const tones = luma(canvas)
  shade(canvas, minus(tones, smoothInside(tones, canvas, { radius, edge: 0.12 })), amount)
}

const sharpen = (canvas: Canvas, sigma: number, amount: number) => {
  const tones = luma(canvas)
  shade(canvas, minus(tones, blur(tones, canvas, sigma)), amount)
}

/** Out of focus away from the middle; `sharp` is how much of the picture (0 to 1) is not. */
const focusMiddle = (
  canvas: Canvas,
  { sigma, sharp, stop }: { sigma: number; sharp: number; stop: Parameters<Look>[1]['stop'] },
) => {
  const soft = blurCanvas(canvas, sigma)
  const { width, height, red, green, blue } = canvas
  eachPixel(canvas, stop, (at, x, y) => {
    const far = distance((x + 0.5) / width - 0.5, ((y + 0.5) / height - 0.55) * 1.15) * 2
    const share = ramp(sharp, sharp + 0.55, far)
    red[at] = mix(red[at]!, soft.red[at]!, share)
    green[at] = mix(green[at]!, soft.green[at]!, share)
    blue[at] = mix(blue[at]!, soft.blue[at]!, share)
  })
}

/** Adds the light that bright parts scatter. */
export const bloom = (
  canvas: Canvas,
  { sigma, from, amount, tint = [1, 1, 1] }: { sigma: number; from: number; amount: number; tint?: readonly number[] },
) => {
  const bright = luma(canvas).map((tone) => ramp(from, 1, tone) * tone)
  const glow = blur(bright, canvas, sigma)
  const { red, green, blue } = canvas
  for (let at = 0; at < glow.length; at++) {
    const light = glow[at]! * amount
    red[at]! += (1 - red[at]!) * light * tint[0]!
    green[at]! += (1 - green[at]!) * light * tint[1]!
    blue[at]! += (1 - blue[at]!) * light * tint[2]!
  }
}

export const enhance: Look = (picture, { stop }) => {
  stretch(picture, luma(picture), 0.15)
  stop.check()
  clarify(picture, 24 * picture.unit, 0.55)
  sharpen(picture, 1.1 * picture.unit, 0.7)
  curve(picture, contrast(1.5))
  return saturate(picture, 1.1, 0.35)
}

export const photographic: Look = (picture, { stop }) => {
  focusMiddle(picture, { sigma: 5 * picture.unit, sharp: 0.5, stop })
  bloom(picture, { sigma: 24 * picture.unit, from: 0.55, amount: 0.3, tint: [1, 0.94, 0.82] })
  const soft = contrast(1.9, 0.46)
  curve(
    picture,
    (value) => 0.015 + soft(value) * 0.995,
    (value) => 0.012 + soft(value) * 0.975,
    (value) => 0.03 + soft(value) * 0.9,
  )
  return vignette(saturate(picture, 0.95), { amount: 0.4, start: 0.3, stop })
}

export const hyperrealism: Look = (picture, { stop }) => {
  clarify(picture, 3 * picture.unit, 1.7)
  stop.check()
  clarify(picture, 14 * picture.unit, 0.9)
  sharpen(picture, 1.4 * picture.unit, 0.9)
  const hard = contrast(2.2, 0.5)
  curve(
    picture,
    (value) => hard(value) * 0.97,
    (value) => hard(value),
    (value) => hard(value ** 0.95) * 1.03,
  )
  return saturate(picture, 0.82)
}

export const hdr: Look = (picture, { stop }) => {
  const { unit, red, green, blue } = picture
  stretch(picture, luma(picture), 0.2)
  const tones = luma(picture)
  const base = smoothInside(tones, picture, { radius: 30 * unit, edge: 0.3 })
  const around = blur(base, picture, 40 * unit)
  eachPixel(picture, stop, (at) => {
    // The light of a whole area is evened out, and what is within it exaggerated.
    const level = 0.5 + (base[at]! - 0.5) * 0.62 - (around[at]! - 0.5) * 0.22
    const tone = Math.max(0.02, level + (tones[at]! - base[at]!) * 2.4)
    const gain = tone / Math.max(0.04, tones[at]!)
    red[at] = mix(red[at]! * gain, red[at]! + tone - tones[at]!, 0.4)
    green[at] = mix(green[at]! * gain, green[at]! + tone - tones[at]!, 0.4)
    blue[at] = mix(blue[at]! * gain, blue[at]! + tone - tones[at]!, 0.4)
  })
  sharpen(picture, 1.6 * unit, 0.8)
  return saturate(picture, 1.3, 0.3)
}

export const foodPhotography: Look = (picture, { stop }) => {
  const { unit, width, height, red, green, blue } = picture
  clarify(picture, 6 * unit, 0.7)
  saturate(picture, 1.25, 0.2)
  focusMiddle(picture, { sigma: 16 * unit, sharp: 0.45, stop })
  // A large window to the left behind the table.
  eachPixel(picture, stop, (at, x, y) => {
    const light = 1.2 - 0.38 * ramp(0, 1.3, x / width + (y / height) * 0.35)
    red[at] = red[at]! * light * 1.06
    green[at] = green[at]! * light * 1.0
    blue[at] = blue[at]! * light * 0.84
  })
  const lifted = (value: number) => 0.05 + 0.95 * value ** 0.8
  curve(picture, lifted, lifted, (value) => 0.03 + 0.95 * value ** 0.84)
  bloom(picture, { sigma: 30 * unit, from: 0.6, amount: 0.35, tint: [1, 0.93, 0.75] })
  return picture
}
