import type { Stop } from '../../threads/serve.js'
import { type Canvas, clamp, createCanvas, distance, eachPixel, type Plane, ramp } from './canvas.js'

export type Rgb = readonly [red: number, green: number, blue: number]
/** Oklab: lightness 0 to 1, then green to red and blue to yellow, about -0.4 to 0.4. */
export type Lab = readonly [lightness: number, greenRed: number, blueYellow: number]

/** '#ff8000' as numbers from 0 to 1. */
export const rgb = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16)
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255]
}

const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const toEncoded = (value: number) =>
  value <= 0.0031308 ? Math.max(0, value) * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055

export const labOf = ([r, g, b]: Rgb): Lab => {
  const [red, green, blue] = [toLinear(r), toLinear(g), toLinear(b)]
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

export const rgbOf = ([lightness, greenRed, blueYellow]: Lab): Rgb => {
  const l = (lightness + 0.3963377774 * greenRed + 0.2158037573 * blueYellow) ** 3
  const m = (lightness - 0.1055613458 * greenRed - 0.0638541728 * blueYellow) ** 3
  const s = (lightness - 0.0894841775 * greenRed - 1.291485548 * blueYellow) ** 3
  return [
    clamp(toEncoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)),
    clamp(toEncoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)),
    clamp(toEncoded(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)),
  ]
}

/** The same colour with more or less of it. */
export const tinted = (colour: Rgb, { chroma = 1, lightness = 1, lift = 0 }): Rgb => {
  const [light, greenRed, blueYellow] = labOf(colour)
  return rgbOf([clamp(light * lightness + lift), greenRed * chroma, blueYellow * chroma])
}

/** A colour of the rainbow; `turn` goes around once from 0 to 1. All are about equally light. */
export const hue = (turn: number, lightness = 0.7, chroma = 0.17): Rgb => {
  const angle = turn * 2 * Math.PI
  return rgbOf([lightness, Math.cos(angle) * chroma, Math.sin(angle) * chroma])
}

/** Colours along a row of stops, 256 of them, as [red, green, blue, red, ...]. */
export const gradient = (stops: readonly (readonly [at: number, colour: Rgb])[]): Float32Array => {
  const table = new Float32Array(256 * 3)
  for (let step = 0; step < 256; step++) {
    const place = step / 255
    const after = Math.max(
      1,
      stops.findIndex(([at]) => at >= place),
    )
    const [to, toColour] = stops[after] ?? stops.at(-1)!
    const [from, fromColour] = stops[after - 1]!
    const share = clamp((place - from) / (to - from))
    for (let channel = 0; channel < 3; channel++)
      table[step * 3 + channel] = fromColour[channel]! + (toColour[channel]! - fromColour[channel]!) * share
  }
  return table
}

/** A picture whose tones are the colours of a gradient. */
export const coloured = (tones: Plane, like: Canvas, table: Float32Array): Canvas => {
  const canvas = createCanvas(like)
  for (let at = 0; at < tones.length; at++) {
    const from = ((clamp(tones[at]!) * 255 + 0.5) | 0) * 3
    canvas.red[at] = table[from]!
    canvas.green[at] = table[from + 1]!
    canvas.blue[at] = table[from + 2]!
  }
  return canvas
}

/** More (above 1) or less saturation; `vibrance` favours what is pale and spares what is already strong. */
export const saturate = (canvas: Canvas, amount: number, vibrance = 0): Canvas => {
  const { red, green, blue } = canvas
  for (let at = 0; at < red.length; at++) {
    const tone = 0.299 * red[at]! + 0.587 * green[at]! + 0.114 * blue[at]!
    const most = Math.max(red[at]!, green[at]!, blue[at]!)
    const least = Math.min(red[at]!, green[at]!, blue[at]!)
    const factor = amount + vibrance * (1 - (most - least))
    red[at] = tone + (red[at]! - tone) * factor
    green[at] = tone + (green[at]! - tone) * factor
    blue[at] = tone + (blue[at]! - tone) * factor
  }
  return canvas
}

/** Applies a curve to each channel through a table, so the curve may be costly. */
export const curve = (canvas: Canvas, ...curves: ((value: number) => number)[]): Canvas => {
  const planes = [canvas.red, canvas.green, canvas.blue]
  planes.forEach((plane, channel) => {
    const shape = curves[channel] ?? curves[0]!
    const table = Float32Array.from({ length: 1025 }, (_, step) => shape(step / 1024))
    for (let at = 0; at < plane.length; at++) plane[at] = table[(clamp(plane[at]!) * 1024 + 0.5) | 0]!
  })
  return canvas
}

/** An S: darker shadows and lighter highlights around a middle. */
export const contrast = (amount: number, middle = 0.5) => {
  const low = Math.tanh(amount * (0 - middle))
  const high = Math.tanh(amount * (1 - middle))
  return (value: number) => (Math.tanh(amount * (value - middle)) - low) / (high - low)
}

/** Stretches the tones so that the darkest and lightest thousandths become black and white, as far as `limit` allows. */
export const stretch = (canvas: Canvas, tones: Plane, limit: number): Canvas => {
  const counts = new Uint32Array(256)
  for (const tone of tones) counts[(clamp(tone) * 255) | 0]!++
  const find = (share: number) => {
    let sum = 0
    for (let step = 0; step < 256; step++) {
      sum += counts[step]!
      if (sum >= share * tones.length) return step / 255
    }
    return 1
  }
  const low = Math.min(find(0.002), limit)
  const high = Math.max(find(0.998), 1 - limit)
  return curve(canvas, (value) => (value - low) / (high - low))
}

/** Darkens towards the corners, by `amount`, from `start` (0 in the middle, 1 in the corners) on. */
export const vignette = (
  canvas: Canvas,
  { amount, start = 0.4, stop }: { amount: number; start?: number; stop: Stop },
) => {
  const { width, height, red, green, blue } = canvas
  eachPixel(canvas, stop, (at, x, y) => {
    const far = distance((x + 0.5) / width - 0.5, (y + 0.5) / height - 0.5) * Math.SQRT2
    const light = 1 - amount * ramp(start, 1.15, far)
    red[at]! *= light
    green[at]! *= light
    blue[at]! *= light
  })
  return canvas
}
