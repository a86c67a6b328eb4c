import type { Raster } from '../../pixels/raster.js'
import { sharp } from '../../pixels/sharp.js'

type Box = { left: number; top: number; width: number; height: number }

export const invertMask = (mask: Uint8Array): Uint8Array => mask.map((value) => 255 - value)

export const boxMask = (width: number, height: number, boxes: Box[]): Uint8Array => {
  const mask = new Uint8Array(width * height)
  for (const box of boxes) {
    const left = Math.max(0, Math.round(box.left))
    const right = Math.min(width, Math.round(box.left + box.width))
    const bottom = Math.min(height, Math.round(box.top + box.height))
    for (let y = Math.max(0, Math.round(box.top)); y < bottom; y++) mask.fill(255, y * width + left, y * width + right)
  }
  return mask
}

export const ellipseMask = (width: number, height: number, boxes: Box[]): Uint8Array => {
  const mask = new Uint8Array(width * height)
  for (const box of boxes)
    for (let y = Math.max(0, Math.floor(box.top)); y < Math.min(height, box.top + box.height); y++)
      for (let x = Math.max(0, Math.floor(box.left)); x < Math.min(width, box.left + box.width); x++) {
        const across = ((x + 0.5 - box.left) / box.width) * 2 - 1
        const down = ((y + 0.5 - box.top) / box.height) * 2 - 1
        if (across * across + down * down <= 1) mask[y * width + x] = 255
      }
  return mask
}

/** Nothing in the middle, everything at the edges. */
export const edgeMask = (width: number, height: number): Uint8Array => {
  const mask = new Uint8Array(width * height)
  for (let y = 0, pixel = 0; y < height; y++)
    for (let x = 0; x < width; x++, pixel++) {
      const away = Math.hypot(((x + 0.5) / width) * 2 - 1, ((y + 0.5) / height) * 2 - 1)
      mask[pixel] = Math.round(255 * Math.min(1, Math.max(0, (away - 0.55) / 0.4)))
    }
  return mask
}

export const softened = async (mask: Uint8Array, width: number, height: number, sigma: number): Promise<Uint8Array> => {
  if (sigma < 0.3) return mask
  const { data } = await sharp(mask, { raw: { width, height, channels: 1 }, limitInputPixels: false })
    .blur(sigma)
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return new Uint8Array(data.buffer, data.byteOffset, data.length)
}

/** Where the mask is 255, `after`; where it is 0, `before`. */
export const mixByMask = (before: Raster, after: Raster, mask: Uint8Array): Raster => {
  const { data } = after
  for (let pixel = 0, index = 0; pixel < mask.length; pixel++, index += 4) {
    const part = (mask[pixel] as number) / 255
    if (part === 1) continue
    for (let channel = index; channel < index + 4; channel++) {
      const value = before.data[channel] as number
      data[channel] = value + ((data[channel] as number) - value) * part
    }
  }
  return after
}

export const copyOf = ({ data, width, height }: Raster): Raster => ({ data: data.slice(), width, height })

/** Which part of the pixels is marked. */
export const shareOf = (mask: Uint8Array): number => {
  let sum = 0
  for (const value of mask) sum += value
  return sum / 255 / mask.length
}
