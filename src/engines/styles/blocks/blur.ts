import { type Canvas, createPlane, type Plane, type Size } from './canvas.js'

/** As through a lens that is out of focus; `sigma` in pixels. */
export const blur = (plane: Plane, size: Size, sigma: number): Plane => {
  if (sigma < 0.3) return plane.slice()
  if (sigma < 2) return convolve(plane, size, bell(sigma))
  // Three boxes are nearly a bell, and cost the same for every width.
  const radius = Math.max(1, Math.round(Math.sqrt((12 * sigma * sigma) / 3 + 1) / 2 - 0.5))
  return boxBlur(boxBlur(boxBlur(plane, size, radius), size, radius), size, radius)
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

const bell = (sigma: number) => {
  const radius = Math.ceil(sigma * 2.5)
  const weights = Float32Array.from({ length: radius * 2 + 1 }, (_, at) =>
    Math.exp(-((at - radius) ** 2) / (2 * sigma * sigma)),
  )
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

const convolve = (plane: Plane, size: Size, weights: Float32Array): Plane => {
  const { width, height } = size
  const radius = weights.length >> 1
  const rows = createPlane(size)
  for (let y = 0; y < height; y++) {
    const start = y * width
    for (let x = 0; x < width; x++) {
      let sum = 0
      if (x >= radius && x + radius < width) {
        const from = start + x - radius
        for (let tap = 0; tap < weights.length; tap++) sum += plane[from + tap]! * weights[tap]!
      } else {
        for (let tap = 0; tap < weights.length; tap++) {
          const column = Math.min(width - 1, Math.max(0, x + tap - radius))
          sum += plane[start + column]! * weights[tap]!
        }
      }
      rows[start + x] = sum
    }
  }
  const blurred = createPlane(size)
  for (let y = 0; y < height; y++) {
    const start = y * width
    for (let tap = 0; tap < weights.length; tap++) {
      const from = Math.min(height - 1, Math.max(0, y + tap - radius)) * width
      const weight = weights[tap]!
      for (let x = 0; x < width; x++) blurred[start + x]! += rows[from + x]! * weight
    }
  }
  return blurred
}
