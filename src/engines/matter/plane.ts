/** One number per pixel, row by row. */
export type Plane = { data: Float32Array; width: number; height: number }

type Size = { width: number; height: number }

export const planeOf = ({ width, height }: Size, value: (index: number) => number): Plane => {
  const data = new Float32Array(width * height)
  for (let index = 0; index < data.length; index++) data[index] = value(index)
  return { data, width, height }
}

/** The mean of the square around each pixel; beyond the edge there is nothing. The work does not depend on the radius. */
export const meanAround = ({ data, width, height }: Plane, radius: number): Plane => {
  const across = new Float32Array(data.length)
  for (let y = 0; y < height; y++) slide(data, across, y * width, 1, width, radius)
  const both = new Float32Array(data.length)
  for (let x = 0; x < width; x++) slide(across, both, x, width, height, radius)
  return { data: both, width, height }
}

const slide = (from: Float32Array, to: Float32Array, start: number, step: number, length: number, radius: number) => {
  let sum = 0
  for (let index = 0; index < Math.min(radius, length); index++) sum += from[start + index * step] as number
  for (let index = 0; index < length; index++) {
    if (index + radius < length) sum += from[start + (index + radius) * step] as number
    if (index - radius > 0) sum -= from[start + (index - radius - 1) * step] as number
    const count = Math.min(length - 1, index + radius) - Math.max(0, index - radius) + 1
    to[start + index * step] = sum / count
  }
}

/** Where each pixel of one row lies between those of another: the pixel before, the one after, how far. */
export const placesBetween = (large: number, small: number) => {
  const before = new Int32Array(large)
  const after = new Int32Array(large)
  const share = new Float32Array(large)
  for (let index = 0; index < large; index++) {
    const place = Math.max(0, Math.min(small - 1, ((index + 0.5) * small) / large - 0.5))
    before[index] = Math.floor(place)
    after[index] = Math.min(small - 1, Math.floor(place) + 1)
    share[index] = place - Math.floor(place)
  }
  return { before, after, share }
}

export const resizePlane = ({ data, width, height }: Plane, to: Size): Plane => {
  const across = placesBetween(to.width, width)
  const down = placesBetween(to.height, height)
  const resized = new Float32Array(to.width * to.height)
  for (let y = 0; y < to.height; y++) {
    const upper = (down.before[y] as number) * width
    const lower = (down.after[y] as number) * width
    const below = down.share[y] as number
    for (let x = 0; x < to.width; x++) {
      const left = across.before[x] as number
      const right = across.after[x] as number
      const beside = across.share[x] as number
      resized[y * to.width + x] =
        (1 - below) * ((1 - beside) * (data[upper + left] as number) + beside * (data[upper + right] as number)) +
        below * ((1 - beside) * (data[lower + left] as number) + beside * (data[lower + right] as number))
    }
  }
  return { data: resized, width: to.width, height: to.height }
}
