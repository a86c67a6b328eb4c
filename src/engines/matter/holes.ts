/** A rectangle in pixels. */
export type Box = { left: number; top: number; width: number; height: number }

/** Holes are looked for in cells, this many to the longer side, so that much dust in a mask is not many holes. */
const cellsFinest = 256
const partsMax = 40

const unite = (a: Box, b: Box): Box => {
  const left = Math.min(a.left, b.left)
  const top = Math.min(a.top, b.top)
  return {
    left,
    top,
    width: Math.max(a.left + a.width, b.left + b.width) - left,
    height: Math.max(a.top + a.height, b.top + b.height) - top,
  }
}

const area = ({ width, height }: Box) => width * height

const tightBox = (hole: Uint8Array, pitch: number, { left, top, width, height }: Box): Box => {
  let [first, last, upper, lower] = [left + width, -1, top + height, -1]
  for (let y = top; y < top + height; y++) {
    const start = y * pitch + left
    const row = hole.subarray(start, start + width)
    const from = row.findIndex((value) => value > 0)
    if (from < 0) continue
    first = Math.min(first, left + from)
    last = Math.max(last, left + row.findLastIndex((value) => value > 0))
    upper = Math.min(upper, y)
    lower = y
  }
  return { left: first, top: upper, width: last - first + 1, height: lower - upper + 1 }
}

/** The boxes of parts of a hole that do not touch. */
const partsOf = (hole: Uint8Array, width: number, height: number, cellsMax = cellsFinest): Box[] => {
  const size = Math.ceil(Math.max(width, height) / cellsMax)
  const columns = Math.ceil(width / size)
  const rows = Math.ceil(height / size)
  const cells = new Uint8Array(columns * rows)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if ((hole[y * width + x] as number) > 0) cells[Math.floor(y / size) * columns + Math.floor(x / size)] = 1
  const parts: Box[] = []
  for (let start = cells.indexOf(1); start >= 0; start = cells.indexOf(1, start)) {
    let [first, last, upper, lower] = [columns, 0, rows, 0]
    const open = [start]
    cells[start] = 0
    for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
      const x = cell % columns
      const y = (cell - x) / columns
      first = Math.min(first, x)
      last = Math.max(last, x)
      upper = Math.min(upper, y)
      lower = Math.max(lower, y)
      for (let ny = Math.max(0, y - 1); ny <= Math.min(rows - 1, y + 1); ny++)
        for (let nx = Math.max(0, x - 1); nx <= Math.min(columns - 1, x + 1); nx++) {
          const neighbour = ny * columns + nx
          if (cells[neighbour] === 0) continue
          cells[neighbour] = 0
          open.push(neighbour)
        }
    }
    const left = first * size
    const top = upper * size
    const right = Math.min(width, (last + 1) * size)
    const bottom = Math.min(height, (lower + 1) * size)
    parts.push(tightBox(hole, width, { left, top, width: right - left, height: bottom - top }))
  }
  return parts.length <= partsMax ? parts : partsOf(hole, width, height, cellsMax / 2)
}

/**
 * Boxes that cover a hole together, at most `countMax`. Parts that lie close are one, because what fills them has to fit
 * together; parts far apart are several, because one box around them would be mostly picture, and filled coarsely.
 */
export const boxesOf = (
  hole: Uint8Array,
  width: number,
  height: number,
  { near, countMax }: { near: number; countMax: number },
): Box[] => {
  const boxes = partsOf(hole, width, height).sort((a, b) => area(b) - area(a))
  const areClose = (a: Box, b: Box) => {
    const both = unite(a, b)
    return Math.max(both.width, both.height) <= near || area(both) <= 1.5 * (area(a) + area(b))
  }
  for (;;) {
    let best: { first: number; second: number; growth: number } | undefined
    for (let first = 0; first < boxes.length; first++)
      for (let second = first + 1; second < boxes.length; second++) {
        const [a, b] = [boxes[first] as Box, boxes[second] as Box]
        if (boxes.length <= countMax && !areClose(a, b)) continue
        const growth = area(unite(a, b)) - area(a) - area(b)
        if (best === undefined || growth < best.growth) best = { first, second, growth }
      }
    if (best === undefined) return boxes
    const [joined] = boxes.splice(best.second, 1)
    boxes[best.first] = unite(boxes[best.first] as Box, joined as Box)
  }
}
