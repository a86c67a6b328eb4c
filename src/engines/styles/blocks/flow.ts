import type { Stop } from '../../threads/serve.js'
import { blur } from './blur.js'
import { createPlane, distance, nearest, type Plane, type Size } from './canvas.js'
import { noise } from './random.js'
import { grown, shrunk } from './scale.js'

export type Gradients = { across: Plane; down: Plane }

/** How tones change to the right and downwards (Sobel). */
export const gradientsOf = (plane: Plane, size: Size): Gradients => {
  const { width, height } = size
  const across = createPlane(size)
  const down = createPlane(size)
  for (let y = 0, at = 0; y < height; y++) {
    const above = y > 0 ? -width : 0
    const below = y < height - 1 ? width : 0
    for (let x = 0; x < width; x++, at++) {
      const left = x > 0 ? -1 : 0
      const right = x < width - 1 ? 1 : 0
      const northWest = plane[at + above + left]!
      const northEast = plane[at + above + right]!
      const southWest = plane[at + below + left]!
      const southEast = plane[at + below + right]!
      across[at] = (northEast + 2 * plane[at + right]! + southEast - northWest - 2 * plane[at + left]! - southWest) / 4
      down[at] = (southWest + 2 * plane[at + below]! + southEast - northWest - 2 * plane[at + above]! - northEast) / 4
    }
  }
  return { across, down }
}

export const steepness = ({ across, down }: Gradients): Plane => {
  const steep = new Float32Array(across.length)
  for (let at = 0; at < steep.length; at++) steep[at] = distance(across[at]!, down[at]!)
  return steep
}

/** Where a brush would go at each pixel: along contours, of length 1. */
export type Flow = { across: Plane; down: Plane }

/**
 * Contours, smoothed. Areas without any take the direction of those around them, and far from all of them a gentle swirl,
 * so that flat drawings get lively strokes as well.
 */
export const flowOf = (plane: Plane, size: Size, { sigma, seed }: { sigma: number; seed: number }): Flow => {
  const factor = Math.max(1, Math.min(4, Math.round(sigma)))
  const small = shrunk(plane, size, factor)
  const { across, down } = gradientsOf(small.plane, small)
  const squares = [createPlane(small), createPlane(small), createPlane(small)] as const
  for (let at = 0; at < across.length; at++) {
    squares[0][at] = across[at]! * across[at]!
    squares[1][at] = across[at]! * down[at]!
    squares[2][at] = down[at]! * down[at]!
  }
  const swirl = noise(small, { cell: Math.max(small.width, small.height) / 2.5, seed })
  const [xx, xy, yy] = squares.map((square, part) => {
    const close = blur(square, small, sigma / factor)
    const wide = blur(close, small, (sigma * 5) / factor)
    for (let at = 0; at < close.length; at++) {
      const turn = 1.8 + swirl[at]! * 4.4
      const swirling = part === 0 ? Math.cos(turn) : part === 1 ? Math.sin(turn) / 2 : 0
      close[at]! += wide[at]! * 0.08 + faint * swirling
    }
    return grown(close, small, size, factor)
  }) as [Plane, Plane, Plane]
  for (let at = 0; at < plane.length; at++) {
    // The double of the angle across the contour; halving it by the identities of sine and cosine spares the angles.
    const cosine = xx[at]! - yy[at]!
    const sine = 2 * xy[at]!
    const length = Math.sqrt(cosine * cosine + sine * sine) + 1e-12
    const halfCosine = Math.sqrt(Math.max(0, (1 + cosine / length) / 2))
    const halfSine = Math.sqrt(Math.max(0, (1 - cosine / length) / 2))
    xx[at] = sine < 0 ? halfSine : -halfSine
    yy[at] = halfCosine
  }
  return { across: xx, down: yy }
}

/** The weight of the swirl against contours. */
const faint = 2e-5

type Smoothing = {
  flow: Flow
  steps: number
  stride?: number
  /** Values below it stay as they are, which saves the time. */
  from?: number
  stop: Stop
}

/** Averages along the flow, which joins broken lines and leaves edges alone. */
export const smoothAlong = (
  plane: Plane,
  size: Size,
  { flow, steps, stride = 1, from = Number.NEGATIVE_INFINITY, stop }: Smoothing,
): Plane => {
  const smooth = createPlane(size)
  const { width, height } = size
  for (let y = 0, at = 0; y < height; y++) {
    stop.check()
    for (let x = 0; x < width; x++, at++) {
      let sum = plane[at]!
      if (sum < from) {
        smooth[at] = sum
        continue
      }
      for (let side = -1; side <= 1; side += 2) {
        let across = flow.across[at]! * side
        let down = flow.down[at]! * side
        let column = x + 0.5
        let row = y + 0.5
        for (let step = 0; step < steps; step++) {
          column += across * stride
          row += down * stride
          const there = nearest(size, column, row)
          sum += plane[there]!
          const nextAcross = flow.across[there]!
          const nextDown = flow.down[there]!
          // A contour has no sense of direction: keep going the way we came.
          const sense = nextAcross * across + nextDown * down < 0 ? -1 : 1
          across = nextAcross * sense
          down = nextDown * sense
        }
      }
      smooth[at] = sum / (2 * steps + 1)
    }
  }
  return smooth
}
