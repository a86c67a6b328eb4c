import type { Box } from '../tools.js'
import { softened } from './masks.js'

type Size = { width: number; height: number }
type Bounds = { left: number; top: number; right: number; bottom: number }

/** From here on, the matte means that a pixel shows some of the thing. */
const isSubjectFrom = 48

const boundsWithin = ({ left, top, width, height }: Box, size: Size, margin = 0): Bounds => ({
  left: Math.max(0, Math.round(left - width * margin)),
  top: Math.max(0, Math.round(top - height * margin)),
  right: Math.min(size.width, Math.round(left + width * (1 + margin))),
  bottom: Math.min(size.height, Math.round(top + height * (1 + margin))),
})

const fillBounds = (marks: Uint8Array, { left, top, right, bottom }: Bounds, width: number) => {
  for (let y = top; y < bottom; y++) marks.fill(255, y * width + left, y * width + Math.max(left, right))
}

const shareWithin = (matte: Uint8Array, { left, top, right, bottom }: Bounds, width: number): number => {
  let count = 0
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) if ((matte[y * width + x] as number) >= isSubjectFrom) count++
  return count / Math.max(1, (right - left) * (bottom - top))
}

/** Marks what hangs together with the subject in `from`, as far as `limit`: a tail lies outside of the box of its cat. */
const flood = (marks: Uint8Array, matte: Uint8Array, from: Bounds, limit: Bounds, width: number) => {
  const waiting: number[] = []
  const visit = (x: number, y: number) => {
    const pixel = y * width + x
    if (x < limit.left || x >= limit.right || y < limit.top || y >= limit.bottom) return
    if (marks[pixel] !== 0 || (matte[pixel] as number) < isSubjectFrom) return
    marks[pixel] = 255
    waiting.push(pixel)
  }
  for (let y = from.top; y < from.bottom; y++) for (let x = from.left; x < from.right; x++) visit(x, y)
  for (let pixel = waiting.pop(); pixel !== undefined; pixel = waiting.pop()) {
    const x = pixel % width
    const y = (pixel - x) / width
    visit(x - 1, y)
    visit(x + 1, y)
    visit(x, y - 1)
    visit(x, y + 1)
  }
}

/**
 * The outlines of things, a little wider than they are, because their soft edges would give them away: what the cutter
 * takes for the subject there, so that little has to be made up. Where it sees nothing or everything, the box.
 */
export const outlinesOf = async (
  boxes: Box[],
  matte: Uint8Array | undefined,
  size: Size,
  others: Box[],
): Promise<Uint8Array> => {
  const { width, height } = size
  const marks = new Uint8Array(width * height)
  let widest = 0
  for (const box of boxes) {
    const inside = boundsWithin(box, size)
    const share = matte ? shareWithin(matte, inside, width) : 0
    if (!matte || share < 0.2 || share > 0.88) {
      fillBounds(marks, boundsWithin(box, size, 0.05), width)
      continue
    }
    widest = Math.max(widest, box.width, box.height)
    const isCrowded = others.some((other) => isTouching(other, box, size))
    flood(marks, matte, inside, isCrowded ? inside : boundsWithin(box, size, 0.35), width)
  }
  if (widest === 0) return marks
  const around = await softened(marks, width, height, Math.max(1, widest / 60))
  return around.map((value) => (value > 8 ? 255 : 0))
}

const isTouching = (other: Box, box: Box, size: Size): boolean => {
  const near = boundsWithin(box, size, 0.35)
  const { left, top, right, bottom } = boundsWithin(other, size)
  return left < near.right && right > near.left && top < near.bottom && bottom > near.top
}
