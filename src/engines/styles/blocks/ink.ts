import type { Stop } from '../../threads/serve.js'
import { blur } from './blur.js'
import { type Canvas, createPlane, luma, type Plane, ramp, type Size, warmth } from './canvas.js'
import { type Flow, smoothAlong } from './flow.js'

export type Pen = {
  /** Half the width of a line, in pixels. */
  width: number
  flow: Flow
  /** How weak an edge may be and still get a line; 0.006 finds much, 0.03 little. */
  faintest: number
  /** Long lines instead of short ones. */
  steps?: number
  stop: Stop
}

/** Lines where a draughtsman would draw them (a flow-guided difference of Gaussians): 1 is ink, 0 is paper. */
export const inkLines = (tones: Plane, size: Size, { width, flow, faintest, steps = 4, stop }: Pen): Plane => {
  const narrow = blur(tones, size, Math.max(0.5, width * 0.7))
  const wide = blur(tones, size, Math.max(0.9, width * 1.4))
  for (let at = 0; at < narrow.length; at++) wide[at]! -= narrow[at]!
  const joined = smoothAlong(wide, size, { flow, steps, stride: Math.max(1, width * 0.8), from: faintest * 0.12, stop })
  const ink = createPlane(size)
  for (let at = 0; at < ink.length; at++) ink[at] = ramp(faintest, faintest * 2.4, joined[at]!)
  return ink
}

/** Lines around what differs in tone and around what differs in colour alone. */
export const inkContours = (canvas: Canvas, pen: Pen): Plane => {
  const ink = inkLines(luma(canvas), canvas, pen)
  const others = inkLines(warmth(canvas), canvas, pen)
  for (let at = 0; at < ink.length; at++) ink[at] = Math.max(ink[at]!, others[at]!)
  return ink
}
