import type { Stop } from '../../threads/serve.js'
import { blur, blurCanvas, boxBlur } from './blur.js'
import { type Canvas, createCanvas, createPlane, nearest, type Plane, type Size } from './canvas.js'
import type { Flow } from './flow.js'

/**
 * Paints every pixel like the calmest neighbourhood it touches, which leaves clean areas with crisp borders (a generalised
 * Kuwahara filter: the neighbourhoods are eight soft discs around the pixel, stretched along the flow if there is one).
 */
export const calm = (canvas: Canvas, { radius, stop, flow }: { radius: number; stop: Stop; flow?: Flow }): Canvas => {
  const { width, height } = canvas
  const reach = Math.max(1, radius)
  const around = neighbourhoods(canvas, reach * 0.55)
  const calmed = createCanvas(canvas)
  const turns = Array.from({ length: 8 }, (_, turn) => (turn * Math.PI) / 4)
  const cosines = Float32Array.from(turns, Math.cos)
  const sines = Float32Array.from(turns, Math.sin)
  const steps = Int32Array.from(
    turns,
    (_, turn) => 4 * (Math.round(sines[turn]! * reach) * width + Math.round(cosines[turn]! * reach)),
  )
  const border = Math.ceil(reach) + 1
  for (let y = 0, at = 0; y < height; y++) {
    stop.check()
    const isRowInside = !flow && y >= border && y < height - border
    for (let x = 0; x < width; x++, at++) {
      let red = 0
      let green = 0
      let blue = 0
      let sum = 0
      if (around[at * 4 + 3]! > calmest) {
        calmed.red[at] = around[at * 4]!
        calmed.green[at] = around[at * 4 + 1]!
        calmed.blue[at] = around[at * 4 + 2]!
        continue
      }
      if (isRowInside && x >= border && x < width - border) {
        for (let turn = 0; turn < 8; turn++) {
          const there = at * 4 + steps[turn]!
          const weight = around[there + 3]!
          red += around[there]! * weight
          green += around[there + 1]! * weight
          blue += around[there + 2]! * weight
          sum += weight
        }
      } else {
        const alongX = flow ? flow.across[at]! * reach * 1.5 : reach
        const alongY = flow ? flow.down[at]! * reach * 1.5 : 0
        const besideX = flow ? -flow.down[at]! * reach * 0.75 : 0
        const besideY = flow ? flow.across[at]! * reach * 0.75 : reach
        for (let turn = 0; turn < 8; turn++) {
          const along = cosines[turn]!
          const beside = sines[turn]!
          const there =
            nearest(canvas, x + 0.5 + along * alongX + beside * besideX, y + 0.5 + along * alongY + beside * besideY) *
            4
          const weight = around[there + 3]!
          red += around[there]! * weight
          green += around[there + 1]! * weight
          blue += around[there + 2]! * weight
          sum += weight
        }
      }
      calmed.red[at] = red / sum
      calmed.green[at] = green / sum
      calmed.blue[at] = blue / sum
    }
  }
  return calmed
}

const stillnessOf = (variance: number) => {
  const still = 0.01 / (2e-4 + Math.abs(variance))
  return still * still * still
}

/** Where it is calmer than this, a pixel needs no better neighbourhood than its own. */
const calmest = stillnessOf(2e-5)

/** Mean red, green and blue around every pixel and how calm it is there, side by side, for they are read together. */
const neighbourhoods = (canvas: Canvas, sigma: number): Float32Array => {
  const means = blurCanvas(canvas, sigma)
  const spread = createPlane(canvas)
  for (let at = 0; at < spread.length; at++)
    spread[at] = canvas.red[at]! ** 2 + canvas.green[at]! ** 2 + canvas.blue[at]! ** 2
  const squares = blur(spread, canvas, sigma)
  const around = new Float32Array(squares.length * 4)
  for (let at = 0, to = 0; at < squares.length; at++, to += 4) {
    const red = means.red[at]!
    const green = means.green[at]!
    const blue = means.blue[at]!
    around[to] = red
    around[to + 1] = green
    around[to + 2] = blue
    around[to + 3] = stillnessOf(squares[at]! - red * red - green * green - blue * blue)
  }
  return around
}

/** Smooths a plane but not across its strong edges (a guided filter, guided by itself). */
export const smoothInside = (plane: Plane, size: Size, { radius, edge }: { radius: number; edge: number }): Plane => {
  const reach = Math.max(1, Math.round(radius))
  const mean = boxBlur(plane, size, reach)
  const square = createPlane(size)
  for (let at = 0; at < plane.length; at++) square[at] = plane[at]! ** 2
  const slope = boxBlur(square, size, reach)
  const offset = square
  for (let at = 0; at < plane.length; at++) {
    const variance = Math.max(0, slope[at]! - mean[at]! ** 2)
    slope[at] = variance / (variance + edge * edge)
    offset[at] = mean[at]! * (1 - slope[at]!)
  }
  const slopes = boxBlur(slope, size, reach)
  const offsets = boxBlur(offset, size, reach)
  for (let at = 0; at < plane.length; at++) slopes[at] = slopes[at]! * plane[at]! + offsets[at]!
  return slopes
}
