import type { Colours } from '../tensors/colours.js'

type Size = { width: number; height: number }

/** A part of a picture, without what lies around it. */
export type Tile = Size & { left: number; top: number }

/** Tiles of one size that cover a picture; those at the right and the bottom may reach beyond it. */
export const tilesOf = ({ width, height }: Size, sizeMax: number): Tile[] => {
  const columns = Math.ceil(width / sizeMax)
  const rows = Math.ceil(height / sizeMax)
  const size = { width: Math.ceil(width / columns), height: Math.ceil(height / rows) }
  return Array.from({ length: columns * rows }, (_, index) => ({
    left: (index % columns) * size.width,
    top: Math.floor(index / columns) * size.height,
    ...size,
  }))
}

/** A tile and what lies around it. Beyond the edges of the picture, its outermost pixels go on. */
export const cutTile = (picture: Colours, { left, top, ...size }: Tile, around: number): Colours => {
  const width = size.width + 2 * around
  const height = size.height + 2 * around
  const data = new Uint8Array(width * height * 3)
  let place = 0
  for (let y = 0; y < height; y++) {
    const row = clamp(top - around + y, picture.height) * picture.width
    for (let x = 0; x < width; x++) {
      const from = (row + clamp(left - around + x, picture.width)) * 3
      data[place++] = picture.data[from] as number
      data[place++] = picture.data[from + 1] as number
      data[place++] = picture.data[from + 2] as number
    }
  }
  return { data, width, height }
}

const clamp = (place: number, length: number) => Math.max(0, Math.min(length - 1, place))

/** Puts the tile's part of what was cut and enlarged where it belongs in the enlarged picture. */
export const putTile = (picture: Colours, tile: Tile, enlarged: Colours, around: number, scale: number) => {
  const left = tile.left * scale
  const top = tile.top * scale
  const length = Math.min(tile.width * scale, picture.width - left) * 3
  const rows = Math.min(tile.height * scale, picture.height - top)
  for (let y = 0; y < rows; y++) {
    const from = ((around * scale + y) * enlarged.width + around * scale) * 3
    picture.data.set(enlarged.data.subarray(from, from + length), ((top + y) * picture.width + left) * 3)
  }
}

/** How much happens in a picture: by how much neighbours differ, all together and at most. */
export const detailIn = ({ data, width, height }: Colours): { sum: number; most: number } => {
  let sum = 0
  let most = 0
  for (let place = 0; place < (height - 1) * width * 3; place++) {
    const value = data[place] as number
    const right = Math.abs(value - (data[place + 3] as number))
    const below = Math.abs(value - (data[place + width * 3] as number))
    sum += right + below
    most = Math.max(most, right, below)
  }
  return { sum, most }
}
