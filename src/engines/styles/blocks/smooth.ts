import type { Stop } from '../../threads/serve.js'
import { blur, blurCanvas, boxBlur } from './blur.js'
import { type Canvas, createCanvas, createPlane, type Plane, type Size } from './canvas.js'
import type { Flow } from './flow.js'

/**
 * Paints every pixel like the calmest neighbourhood it touches, which leaves clean areas with crisp borders (a generalised
 * Kuwahara filter: the neighbourhoods are eight soft discs around the pixel, stretched along the flow if there is one).
 */
export const calm = (canvas: Canvas, { radius, stop, flow }: { radius: number; stop: Stop; flow?: Flow }): Canvas => {
  const { width, height } = canvas
  const reach = Math.max(1, radius)
  const means = blurCanvas(canvas, reach * 0.55)
  const spread = createPlane(canvas)
  for (let at = 0; at < spread.length; at++)
    spread[at] = canvas.red[at]! ** 2 + canvas.green[at]! ** 2 + canvas.blue[at]! ** 2
  const unrest = blur(spread, canvas, reach * 0.55)
  for (let at = 0; at < unrest.length; at++)
    unrest[at]! -= means.red[at]! ** 2 + means.green[at]! ** 2 + means.blue[at]! ** 2
  const calmed = createCanvas(canvas)
  const cosines = Float32Array.from({ length: 8 }, (_, turn) => Math.cos((turn * Math.PI) / 4))
  const sines = Float32Array.from({ length: 8 }, (_, turn) => Math.sin((turn * Math.PI) / 4))
  for (let y = 0, at = 0; y < height; y++) {
    stop.check()
    for (let x = 0; x < width; x++, at++) {
      let red = 0
      let green = 0
      let blue = 0
      let sum = 0
      const alongX = flow ? flow.across[at]! * reach * 1.5 : reach
      const alongY = flow ? flow.down[at]! * reach * 1.5 : 0
      const besideX = flow ? -flow.down[at]! * reach * 0.75 : 0
      const besideY = flow ? flow.across[at]! * reach * 0.75 : reach
      for (let turn = 0; turn < 8; turn++) {
        const along = cosines[turn]!
        const beside = sines[turn]!
        let column = (x + 0.5 + along * alongX + beside * besideX) | 0
        let row = (y + 0.5 + along * alongY + beside * besideY) | 0
        column = column < 0 ? 0 : column >= width ? width - 1 : column
        row = row < 0 ? 0 : row >= height ? height - 1 : row
        const there = row * width + column
        const stillness = 1 / (2e-4 + Math.abs(unrest[there]!))
        const weight = stillness * stillness * stillness
        red += means.red[there]! * weight
        green += means.green[there]! * weight
        blue += means.blue[there]! * weight
        sum += weight
      }
      calmed.red[at] = red / sum
      calmed.green[at] = green / sum
      calmed.blue[at] = blue / sum
    }
  }
  return calmed
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
