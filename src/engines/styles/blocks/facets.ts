import Delaunator from 'delaunator'
import type { Stop } from '../../threads/serve.js'
import { type Canvas, clamp, distance, nearest, type Plane, type Size } from './canvas.js'
import type { Random } from './random.js'

/** Points as [x, y, x, y, ...]. */
export type Points = Float64Array

/** Scattered points, denser where `weight` (0 to 1) is high, with `share` of them anywhere; corners and borders included. */
export const scatter = (
  size: Size,
  { count, weight, share, random }: { count: number; weight: Plane; share: number; random: Random },
): Points => {
  const { width, height } = size
  const places: number[] = []
  const borders = Math.max(2, Math.round(Math.sqrt(count) / 2))
  for (let step = 0; step <= borders; step++) {
    const along = step / borders
    places.push(along * width, 0, along * width, height, 0, along * height, width, along * height)
  }
  const gap = Math.sqrt((width * height) / count) * 0.45
  const taken = new Set<number>()
  for (let tries = 0, made = 0; made < count && tries < count * 30; tries++) {
    const x = random() * width
    const y = random() * height
    if (random() > Math.max(share, weight[nearest(size, x, y)]!)) continue
    const cell = Math.floor(y / gap) * 65536 + Math.floor(x / gap)
    if (taken.has(cell)) continue
    taken.add(cell)
    places.push(x, y)
    made++
  }
  return Float64Array.from(places)
}

/** Fills every triangle between the points; calls `fill` for each of its pixels, after `begin` with its corners. */
export const eachTriangle = (
  size: Size,
  points: Points,
  stop: Stop,
  visit: (corners: readonly number[], pixels: Int32Array, count: number) => void,
): void => {
  const { triangles } = new Delaunator(points)
  let pixels = new Int32Array(4096)
  for (let at = 0; at < triangles.length; at += 3) {
    if (at % 96 === 0) stop.check()
    const [a, b, c] = [triangles[at]! * 2, triangles[at + 1]! * 2, triangles[at + 2]! * 2]
    const corners = [points[a]!, points[a + 1]!, points[b]!, points[b + 1]!, points[c]!, points[c + 1]!]
    const [ax, ay, bx, by, cx, cy] = corners as [number, number, number, number, number, number]
    const top = clamp(Math.ceil(Math.min(ay, by, cy) - 0.5), 0, size.height)
    const bottom = clamp(Math.ceil(Math.max(ay, by, cy) - 0.5), 0, size.height)
    let count = 0
    for (let row = top; row < bottom; row++) {
      const y = row + 0.5
      let left = Number.POSITIVE_INFINITY
      let right = Number.NEGATIVE_INFINITY
      const cross = (x1: number, y1: number, x2: number, y2: number) => {
        if (y1 <= y === y2 <= y) return
        const x = x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)
        left = Math.min(left, x)
        right = Math.max(right, x)
      }
      cross(ax, ay, bx, by)
      cross(bx, by, cx, cy)
      cross(cx, cy, ax, ay)
      const from = clamp(Math.ceil(left - 0.5), 0, size.width)
      const to = clamp(Math.ceil(right - 0.5), 0, size.width)
      if (count + to - from > pixels.length) {
        const more = new Int32Array((count + size.width) * 2)
        more.set(pixels)
        pixels = more
      }
      for (let column = from; column < to; column++) pixels[count++] = row * size.width + column
    }
    if (count > 0) visit(corners, pixels, count)
  }
}

/** How far a place is from the nearest side of a triangle. */
export const distanceToSides = (corners: readonly number[], x: number, y: number) => {
  let least = Number.POSITIVE_INFINITY
  for (let side = 0; side < 6; side += 2) {
    const [ax, ay] = [corners[side]!, corners[side + 1]!]
    const [bx, by] = [corners[(side + 2) % 6]!, corners[(side + 3) % 6]!]
    const far = Math.abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / (distance(bx - ax, by - ay) || 1)
    if (far < least) least = far
  }
  return least
}

export type Cells = { labels: Int32Array; x: Float32Array; y: Float32Array; red: Plane; green: Plane; blue: Plane }

