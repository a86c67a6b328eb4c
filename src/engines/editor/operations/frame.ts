import type { Raster } from '../../pixels/raster.js'
import { fromRaster, toRaster } from '../../pixels/sharp.js'
import type { Colour, Frame } from '../operation.js'
import type { Canvas } from './canvas.js'

type Size = { width: number; height: number }
type Margins = { top: number; right: number; bottom: number; left: number }

const rgba = ([r, g, b]: Colour, alpha = 1) => ({ r, g, b, alpha })

const borderWidth = ({ width, unit }: Extract<Frame, { do: 'border' }>, size: Size) =>
  Math.max(1, Math.round(unit === 'pixels' ? width : width * Math.min(size.width, size.height)))

/** What a frame adds on each side of a picture of this size. */
export const marginsOf = (frame: Frame, size: Size): Margins => {
  const shorter = Math.min(size.width, size.height)
  const all = (width: number) => ({ top: width, right: width, bottom: width, left: width })
  switch (frame.do) {
    case 'border':
      return all(frame.isInside ? 0 : borderWidth(frame, size))
    case 'polaroid': {
      const side = Math.max(1, Math.round(shorter * 0.06))
      return { ...all(side), bottom: Math.round(shorter * 0.22) }
    }
    case 'shadow':
      return all(Math.max(2, Math.round(shorter * 0.06)))
    default:
      return all(0)
  }
}

const extend = (canvas: Canvas, margins: Margins, background: { r: number; g: number; b: number; alpha: number }) => {
  const after = {
    width: canvas.width + margins.left + margins.right,
    height: canvas.height + margins.top + margins.bottom,
  }
  return canvas.pipe('extend', (picture) => picture.extend({ ...margins, background }), after)
}

/** How much of a pixel lies in a rectangle with round corners. */
const roundShare = (x: number, y: number, { width, height }: Size, radius: number) => {
  const across = Math.max(radius - x - 0.5, x + 0.5 - (width - radius), 0)
  const down = Math.max(radius - y - 0.5, y + 0.5 - (height - radius), 0)
  return Math.min(1, Math.max(0, radius - Math.hypot(across, down) + 0.5))
}

export const roundCorners = ({ data, width, height }: Raster, radius: number) => {
  const reach = Math.ceil(radius)
  for (let y = 0; y < height; y++) {
    const isMiddle = y >= reach && y < height - reach
    if (isMiddle) continue
    for (let x = 0; x < width; x++) {
      if (x === reach && width - reach > reach) x = width - reach
      const share = roundShare(x, y, { width, height }, radius)
      const index = (y * width + x) * 4 + 3
      if (share < 1) data[index] = (data[index] as number) * share
    }
  }
}

const drawInside = ({ data, width, height }: Raster, border: number, [red, green, blue]: Colour) => {
  for (let y = 0, index = 0; y < height; y++)
    for (let x = 0; x < width; x++, index += 4) {
      if (x >= border && y >= border && x < width - border && y < height - border) continue
      data.set([red, green, blue, 255], index)
    }
}

/** The picture above a soft shadow of its shape. */
const withShadow = async (canvas: Canvas, margin: number) => {
  const { width, height } = canvas
  const raster = await canvas.raster()
  const shade = Uint8ClampedArray.from({ length: raster.data.length }, (_, index) =>
    index % 4 === 3 ? (raster.data[index] as number) * 0.6 : 0,
  )
  const around = { top: margin, left: margin, right: margin, bottom: margin, background: rgba([0, 0, 0], 0) }
  const shadow = await toRaster(
    fromRaster({ data: shade, width, height })
      .extend(around)
      .blur(Math.max(0.5, margin / 3)),
  )
  const drop = Math.round(margin * 0.25)
  canvas.put(
    await toRaster(
      fromRaster(shadow).composite([
        {
          input: Buffer.from(raster.data.buffer, raster.data.byteOffset, raster.data.length),
          raw: { width, height, channels: 4 },
          left: margin - drop,
          top: margin - drop,
        },
      ]),
    ),
  )
  canvas.hasAlpha = true
}

export const addFrame = async (canvas: Canvas, frame: Frame) => {
  const margins = marginsOf(frame, canvas)
  switch (frame.do) {
    case 'border': {
      const colour = frame.colour === 'transparent' ? undefined : frame.colour
      if (frame.isInside) {
        const raster = await canvas.raster()
        drawInside(raster, borderWidth(frame, canvas), colour ?? [255, 255, 255])
        return canvas.put(raster)
      }
      if (!colour) canvas.hasAlpha = true
      return extend(canvas, margins, colour ? rgba(colour) : rgba([255, 255, 255], 0))
    }
    case 'polaroid':
      return extend(canvas, margins, rgba([250, 249, 246]))
    case 'rounded':
    case 'circle': {
      const raster = await canvas.raster()
      const shorter = Math.min(raster.width, raster.height)
      roundCorners(raster, frame.do === 'circle' ? shorter / 2 : Math.max(1, frame.radius * shorter))
      canvas.put(raster)
      canvas.hasAlpha = true
      return
    }
    case 'shadow':
      return withShadow(canvas, margins.left)
  }
}

/** The size that becomes `size` when these frames are around it. */
export const sizeInside = (frames: Frame[], size: Size): Size => {
  let inside = { ...size }
  for (let round = 0; round < 12; round++) {
    let grown = { ...inside }
    for (const frame of frames) {
      const { top, right, bottom, left } = marginsOf(frame, grown)
      grown = { width: grown.width + left + right, height: grown.height + top + bottom }
    }
    if (grown.width === size.width && grown.height === size.height) break
    inside = {
      width: Math.max(1, inside.width + size.width - grown.width),
      height: Math.max(1, inside.height + size.height - grown.height),
    }
  }
  return inside
}
