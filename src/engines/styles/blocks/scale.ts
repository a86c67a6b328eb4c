import { type Canvas, createPlane, type Plane, type Size, unitOf } from './canvas.js'

/** The mean of each square of `factor` pixels. */
export const shrunk = (plane: Plane, { width, height }: Size, factor: number): Size & { plane: Plane } => {
  const size = { width: Math.ceil(width / factor), height: Math.ceil(height / factor) }
  const small = createPlane(size)
  const counts = new Uint32Array(size.width)
  for (let row = 0; row < size.height; row++) {
    const to = row * size.width
    counts.fill(0)
    for (let y = row * factor; y < Math.min(height, (row + 1) * factor); y++) {
      const from = y * width
      for (let column = 0, x = 0; column < size.width; column++)
        for (let end = Math.min(width, x + factor); x < end; x++) {
          small[to + column]! += plane[from + x]!
          counts[column]!++
        }
    }
    for (let column = 0; column < size.width; column++) small[to + column]! /= counts[column]!
  }
  return { ...size, plane: small }
}

/** The opposite of `shrunk`, softly. */
export const grown = (small: Plane, from: Size, size: Size, factor: number): Plane => {
  const plane = createPlane(size)
  const left = new Int32Array(size.width)
  const right = new Int32Array(size.width)
  const share = new Float32Array(size.width)
  for (let x = 0; x < size.width; x++) {
    const place = Math.min(from.width - 1, Math.max(0, (x + 0.5) / factor - 0.5))
    left[x] = place | 0
    right[x] = Math.min(from.width - 1, left[x]! + 1)
    share[x] = place - left[x]!
  }
  const row = new Float32Array(from.width)
  for (let y = 0, at = 0; y < size.height; y++) {
    const place = Math.min(from.height - 1, Math.max(0, (y + 0.5) / factor - 0.5))
    const above = (place | 0) * from.width
    const below = Math.min(from.height - 1, (place | 0) + 1) * from.width
    const down = place - (place | 0)
    for (let x = 0; x < from.width; x++) row[x] = small[above + x]! + (small[below + x]! - small[above + x]!) * down
    for (let x = 0; x < size.width; x++, at++)
      plane[at] = row[left[x]!]! + (row[right[x]!]! - row[left[x]!]!) * share[x]!
  }
  return plane
}

/** Does something to a smaller copy of a picture, where fine detail would be lost anyway. */
export const whileSmall = (canvas: Canvas, factor: number, change: (small: Canvas) => Canvas): Canvas => {
  if (factor < 2) return change(canvas)
  const planes = [canvas.red, canvas.green, canvas.blue].map((plane) => shrunk(plane, canvas, factor))
  const { width, height } = planes[0]!
  const [red, green, blue] = planes.map(({ plane }) => plane) as [Plane, Plane, Plane]
  const small = change({ width, height, red, green, blue, unit: unitOf({ width, height }) })
  return {
    ...canvas,
    red: grown(small.red, small, canvas, factor),
    green: grown(small.green, small, canvas, factor),
    blue: grown(small.blue, small, canvas, factor),
  }
}
