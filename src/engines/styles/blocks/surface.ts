import { blur } from './blur.js'
import { type Canvas, clamp, createPlane, type Plane, type Size } from './canvas.js'
import { noise } from './random.js'

/** How a landscape looks with the sun at the top left: about -1 in the shade to 1 on the sunny side. */
export const relief = (heights: Plane, size: Size, steepness: number): Plane => {
  const { width, height } = size
  const light = createPlane(size)
  for (let y = 0, at = 0; y < height; y++) {
    const above = y > 0 ? width : 0
    const below = y < height - 1 ? width : 0
    for (let x = 0; x < width; x++, at++) {
      const left = x > 0 ? 1 : 0
      const right = x < width - 1 ? 1 : 0
      const slope = heights[at + right]! - heights[at - left]! + heights[at + below]! - heights[at - above]!
      light[at] = clamp(-slope * steepness, -1, 1)
    }
  }
  return light
}

/** The tooth of drawing paper, lit from the side. */
export const paper = (size: Size, unit: number, seed: number): Plane => {
  const pulp = noise(size, { cell: 5 * unit, seed, octaves: 3 })
  const heights = unit > 1.5 ? blur(pulp, size, unit * 0.4) : pulp
  return relief(heights, size, 0.55 * unit)
}

/** How high each point of woven linen stands, 0 to 1; `thread` in pixels. */
export const weave = (x: number, y: number, thread: number) => {
  const column = Math.floor(x / thread)
  const row = Math.floor(y / thread)
  const across = x / thread - column - 0.5
  const down = y / thread - row - 0.5
  // Over and under by turns: the upper thread is round, and bends down at its ends.
  const isWarp = (column + row) % 2 === 0
  const side = isWarp ? across : down
  const along = isWarp ? down : across
  return Math.sqrt(Math.max(0, 1 - 3.2 * side * side)) * (1 - 1.1 * along * along)
}

/** Adds light and shade to all channels. */
export const shade = ({ red, green, blue }: Canvas, light: Plane, amount: number): void => {
  for (let at = 0; at < light.length; at++) {
    const change = light[at]! * amount
    red[at]! += change
    green[at]! += change
    blue[at]! += change
  }
}

/** How far each pixel is from the nearest marked one (two chamfer passes), in pixels. */
export const distances = (marked: ArrayLike<number>, { width, height }: Size): Plane => {
  const far = new Float32Array(width * height)
  for (let at = 0; at < far.length; at++) far[at] = marked[at] ? 0 : 1e6
  const diagonal = Math.SQRT2
  const improve = (at: number, x: number, y: number, step: number) => {
    const row = step * width
    let least = far[at]!
    if (x - step >= 0 && x - step < width) least = Math.min(least, far[at - step]! + 1)
    if (y - step >= 0 && y - step < height) {
      least = Math.min(least, far[at - row]! + 1)
      if (x > 0) least = Math.min(least, far[at - row - 1]! + diagonal)
      if (x < width - 1) least = Math.min(least, far[at - row + 1]! + diagonal)
    }
    far[at] = least
  }
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) improve(y * width + x, x, y, 1)
  for (let y = height - 1; y >= 0; y--) for (let x = width - 1; x >= 0; x--) improve(y * width + x, x, y, -1)
  return far
}

/** 1 where a label meets another one. */
export const bordersOf = (labels: ArrayLike<number>, { width, height }: Size): Uint8Array => {
  const borders = new Uint8Array(width * height)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const differsRight = x + 1 < width && labels[at] !== labels[at + 1]
      const differsBelow = y + 1 < height && labels[at] !== labels[at + width]
      if (differsRight || differsBelow) borders[at] = 1
    }
  return borders
}
