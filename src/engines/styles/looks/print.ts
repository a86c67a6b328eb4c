import { blur, blurCanvas } from '../blocks/blur.js'
import { clamp, createCanvas, createPlane, eachPixel, luma, mix, ramp } from '../blocks/canvas.js'
import { contrast, rgb, saturate, stretch, tinted } from '../blocks/colour.js'
import { flowOf } from '../blocks/flow.js'
import { inkLines } from '../blocks/ink.js'
import { fillLabels, labelsOf, paletteOf } from '../blocks/palette.js'
import { noise } from '../blocks/random.js'
import { dot, line } from '../blocks/screen.js'
import { calm } from '../blocks/smooth.js'
import type { Look } from '../look.js'

export const comicBook: Look = (picture, { seed, stop, detail }) => {
  const { unit } = picture
  stretch(picture, luma(picture), 0.25)
  const clean = calm(calm(picture, { radius: 5 * unit, stop }), { radius: 3 * unit, stop })
  const tones = luma(clean)
  const palette = paletteOf(saturate(clean, 1.35, 0.15), { low: 8, medium: 12, high: 18 }[detail], seed)
  const labels = labelsOf(clean, palette)
  const flat = blurCanvas(
    fillLabels(
      clean,
      labels,
      palette.map((colour) => tinted(colour.rgb, { chroma: 1.3, lift: 0.045 })),
    ),
    0.7 * unit,
  )
  const flow = flowOf(tones, picture, { sigma: 3.5 * unit, seed })
  const pen = inkLines(tones, picture, { width: 2.3 * unit, flow, faintest: 0.013, steps: 6, stop })
  const soft = blur(luma(picture), picture, 3 * unit)
  eachPixel(picture, stop, (at, x, y) => {
    const tone = soft[at]!
    const shadow = dot(x, y, { cell: 9 * unit, angle: 0.5, amount: 0.7 * ramp(0.68, 0.22, tone) }) * 0.6
    const black = Math.max(pen[at]!, ramp(0.17, 0.1, tone))
    flat.red[at] = mix(flat.red[at]! * (1 - shadow * 0.9), 0.045, black)
    flat.green[at] = mix(flat.green[at]! * (1 - shadow * 0.9), 0.04, black)
    flat.blue[at] = mix(flat.blue[at]! * (1 - shadow * 0.65), 0.07, black)
  })
  return flat
}

/** Silk screens: background, shade, middle, light. */
const screens = [
  ['#ff2d87', '#2b1d8f', '#00b5e2', '#ffe600'],
  ['#00c2a8', '#5b0f6e', '#ff4f3f', '#ffd9ec'],
  ['#ffd400', '#0b3fae', '#ff3b5c', '#c9f5ff'],
  ['#7a2bf5', '#11224d', '#ff7a00', '#fff36b'],
].map((colours) => colours.map(rgb))

export const popArt: Look = (picture, { seed, stop }) => {
  const { unit } = picture
  stretch(picture, luma(picture), 0.35)
  const clean = calm(calm(picture, { radius: 7 * unit, stop }), { radius: 4 * unit, stop })
  const tones = blur(luma(clean), picture, 1.2 * unit)
  const [low, middle, high] = thirds(tones)
  const flow = flowOf(tones, picture, { sigma: 4 * unit, seed })
  const pen = inkLines(tones, picture, { width: 2.8 * unit, flow, faintest: 0.02, steps: 6, stop })
  const [ground, shade, body, light] = screens[Math.abs(seed) % screens.length]!
  const print = createCanvas(picture)
  eachPixel(picture, stop, (at, x, y) => {
    const tone = tones[at]!
    const soft = 0.012
    const isBody = ramp(low - soft, low + soft, tone)
    const isGround = ramp(middle - soft, middle + soft, tone)
    const isLight = ramp(high - soft, high + soft, tone)
    // Ben-Day dots of the next lighter colour grow towards it.
    const towards =
      tone < middle ? (tone - low) / Math.max(0.02, middle - low) : (tone - middle) / Math.max(0.02, high - middle)
    const dots =
      isLight < 0.5 && isBody > 0.5
        ? dot(x, y, { cell: 11 * unit, angle: 0.79, amount: 0.1 + 0.55 * clamp(towards) })
        : 0
    const black = Math.max(pen[at]!, ramp(0.1, 0.06, tone))
    for (let channel = 0; channel < 3; channel++) {
      const plane = channel === 0 ? print.red : channel === 1 ? print.green : print.blue
      const upper = tone < middle ? ground![channel]! : light![channel]!
      let ink = mix(shade![channel]!, body![channel]!, isBody)
      ink = mix(ink, ground![channel]!, isGround)
      ink = mix(ink, light![channel]!, isLight)
      plane[at] = mix(mix(ink, upper, dots), 0.03, black)
    }
  })
  return print
}

/** Tones that divide a picture into a dark quarter, two middles and a light quarter. */
const thirds = (tones: Float32Array): [number, number, number] => {
  const step = Math.max(1, Math.floor(tones.length / 20_000))
  const some = Float32Array.from({ length: Math.ceil(tones.length / step) }, (_, at) => tones[at * step]!).sort()
  const low = clamp(some[(some.length * 0.26) | 0]!, 0.12, 0.5)
  const middle = clamp(some[(some.length * 0.52) | 0]!, low + 0.08, 0.75)
  return [low, middle, clamp(some[(some.length * 0.8) | 0]!, middle + 0.08, 0.95)]
}

/** Cut into a block: lines that swell with the shade, run around the forms and are never quite even. */
export const woodcut: Look = (picture, { seed, stop, detail }) => {
  const { unit } = picture
  stretch(picture, luma(picture), 0.3)
  const tones = luma(calm(picture, { radius: 3 * unit, stop }))
  const flow = flowOf(tones, picture, { sigma: 5 * unit, seed })
  const outline = inkLines(tones, picture, { width: 2.2 * unit, flow, faintest: 0.016, steps: 6, stop })
  const wide = blur(tones, picture, 22 * unit)
  const shape = blur(tones, picture, 2 * unit)
  const knife = noise(picture, { cell: 30 * unit, seed, octaves: 3 })
  const fibres = createPlane(picture)
  const wood = noise(picture, { cell: 14 * unit, seed: seed + 4, octaves: 2 })
  const cell = { low: 11, medium: 8.5, high: 6.5 }[detail] * unit
  const hard = contrast(2.6, 0.47)
  const print = createCanvas(picture)
  eachPixel(picture, stop, (at, x, y) => {
    const darkness = 1 - hard(clamp(shape[at]!))
    // Height lines of a soft relief: where the form turns, so do the cuts.
    const place = y * 0.92 + x * 0.38 + wide[at]! * 150 * unit + knife[at]! * 5 * unit
    const cuts = line(place, { cell, amount: clamp(darkness * 1.12 - 0.06) })
    const grainy = Math.sin((y + wood[at]! * 26 * unit) / (2.3 * unit)) * 0.5 + 0.5
    fibres[at] = grainy
    const black = clamp(Math.max(cuts, outline[at]!) - (1 - outline[at]!) * grainy * 0.1)
    print.red[at] = mix(0.935, 0.09, black)
    print.green[at] = mix(0.885, 0.075, black)
    print.blue[at] = mix(0.775, 0.07, black)
  })
  return print
}
