/** Pixels without opacity, three bytes each. */
export type Colours = { data: Uint8Array; width: number; height: number }

/** A part of a picture, by its middle; `angle` says how far it is turned, clockwise, in radians. */
export type Region = { x: number; y: number; width: number; height: number; angle: number }

export const wholeOf = ({ width, height }: { width: number; height: number }): Region => ({
  x: (width - 1) / 2,
  y: (height - 1) / 2,
  width: width - 1,
  height: height - 1,
  angle: 0,
})

/**
 * A region as a square of `size` pixels, from 0 to 255, black beyond the picture. Each pixel is made of the four around its
 * place and of no others, so fine structures stay coarse: networks were taught on pictures that were made small this way,
 * and see others in those that are made small with care.
 */
export const sample = ({ data, width, height }: Colours, region: Region, size: number): Float32Array => {
  const result = new Float32Array(size * size * 3)
  const cosine = Math.cos(region.angle)
  const sine = Math.sin(region.angle)
  const at = (x: number, y: number, channel: number): number =>
    x < 0 || y < 0 || x >= width || y >= height ? 0 : (data[(y * width + x) * 3 + channel] as number)
  let place = 0
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const across = (column / (size - 1) - 0.5) * region.width
      const down = (row / (size - 1) - 0.5) * region.height
      const x = region.x + across * cosine - down * sine
      const y = region.y + across * sine + down * cosine
      const left = Math.floor(x)
      const top = Math.floor(y)
      const toRight = x - left
      const toBottom = y - top
      for (let channel = 0; channel < 3; channel++) {
        const above = at(left, top, channel) * (1 - toRight) + (toRight > 0 ? at(left + 1, top, channel) * toRight : 0)
        const below =
          toBottom > 0
            ? at(left, top + 1, channel) * (1 - toRight) + (toRight > 0 ? at(left + 1, top + 1, channel) * toRight : 0)
            : 0
        result[place++] = above * (1 - toBottom) + below * toBottom
      }
    }
  return result
}
