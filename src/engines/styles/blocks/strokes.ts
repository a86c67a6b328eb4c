import type { Stop } from '../../threads/serve.js'
import { type Canvas, clamp, mix, nearest, type Plane } from './canvas.js'
import type { Flow } from './flow.js'
import type { Random } from './random.js'

export type Brush = {
  /** Half the width of a stroke, in pixels. */
  radius: number
  /** Half the length of a stroke, in pixels. */
  reach: number
  /** Between strokes, as a share of the radius. */
  spacing: number
  /** How much the tone of strokes varies. */
  liveliness: number
  /** How much the colour of strokes varies. */
  iridescence: number
  opacity: number
  /** Strokes are made only where what is painted differs by this much from the subject. */
  tolerance: number
}

/** What the brush paints: the colours, and how thick the paint lies. */
export type Painting = { canvas: Canvas; thickness: Plane }

const hairs = 24

/** Covers a painting with strokes that follow the contours of a subject, in an order without pattern. */
export const paintStrokes = (
  { canvas, thickness }: Painting,
  { subject, flow, brush, random, stop }: { subject: Canvas; flow: Flow; brush: Brush; random: Random; stop: Stop },
): void => {
  const { radius, reach, spacing, liveliness, iridescence, opacity, tolerance } = brush
  const { width, height } = canvas
  const gap = Math.max(1, radius * spacing)
  const columns = Math.ceil(width / gap)
  const rows = Math.ceil(height / gap)
  const order = shuffled(columns * rows, random)
  const bristles = new Float32Array(hairs + 1)
  for (let turn = 0; turn < order.length; turn++) {
    if (turn % 256 === 0) stop.check()
    const x = ((order[turn]! % columns) + random()) * gap
    const y = (((order[turn]! / columns) | 0) + random()) * gap
    const at = nearest(canvas, x, y)
    const difference =
      Math.abs(subject.red[at]! - canvas.red[at]!) +
      Math.abs(subject.green[at]! - canvas.green[at]!) +
      Math.abs(subject.blue[at]! - canvas.blue[at]!)
    if (difference < tolerance) continue
    const tone = (random() - 0.5) * liveliness
    const red = subject.red[at]! + tone + (random() - 0.5) * iridescence
    const green = subject.green[at]! + tone + (random() - 0.5) * iridescence
    const blue = subject.blue[at]! + tone + (random() - 0.5) * iridescence
    const across = flow.across[at]!
    const down = flow.down[at]!
    const ahead = nearest(canvas, x + across * reach, y + down * reach)
    const sense = flow.across[ahead]! * across + flow.down[ahead]! * down < 0 ? -1 : 1
    const bend = (clamp((across * flow.down[ahead]! - down * flow.across[ahead]!) * sense, -0.7, 0.7) / reach) * 0.5
    const length = reach * (0.7 + random() * 0.6)
    const breadth = radius * (0.8 + random() * 0.4)
    for (let hair = 0; hair <= hairs; hair++) bristles[hair] = random()
    const box = length * 1.15
    const beside = breadth + Math.abs(bend) * length * length
    const boxX = Math.abs(across) * box + Math.abs(down) * beside
    const boxY = Math.abs(down) * box + Math.abs(across) * beside
    const fromX = Math.max(0, Math.floor(x - boxX))
    const toX = Math.min(width - 1, Math.ceil(x + boxX))
    const fromY = Math.max(0, Math.floor(y - boxY))
    const toY = Math.min(height - 1, Math.ceil(y + boxY))
    for (let row = fromY; row <= toY; row++) {
      const rowDown = row - y
      let first = fromX
      let last = toX
      if (Math.abs(across) > 0.05) {
        const middle = x - (rowDown * down) / across
        const half = box / Math.abs(across)
        first = Math.max(first, Math.ceil(middle - half))
        last = Math.min(last, Math.floor(middle + half))
      }
      if (Math.abs(down) > 0.05) {
        const middle = x + (rowDown * across) / down
        const half = beside / Math.abs(down)
        first = Math.max(first, Math.ceil(middle - half))
        last = Math.min(last, Math.floor(middle + half))
      }
      for (let column = first; column <= last; column++) {
        const along = (column - x) * across + rowDown * down
        const side = (rowDown * across - (column - x) * down - bend * along * along) / breadth
        if (side <= -1 || side >= 1) continue
        const hair = bristles[((side + 1) * 0.5 * hairs + 0.5) | 0]!
        // Hairs leave the canvas at different places, which frays the end of a stroke.
        const rest = length * (0.8 + 0.35 * hair) - Math.abs(along)
        if (rest <= 0) continue
        const edge = Math.min(1, (1 - Math.abs(side)) * breadth, rest)
        const cover = edge * opacity * (0.78 + 0.22 * hair)
        const shine = (hair - 0.5) * 0.05
        const here = row * width + column
        canvas.red[here] = mix(canvas.red[here]!, red + shine, cover)
        canvas.green[here] = mix(canvas.green[here]!, green + shine, cover)
        canvas.blue[here] = mix(canvas.blue[here]!, blue + shine, cover)
        thickness[here] = mix(thickness[here]!, (1 - side * side) * (0.45 + 0.55 * hair), cover)
      }
    }
  }
}

const shuffled = (count: number, random: Random): Uint32Array => {
  const order = Uint32Array.from({ length: count }, (_, at) => at)
  for (let at = count - 1; at > 0; at--) {
    const other = (random() * (at + 1)) | 0
    const kept = order[at]!
    order[at] = order[other]!
    order[other] = kept
  }
  return order
}
