import { blur } from '../blocks/blur.js'
import { clamp, createCanvas, eachPixel, luma, mix, ramp } from '../blocks/canvas.js'
import { contrast, curve, saturate, stretch, vignette } from '../blocks/colour.js'
import { createRandom, grain } from '../blocks/random.js'
import { smoothInside } from '../blocks/smooth.js'
import { shade } from '../blocks/surface.js'
import type { Look } from '../look.js'
import { bloom } from './photo.js'

export const analogFilm: Look = (picture, { seed, stop }) => {
  const { unit, width, height, red, green, blue } = picture
  const bright = luma(picture).map((tone) => ramp(0.62, 0.98, tone))
  const halo = blur(bright, picture, 14 * unit)
  const random = createRandom(seed)
  const [leakX, leakY] = [random() < 0.5 ? -0.05 : 1.05, 0.2 + random() * 0.6]
  saturate(picture, 0.78)
  const dye = contrast(1.7, 0.48)
  curve(
    picture,
    (value) => 0.1 + dye(value) * 0.87,
    (value) => 0.075 + dye(value) * 0.86,
    (value) => 0.15 + dye(value) * 0.6,
  )
  eachPixel(picture, stop, (at, x, y) => {
    // Light that passes the film comes back red from behind it.
    const halation = Math.max(0, halo[at]! - bright[at]! * 0.35) * 0.55
    const leak = Math.exp(-(((x / width - leakX) * 2.6) ** 2 + ((y / height - leakY) * 1.5) ** 2)) * 0.5
    red[at] = red[at]! + (1 - red[at]!) * (halation + leak)
    green[at] = green[at]! + (1 - green[at]!) * (halation * 0.28 + leak * 0.38)
    blue[at] = blue[at]! + (1 - blue[at]!) * leak * 0.08
  })
  shade(picture, grain(picture, unit, seed), 0.055)
  return vignette(picture, { amount: 0.25, start: 0.5, stop })
}

export const cinematic: Look = (picture, { seed, stop }) => {
  const { unit, width, height, red, green, blue } = picture
  const tones = luma(picture)
  const hard = contrast(2.6, 0.5)
  bloom(picture, { sigma: 30 * unit, from: 0.6, amount: 0.3, tint: [1, 0.8, 0.55] })
  saturate(picture, 0.85)
  curve(picture, (value) => hard(value) * 0.94)
  // Wide screens are 2.39 to 1; a square is not cut that far.
  const bar = Math.min(0.11, Math.max(0, (1 - width / height / 2.39) / 2))
  eachPixel(picture, stop, (at, _, y) => {
    const place = (y + 0.5) / height
    if (place < bar || place > 1 - bar) {
      red[at] = green[at] = blue[at] = 0.012
      return
    }
    // Skin and lamps go to orange, shadows to teal.
    const light = ramp(0.2, 0.75, tones[at]!)
    red[at] = red[at]! * mix(0.72, 1.1, light)
    green[at] = green[at]! * mix(1.0, 0.99, light) + mix(0.022, 0, light)
    blue[at] = blue[at]! * mix(1.18, 0.78, light) + mix(0.05, 0, light)
  })
  shade(picture, grain(picture, unit, seed), 0.012)
  return vignette(picture, { amount: 0.35, start: 0.45, stop })
}

export const filmNoir: Look = (picture, { seed, stop }) => {
  const { unit, width, height } = picture
  stretch(picture, luma(picture), 0.3)
  const tones = luma(picture)
  const hard = contrast(6, 0.5)
  const specks = grain(picture, unit, seed)
  const lamp = createRandom(seed)() < 0.5 ? 0.28 : 0.72
  const noir = createCanvas(picture)
  eachPixel(picture, stop, (at, x, y) => {
    const across = x / width
    const down = y / height
    const pool = Math.exp(-(((across - lamp) / 0.55) ** 2 + ((down - 0.42) / 0.62) ** 2))
    // Light through a blind, softly: the slats throw slanted stripes.
    const slat = Math.sin((down * 1.0 + (across - 0.5) * 0.22) * Math.PI * 2 * 11)
    const blind = mix(1, 0.55 + 0.45 * ramp(-0.35, 0.15, slat), 0.75)
    const tone = hard(clamp(tones[at]! * (0.32 + 0.95 * pool) * blind + 0.02)) + specks[at]! * 0.06
    noir.red[at] = noir.green[at] = noir.blue[at] = clamp(tone)
  })
  bloom(noir, { sigma: 16 * unit, from: 0.7, amount: 0.25 })
  return vignette(noir, { amount: 0.75, start: 0.45, stop })
}

/** Black and white as through a yellow filter: dark skies, light skin, all tones between. */
export const monochrome: Look = (picture, { seed, stop }) => {
  stretch(picture, luma(picture), 0.2)
  const { red, green, blue, unit } = picture
  const tones = new Float32Array(red.length)
  for (let at = 0; at < tones.length; at++) tones[at] = 0.5 * red[at]! + 0.45 * green[at]! + 0.05 * blue[at]!
  const base = smoothInside(tones, picture, { radius: 26 * unit, edge: 0.14 })
  const specks = grain(picture, unit, seed)
  const gentle = contrast(2)
  eachPixel(picture, stop, (at) => {
    const tone = gentle(clamp(tones[at]! + (tones[at]! - base[at]!) * 0.5)) + specks[at]! * 0.008
    red[at] = green[at] = blue[at] = clamp(tone)
  })
  return vignette(picture, { amount: 0.2, start: 0.55, stop })
}
