import { EngineError } from '../engine-error.js'
import type { InputPicture, Picture, PictureFormat } from '../image.js'

// Loaded when the first picture needs it: most services never connect an image backend.
const pixels = () => import('../pixels/sharp.js')

type Size = { width: number; height: number }
type Wanted = Size & { format: PictureFormat }

/** A picture in exactly the size that was ordered: backends round to multiples of 8, 16 or 64, or know a few sizes only. */
export const toExactSize = async (picture: Picture, { width, height, format }: Wanted): Promise<Picture> => {
  const { encode, sharp } = await pixels()
  try {
    const known = await sharp(picture.bytes).metadata()
    if (known.width === width && known.height === height) return picture
    const fitted = sharp(picture.bytes).resize(width, height, { fit: 'cover', kernel: 'lanczos3' })
    return { bytes: await encode(fitted, format), format }
  } catch (cause) {
    throw new EngineError('broken', 'the picture that the upstream sent cannot be read', { cause })
  }
}

/** How opaque each pixel of a mask is, 0 to 255; refused when nothing of it is transparent. */
const readOpacity = async (mask: InputPicture, { width, height }: Size): Promise<Buffer> => {
  const { openPicture } = await pixels()
  let opacity: Buffer
  try {
    const channel = openPicture(mask.bytes).ensureAlpha().extractChannel('alpha')
    opacity = await channel.resize(width, height, { fit: 'fill' }).raw().toBuffer()
  } catch (cause) {
    throw new EngineError('unreadable', 'the mask cannot be read', { said: 'mask cannot be read', cause })
  }
  if (opacity.every((value) => value === 255)) {
    const said = 'the mask is transparent nowhere, so nothing would change'
    throw new EngineError('refused', said, { said })
  }
  return opacity
}

/** A mask that changes nothing is a mistake that backends do not notice. */
export const checkMask = async (mask: InputPicture): Promise<void> => void (await readOpacity(mask, mask))

/** White where a mask is transparent, black elsewhere, in the size of the base image. */
export const toWhiteMask = async (mask: InputPicture, { width, height }: Size): Promise<Buffer> => {
  const { sharp } = await pixels()
  const opacity = await readOpacity(mask, { width, height })
  return sharp(opacity, { raw: { width, height, channels: 1 } })
    .negate()
    .png()
    .toBuffer()
}
