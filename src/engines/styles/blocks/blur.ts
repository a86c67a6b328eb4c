import { type Canvas, createPlane, type Plane, type Size } from './canvas.js'
import { grown, shrunk } from './scale.js'

/** As through a lens that is out of focus; `sigma` in pixels. */
export const blur = (plane: Plane, size: Size, sigma: number): Plane => {
  if (sigma < 0.3) return plane.slice()
  // A blur leaves nothing that a smaller picture could not hold.
  const factor = Math.floor(sigma / 0.9)
  if (factor < 2) return convolve(plane, size, bell(sigma))
  const small = shrunk(plane, size, factor)
  // Shrinking and growing blur as well, together about like half a small pixel.
  const rest = Math.sqrt((sigma / factor) ** 2 - 0.25)
  return grown(convolve(small.plane, small, bell(rest)), small, size, factor)
}

export const blurCanvas = (canvas: Canvas, sigma: number): Canvas => ({
  ...canvas,
  red: blur(canvas.red, canvas, sigma),
  green: blur(canvas.green, canvas, sigma),
  blue: blur(canvas.blue, canvas, sigma),
})

/** The mean of a square around each pixel; at the borders, of the part that is there. */
export const boxBlur = (plane: Plane, { width, height }: Size, radius: number): Plane => {
  const rows = new Float32Array(plane.length)
  const across = Math.min(radius, width - 1)
  for (let y = 0; y < height; y++) {
    const start = y * width
    let sum = 0
    for (let x = 0; x < across; x++) sum += plane[start + x]!
    let count = across
    for (let x = 0; x < width; x++) {
      if (x + across < width) {
        sum += plane[start + x + across]!
        count++
      }
      rows[start + x] = sum / count
      if (x >= across) {
        sum -= plane[start + x - across]!
        count--
      }
    }
  }
  const blurred = new Float32Array(plane.length)
  const sums = new Float64Array(width)
  const down = Math.min(radius, height - 1)
  for (let y = 0; y < down; y++) for (let x = 0; x < width; x++) sums[x]! += rows[y * width + x]!
  let count = down
  for (let y = 0; y < height; y++) {
    if (y + down < height) {
      const entering = (y + down) * width
      for (let x = 0; x < width; x++) sums[x]! += rows[entering + x]!
      count++
    }
    const at = y * width
    for (let x = 0; x < width; x++) blurred[at + x] = sums[x]! / count
    if (y >= down) {
      const leaving = (y - down) * width
      for (let x = 0; x < width; x++) sums[x]! -= rows[leaving + x]!
      count--
    }
  }
  return blurred
}

/** Half of a bell curve: the weight of the middle, then those beside it. */
const bell = (sigma: number) => {
  const weights = Float32Array.from({ length: Math.ceil(sigma * 2.5) + 1 }, (_, far) =>
    Math.exp(-(far * far) / (2 * sigma * sigma)),
  )
  const sum = weights.reduce((total, weight) => total + 2 * weight, -weights[0]!)
  return weights.map((weight) => weight / sum)
}

const convolve = (plane: Plane, size: Size, weights: Float32Array): Plane => {
  const { width, height } = size
  const radius = weights.length - 1
  const rows = createPlane(size)
  const padded = new Float32Array(width + 2 * radius)
  for (let y = 0; y < height; y++) {
    const start = y * width
    padded.fill(plane[start]!, 0, radius).fill(plane[start + width - 1]!, width + radius)
    padded.set(plane.subarray(start, start + width), radius)
    for (let x = 0; x < width; x++) {
      const at = x + radius
      let sum = padded[at]! * weights[0]!
      for (let far = 1; far <= radius; far++) sum += (padded[at - far]! + padded[at + far]!) * weights[far]!
      rows[start + x] = sum
    }
  }
  const blurred = createPlane(size)
  for (let y = 0; y < height; y++) {
    const start = y * width
    const middle = weights[0]!
    for (let x = 0; x < width; x++) blurred[start + x] = rows[start + x]! * middle
    for (let far = 1; far <= radius; far++) {
      const above = Math.max(0, y - far) * width
      const below = Math.min(height - 1, y + far) * width
      const weight = weights[far]!
      for (let x = 0; x < width; x++) blurred[start + x]! += (rows[above + x]! + rows[below + x]!) * weight
    }
  }
  return blurred
}
