import { emptyRaster, type Raster } from '../../pixels/raster.js'
import { fromRaster, toRaster } from '../../pixels/sharp.js'
import type { Area, Content, Fill } from '../operation.js'
import { refused, waysToSayWhere } from '../refusals.js'
import { boxesOf, grownBox, maskOf, matteOf } from './areas.js'
import { lumaOf } from './colour-matrix.js'
import { boxMask, invertMask, mixByMask, shareOf } from './masks.js'
import type { Session } from './session.js'

/** What is transparent in the picture itself. */
const holesIn = ({ data, width, height }: Raster): Uint8Array => {
  const mask = new Uint8Array(width * height)
  for (let pixel = 0; pixel < mask.length; pixel++) if ((data[pixel * 4 + 3] as number) < 128) mask[pixel] = 255
  return mask
}

/** The mask goes before everything else, then what is transparent, then what the prompt names. */
const holeOf = async (session: Session, area: Area | undefined): Promise<Uint8Array> => {
  const { canvas } = session
  if (session.mask) return session.mask
  if (canvas.hasAlpha && (session.prefersHoles || !area)) {
    const holes = holesIn(await canvas.raster())
    if (shareOf(holes) > 0) return holes
  }
  if (!area) throw refused('nothing says what is to be removed', waysToSayWhere)
  if (area.in !== 'object') return maskOf(session, area)
  // A little more than the object: its shadow and its soft edges would give it away.
  const boxes = (await boxesOf(session, area.label, area.within)).map((box) => grownBox(box, 0.06))
  return boxMask(canvas.width, canvas.height, boxes)
}

export const removeContent = async (session: Session, area: Area | undefined) => {
  const { canvas, stop } = session
  const hole = (await holeOf(session, area)).map((value) => (value >= 128 ? 255 : 0))
  const share = shareOf(hole)
  if (share === 0)
    throw refused(
      'the mask marks nothing',
      'the mask marks nothing: it must be transparent where the image is to be changed',
    )
  if (share > 0.98) throw refused('the mask marks everything', 'nothing would be left of the image to fill it from')
  const inpainter = await session.tools.inpainter()
  const filled = await inpainter.fill(await canvas.raster(), hole, stop)
  for (let pixel = 0; pixel < hole.length; pixel++) if (hole[pixel] === 255) filled.data[pixel * 4 + 3] = 255
  canvas.put(filled)
  session.matte = undefined
}

const filledWith = async (session: Session, fill: Exclude<Fill, 'transparent'>): Promise<Raster> => {
  const { width, height } = session.canvas
  if ('image' in fill) return session.openImage(fill.image, { width, height, fit: 'cover' })
  const raster = emptyRaster(width, height)
  const { data } = raster
  const [from, to] = 'colour' in fill ? [fill.colour, fill.colour] : fill.gradient
  const isSideways = 'gradient' in fill && fill.isSideways
  for (let y = 0, index = 0; y < height; y++)
    for (let x = 0; x < width; x++, index += 4) {
      const part = isSideways ? x / Math.max(1, width - 1) : y / Math.max(1, height - 1)
      for (let channel = 0; channel < 3; channel++)
        data[index + channel] = (from[channel] as number) * (1 - part) + (to[channel] as number) * part
      data[index + 3] = 255
    }
  return raster
}

export const changeBackground = async (session: Session, { how }: Extract<Content, { do: 'background' }>) => {
  const { canvas } = session
  const matte = await matteOf(session)
  const raster = await canvas.raster()
  if ('fill' in how && how.fill === 'transparent') {
    for (let pixel = 0; pixel < matte.length; pixel++)
      raster.data[pixel * 4 + 3] = ((raster.data[pixel * 4 + 3] as number) * (matte[pixel] as number)) / 255
    canvas.hasAlpha = true
    return canvas.put(raster)
  }
  if ('grey' in how) {
    const grey = emptyRaster(raster.width, raster.height)
    for (let index = 0; index < grey.data.length; index += 4) {
      const [red, green, blue, alpha] = raster.data.subarray(index, index + 4) as unknown as [
        number,
        number,
        number,
        number,
      ]
      const luma = Math.round(lumaOf([red, green, blue]))
      grey.data.set([luma, luma, luma, alpha], index)
    }
    return canvas.put(mixByMask(grey, raster, matte))
  }
  if ('blur' in how) {
    // Only the background is blurred, as if the subject were not there; otherwise it would have a halo.
    const behind: Raster = { ...raster, data: raster.data.slice() }
    const away = invertMask(matte)
    for (let pixel = 0; pixel < away.length; pixel++) behind.data[pixel * 4 + 3] = Math.max(1, away[pixel] as number)
    const soft = await toRaster(
      fromRaster(behind).blur(Math.max(1, (how.blur * Math.min(raster.width, raster.height)) / 55)),
    )
    for (let pixel = 0; pixel < away.length; pixel++) soft.data[pixel * 4 + 3] = raster.data[pixel * 4 + 3] as number
    return canvas.put(mixByMask(soft, raster, matte))
  }
  const background = await filledWith(session, how.fill as Exclude<Fill, 'transparent'>)
  canvas.put(mixByMask(background, raster, matte))
  canvas.hasAlpha = false
}