/**
 * Divides a picture into cells of about the same size that respect its edges: every pixel goes to the seed that is near
 * and has its colour, and seeds move to the middle of what they got (SLIC). `tightness` holds cells round against colour.
 */
export const cellsOf = (
  canvas: Canvas,
  {
    across,
    tightness,
    rounds,
    random,
    stop,
  }: { across: number; tightness: number; rounds: number; random: Random; stop: Stop },
): Cells => {
  const { width, height } = canvas
  const columns = Math.max(1, Math.round(width / across))
  const rows = Math.max(1, Math.round(height / across))
  const count = columns * rows
  const cells: Cells = {
    labels: new Int32Array(width * height),
    x: new Float32Array(count),
    y: new Float32Array(count),
    red: new Float32Array(count),
    green: new Float32Array(count),
    blue: new Float32Array(count),
  }
  for (let cell = 0; cell < count; cell++) {
    const row = (cell / columns) | 0
    // Rows are shifted like bricks; a regular grid would show.
    const shift = row % 2 === 0 ? 0.25 : -0.25
    cells.x[cell] = (((cell % columns) + 0.5 + shift + (random() - 0.5) * 0.7) * width) / columns
    cells.y[cell] = ((row + 0.5 + (random() - 0.5) * 0.7) * height) / rows
    const at = nearest(canvas, cells.x[cell]!, cells.y[cell]!)
    cells.red[cell] = canvas.red[at]!
    cells.green[cell] = canvas.green[at]!
    cells.blue[cell] = canvas.blue[at]!
  }
  const closeness = (tightness * tightness) / (across * across)
  for (let round = 0; round <= rounds; round++) {
    // All rounds but the last one may look at every third row.
    assignCells(canvas, cells, { columns, rows, closeness, stride: round < rounds ? 3 : 1, stop })
    if (round < rounds) centreCells(canvas, cells, 3)
  }
  return cells
}

type Assigning = { columns: number; rows: number; closeness: number; stride: number; stop: Stop }

const assignCells = (canvas: Canvas, cells: Cells, { columns, rows, closeness, stride, stop }: Assigning) => {
  const { width, height, red, green, blue } = canvas
  for (let y = 0; y < height; y += stride) {
    stop.check()
    const row = ((y / height) * rows) | 0
    for (let x = 0; x < width; x += stride) {
      const at = y * width + x
      const column = ((x / width) * columns) | 0
      let best = 0
      let least = Number.POSITIVE_INFINITY
      for (let up = Math.max(0, row - 1); up <= Math.min(rows - 1, row + 1); up++)
        for (let left = Math.max(0, column - 1); left <= Math.min(columns - 1, column + 1); left++) {
          const cell = up * columns + left
          const farX = x - cells.x[cell]!
          const farY = y - cells.y[cell]!
          const r = red[at]! - cells.red[cell]!
          const g = green[at]! - cells.green[cell]!
          const b = blue[at]! - cells.blue[cell]!
          const far = (farX * farX + farY * farY) * closeness + r * r + g * g + b * b
          if (far < least) {
            least = far
            best = cell
          }
        }
      cells.labels[at] = best
    }
  }
}

const centreCells = (canvas: Canvas, cells: Cells, stride: number) => {
  const { width, height } = canvas
  const counts = new Float64Array(cells.x.length)
  const sums = Array.from({ length: 5 }, () => new Float64Array(cells.x.length))
  for (let y = 0; y < height; y += stride)
    for (let x = 0; x < width; x += stride) {
      const at = y * width + x
      const cell = cells.labels[at]!
      counts[cell]!++
      sums[0]![cell]! += x
      sums[1]![cell]! += y
      sums[2]![cell]! += canvas.red[at]!
      sums[3]![cell]! += canvas.green[at]!
      sums[4]![cell]! += canvas.blue[at]!
    }
  const targets = [cells.x, cells.y, cells.red, cells.green, cells.blue]
  targets.forEach((target, part) => {
    for (let cell = 0; cell < counts.length; cell++)
      if (counts[cell]! > 0) target[cell] = sums[part]![cell]! / counts[cell]!
  })
}
