import type { Raster } from '../../pixels/raster.js'
import type { Stop } from '../../threads/serve.js'

/** One number per pixel, row by row; 0 to 1 where it is a tone. */
export type Plane = Float32Array

export type Size = { width: number; height: number }

/** A picture to work on: three planes in sRGB as it is encoded, without opacity. */
export type Canvas = Size & {
  red: Plane
  green: Plane
  blue: Plane
  /** One thousandth or so of the picture's extent, in pixels. Sizes of strokes and dots are multiples of it. */
  unit: number
}

/** The unit is never so small that strokes vanish. */
const unitMin = 0.3

export const unitOf = ({ width, height }: Size) => Math.max(unitMin, Math.sqrt(width * height) / 1024)

export const createPlane = ({ width, height }: Size): Plane => new Float32Array(width * height)

export const createCanvas = (
  size: Size,
  [red, green, blue]: readonly [number, number, number] = [0, 0, 0],
): Canvas => ({
  width: size.width,
  height: size.height,
  red: createPlane(size).fill(red),
  green: createPlane(size).fill(green),
  blue: createPlane(size).fill(blue),
  unit: unitOf(size),
})

/** What is transparent lies on white paper. */
export const canvasOf = ({ data, width, height }: Raster): Canvas => {
  const canvas = createCanvas({ width, height })
  const { red, green, blue } = canvas
  for (let at = 0, from = 0; at < red.length; at++, from += 4) {
    const opacity = data[from + 3]! / 65025
    const paper = 1 - opacity * 255
    red[at] = data[from]! * opacity + paper
    green[at] = data[from + 1]! * opacity + paper
    blue[at] = data[from + 2]! * opacity + paper
  }
  return canvas
}

export const rasterOf = ({ red, green, blue, width, height }: Canvas): Raster => {
  const data = new Uint8ClampedArray(red.length * 4)
  for (let at = 0, to = 0; at < red.length; at++, to += 4) {
    data[to] = red[at]! * 255
    data[to + 1] = green[at]! * 255
    data[to + 2] = blue[at]! * 255
    data[to + 3] = 255
  }
  return { data, width, height }
}

export const eachPixel = (
  { width, height }: Size,
  stop: Stop,
  visit: (at: number, x: number, y: number) => void,
): void => {
  for (let y = 0, at = 0; y < height; y++) {
    stop.check()
    for (let x = 0; x < width; x++, at++) visit(at, x, y)
  }
}

/** How light each pixel looks. */
export const luma = ({ red, green, blue }: Canvas): Plane => {
  const tones = new Float32Array(red.length)
  for (let at = 0; at < tones.length; at++) tones[at] = 0.299 * red[at]! + 0.587 * green[at]! + 0.114 * blue[at]!
  return tones
}

/** How warm each pixel looks. A sun may be exactly as light as the sky around it, and still has an edge. */
export const warmth = ({ red, green, blue }: Canvas): Plane => {
  const warm = new Float32Array(red.length)
  for (let at = 0; at < warm.length; at++) warm[at] = 0.45 * red[at]! - 0.05 * green[at]! - 0.4 * blue[at]!
  return warm
}

/** `Math.hypot` guards against overflow, which is slow. */
export const distance = (x: number, y: number) => Math.sqrt(x * x + y * y)

export const clamp = (value: number, low = 0, high = 1) => (value < low ? low : value > high ? high : value)

export const mix = (from: number, to: number, share: number) => from + (to - from) * share

/** 0 below `low`, 1 above `high`, and soft between them. */
export const ramp = (low: number, high: number, value: number) => {
  const share = clamp((value - low) / (high - low))
  return share * share * (3 - 2 * share)
}

/** The pixel nearest to a place, which may lie outside. */
export const nearest = ({ width, height }: Size, x: number, y: number) =>
  clamp(y | 0, 0, height - 1) * width + clamp(x | 0, 0, width - 1)

/** The value between pixels. */
export const sample = (plane: Plane, { width, height }: Size, x: number, y: number) => {
  const left = clamp(x, 0, width - 1)
  const top = clamp(y, 0, height - 1)
  const column = left | 0
  const row = top | 0
  const right = column + 1 < width ? 1 : 0
  const below = row + 1 < height ? width : 0
  const at = row * width + column
  const above = mix(plane[at]!, plane[at + right]!, left - column)
  return mix(above, mix(plane[at + below]!, plane[at + below + right]!, left - column), top - row)
}
