import { EngineError } from '../../engine-error.js'
import type { Area, Region } from '../operation.js'
import { notFound } from '../refusals.js'
import type { Box, FoundObject } from '../tools.js'
import { colourMask } from './hues.js'
import { boxMask, edgeMask, ellipseMask, invertMask, shareOf, softened } from './masks.js'
import type { Session } from './session.js'

const scoreMin = 0.3

export const boxOf = ({ left, top, width, height }: Region, size: { width: number; height: number }): Box => {
  const x = Math.min(size.width - 1, Math.round(left * size.width))
  const y = Math.min(size.height - 1, Math.round(top * size.height))
  return {
    left: x,
    top: y,
    width: Math.max(1, Math.min(size.width, Math.round((left + width) * size.width)) - x),
    height: Math.max(1, Math.min(size.height, Math.round((top + height) * size.height)) - y),
  }
}

/** How opaque the subject is, from 0 to 255 for each pixel. */
export const matteOf = async (session: Session): Promise<Uint8Array> => {
  if (session.matte) return session.matte
  const raster = await session.canvas.raster()
  const cutter = await session.tools.cutter()
  const matte = await cutter.matte(raster, session.stop)
  if (shareOf(matte) < 0.002) throw notFound('subject in front of a background')
  session.matte = matte
  return matte
}

type Things = { boxes: Box[]; others: Box[] }

/** Things with this name that are within, and all others that the finder sees. */
export const thingsOf = async (session: Session, label: string, within?: Region): Promise<Things> => {
  const raster = await session.canvas.raster()
  const finder = await session.tools.finder()
  const found = (await finder.find(raster, session.stop)).filter(({ score }) => score >= scoreMin)
  const place = within && boxOf(within, raster)
  const isMeant = (one: FoundObject) => {
    if (one.label !== label) return false
    if (!place) return true
    const x = one.box.left + one.box.width / 2
    const y = one.box.top + one.box.height / 2
    return x >= place.left && x <= place.left + place.width && y >= place.top && y <= place.top + place.height
  }
  const boxes = found.filter(isMeant).map(({ box }) => box)
  if (boxes.length === 0) throw notFound(label)
  return { boxes, others: found.filter((one) => !isMeant(one)).map(({ box }) => box) }
}

export const boxesOf = async (session: Session, label: string, within?: Region): Promise<Box[]> =>
  (await thingsOf(session, label, within)).boxes

export const grownBox = ({ left, top, width, height }: Box, part: number): Box => ({
  left: left - width * part,
  top: top - height * part,
  width: width * (1 + 2 * part),
  height: height * (1 + 2 * part),
})

/** Where the head of a person is likely to be: the finder knows people, not faces. */
const headOf = ({ left, top, width, height }: Box): Box => {
  const high = Math.min(height, width * 0.8)
  return { left: left + width * 0.17, top: top - high * 0.04, width: width * 0.66, height: high }
}

/** Faces that are seen, or else where people have theirs. */
const headsOf = async (session: Session): Promise<Box[]> => {
  const finder = await session.tools.faceFinder()
  const faces = await finder.find(await session.canvas.raster())
  if (faces.length > 0) return faces.map((face) => grownBox(face, 0.25))
  const people = await boxesOf(session, 'person').catch(ifRefused(() => [] as Box[]))
  if (people.length === 0) throw notFound('face')
  return people.map(headOf)
}

/** Something else where something was not found; any other trouble stays one. */
export const ifRefused =
  <T>(otherwise: () => T) =>
  (error: unknown): T => {
    if (error instanceof EngineError && error.trouble === 'refused') return otherwise()
    throw error
  }

/** 255 for the pixels that the area holds, with soft edges where they are not straight lines. */
export const maskOf = async (session: Session, area: Area): Promise<Uint8Array> => {
  const { width, height } = session.canvas
  switch (area.in) {
    case 'region':
      return boxMask(width, height, [boxOf(area.region, session.canvas)])
    case 'edges':
      return edgeMask(width, height)
    case 'subject':
      return matteOf(session)
    case 'background':
      return invertMask(await matteOf(session))
    case 'face': {
      const heads = await headsOf(session)
      return softened(ellipseMask(width, height, heads), width, height, Math.min(width, height) / 200)
    }
    case 'object': {
      const boxes = (await boxesOf(session, area.label, area.within)).map((box) => grownBox(box, 0.03))
      const mask = boxMask(width, height, boxes)
      const matte = await matteOf(session).catch(ifRefused(() => undefined))
      const both = matte && mask.map((value, pixel) => (value === 0 ? 0 : (matte[pixel] as number)))
      // An object that is not what the cutter takes for the subject is marked by its box.
      if (both && shareOf(both) > shareOf(mask) * 0.15) return both
      return softened(mask, width, height, Math.min(width, height) / 100)
    }
    case 'colour': {
      const mask = colourMask(await session.canvas.raster(), area.hue)
      if (shareOf(mask) < 0.0005) throw notFound('such colour')
      return area.isOutside ? invertMask(mask) : mask
    }
  }
}

/** The smallest box that holds everything marked. */
export const boundsOf = (mask: Uint8Array, width: number): Box | undefined => {
  let [left, top, right, bottom] = [width, -1, -1, -1]
  for (let pixel = 0; pixel < mask.length; pixel++) {
    if ((mask[pixel] as number) < 128) continue
    const x = pixel % width
    const y = (pixel - x) / width
    if (top < 0) top = y
    bottom = y
    if (x < left) left = x
    if (x > right) right = x
  }
  return top < 0 ? undefined : { left, top, width: right - left + 1, height: bottom - top + 1 }
}
