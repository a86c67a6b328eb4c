import sharp, { type Sharp, type SharpOptions } from 'sharp'
import type { PictureFormat, Quality } from '../image.js'
import type { Raster } from './raster.js'

export type { Sharp } from 'sharp'
export { sharp }

/**
 * The only door to the picture library, so that what it may read is decided once. Formats that can hold programs or refer
 * to other files (SVG, PDF and the like) are not read, whoever asks.
 */
const readable = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif']
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: readable.map((name) => `VipsForeignLoad${name}`) })
// Callers do not send the same picture again soon; what is kept is only memory lost.
sharp.cache(false)

/** The most pixels of one input picture. */
export const pixelsMax = 33_177_600

const reading: SharpOptions = { limitInputPixels: pixelsMax, failOn: 'error', sequentialRead: true }

/**
 * A picture that a caller sent, as a viewer would show it: turned the right way, its first frame, in sRGB with 8 bits.
 * Reading happens later, with the work on it, and fails then if the file is broken.
 */
export const openPicture = (bytes: Uint8Array): Sharp => sharp(bytes, reading).autoOrient().toColourspace('srgb')

/**
 * Whether all of a picture can be decoded. It decodes as the work does: measuring with `stats` passes over broken pixels
 * that decoding stumbles on.
 */
export const isReadable = (bytes: Uint8Array): Promise<boolean> =>
  openPicture(bytes)
    .raw()
    .toBuffer()
    .then(
      () => true,
      () => false,
    )

export const toRaster = async (picture: Sharp): Promise<Raster> => {
  const { data, info } = await picture.ensureAlpha().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  return {
    data: new Uint8ClampedArray(data.buffer, data.byteOffset, data.length),
    width: info.width,
    height: info.height,
  }
}

export const fromRaster = ({ data, width, height }: Raster): Sharp =>
  sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: false })

const lossyQuality: Record<Quality, number> = { low: 70, medium: 82, high: 92 }

/** Encodes, without what cameras write beside the picture. */
export const encode = (picture: Sharp, format: PictureFormat, quality: Quality = 'high'): Promise<Buffer> => {
  switch (format) {
    case 'png':
      return picture.png({ compressionLevel: 6 }).toBuffer()
    case 'jpeg':
      // JPEG knows no opacity; what is transparent would become black.
      return picture.flatten({ background: '#ffffff' }).jpeg({ quality: lossyQuality[quality] }).toBuffer()
    case 'webp':
      return picture.webp({ quality: lossyQuality[quality], effort: 3 }).toBuffer()
  }
}

/** The size of a picture as a viewer sees it, from its head; undefined when it is not one that we read. */
export const readFacts = async (bytes: Uint8Array): Promise<{ width: number; height: number } | undefined> => {
  try {
    // Whether there are too many pixels is for the caller to say, and nothing is decoded here.
    const { autoOrient } = await sharp(bytes, { limitInputPixels: false }).metadata()
    const { width, height } = autoOrient
    return width > 0 && height > 0 ? { width, height } : undefined
  } catch {
    return undefined
  }
}
