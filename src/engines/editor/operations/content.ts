import { cutOutBy } from '../../matter/colours.js'
import { emptyRaster, type Raster } from '../../pixels/raster.js'
import type { Area, Content, Fill } from '../operation.js'
import { refused, waysToSayWhere } from '../refusals.js'
import { ifRefused, maskOf, matteOf, thingsOf } from './areas.js'
import { lumaOf } from './colour-matrix.js'
import { copyOf, mixByMask, shareOf } from './masks.js'
import { outlinesOf } from './outline.js'
import type { Session } from './session.js'
import { softlyBlurred } from './soft-blur.js'

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
  const { boxes, others } = await thingsOf(session, area.label, area.within)
  const matte = await matteOf(session).catch(ifRefused(() => undefined))
  return outlinesOf(boxes, matte, canvas, others)
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

/** The subject without a rim of what was behind it. */
const subjectOf = async (raster: Raster, matte: Uint8Array): Promise<Raster> => {
  const opacity = matte.map((value, pixel) => Math.round((value * (raster.data[pixel * 4 + 3] as number)) / 255))
  return cutOutBy(raster, opacity)
}

/** Only the background is blurred, as if the subject were not there; otherwise it would have a halo. */
const blurred = async (raster: Raster, matte: Uint8Array, amount: number): Promise<Raster> => {
  const behind = copyOf(raster)
  for (let pixel = 0; pixel < matte.length; pixel++)
    behind.data[pixel * 4 + 3] = Math.max(1, 255 - (matte[pixel] as number))
  const reach = Math.max(1, (amount * Math.min(raster.width, raster.height)) / 55)
  const soft = await softlyBlurred(behind, reach)
  for (let pixel = 0; pixel < matte.length; pixel++) soft.data[pixel * 4 + 3] = raster.data[pixel * 4 + 3] as number
  return soft
}

const greyed = (raster: Raster): Raster => {
  const grey = copyOf(raster)
  const { data } = grey
  for (let index = 0; index < data.length; index += 4) {
    const luma = Math.round(lumaOf([data[index] as number, data[index + 1] as number, data[index + 2] as number]))
    data.fill(luma, index, index + 3)
  }
  return grey
}

export const changeBackground = async (session: Session, { how }: Extract<Content, { do: 'background' }>) => {
  const { canvas } = session
  const matte = await matteOf(session)
  const raster = await canvas.raster()
  if ('grey' in how) return canvas.put(mixByMask(greyed(raster), raster, matte))
  const subject = await subjectOf(raster, matte)
  if ('blur' in how) return canvas.put(over(await blurred(raster, matte, how.blur), subject))
  if (how.fill === 'transparent') {
    canvas.hasAlpha = true
    return canvas.put(subject)
  }
  canvas.put(over(await filledWith(session, how.fill), subject))
  canvas.hasAlpha = false
}

/** Puts the subject before something. */
const over = (behind: Raster, subject: Raster): Raster => {
  const { data } = behind
  for (let index = 0; index < data.length; index += 4) {
    const share = (subject.data[index + 3] as number) / 255
    if (share === 0) continue
    for (let channel = index; channel < index + 3; channel++)
      data[channel] = (data[channel] as number) * (1 - share) + (subject.data[channel] as number) * share
    data[index + 3] = Math.max(data[index + 3] as number, subject.data[index + 3] as number)
  }
  return behind
}
