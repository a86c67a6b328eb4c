import type { Raster } from '../../pixels/raster.js'
import { fromRaster, sharp, toRaster } from '../../pixels/sharp.js'
import type { Layering } from '../operation.js'
import { createRandom } from './effects.js'
import { roundCorners } from './frame.js'
import type { Session } from './session.js'
import { placedBox } from './shape.js'

type Size = { width: number; height: number }
type Input = { raster: Raster; left: number; top: number }

const bytesOf = ({ data }: Raster) => Buffer.from(data.buffer, data.byteOffset, data.length)

const overlay = ({ raster, left, top }: Input, blend: 'over' | string = 'over') => ({
  input: bytesOf(raster),
  raw: { width: raster.width, height: raster.height, channels: 4 as const },
  left,
  top,
  blend: blend as 'over',
})

const layerOn = async (session: Session, layer: Extract<Layering, { do: 'layer' }>) => {
  const { canvas } = session
  const { width, height } = canvas
  const isCover = layer.place === 'cover'
  const size = isCover
    ? { width, height, fit: 'cover' as const }
    : {
        width: Math.max(1, Math.round(width * (layer.size ?? 0.3))),
        height: Math.max(1, Math.round(height * 0.94)),
        fit: 'inside' as const,
      }
  let raster = await session.openImage(layer.image, size)
  if (layer.isCircle) {
    const side = Math.min(raster.width, raster.height)
    raster = await toRaster(fromRaster(raster).resize(side, side, { fit: 'cover' }))
    roundCorners(raster, side / 2)
  }
  if (layer.opacity < 1)
    for (let index = 3; index < raster.data.length; index += 4)
      raster.data[index] = (raster.data[index] as number) * layer.opacity
  const margin = isCover ? 0 : Math.round(Math.min(width, height) * 0.03)
  const place = layer.place === 'cover' ? ({ x: 'center', y: 'middle' } as const) : layer.place
  const box = placedBox({ width: width - 2 * margin, height: height - 2 * margin }, raster, place)
  await canvas.pipe('composite', (base) =>
    base.composite([
      overlay({ raster, left: Math.max(0, box.left + margin), top: Math.max(0, box.top + margin) }, layer.blend),
    ]),
  )
}

/** The base as it is now, and the other images. */
const openAll = async (session: Session, sizeOf: (index: number, ratio: number) => Size): Promise<Raster[]> => {
  const rasters: Raster[] = []
  for (let index = 0; index < session.imageCount; index++) {
    session.stop.check()
    if (index > 0) {
      const { width, height } = session.imageSize(index)
      rasters.push(await session.openImage(index, { ...sizeOf(index, width / height), fit: 'cover' }))
      continue
    }
    const base = await session.canvas.raster()
    const size = sizeOf(0, base.width / base.height)
    rasters.push(await toRaster(fromRaster(base).resize({ ...size, fit: 'cover' })))
  }
  return rasters
}

const ratiosOf = ({ canvas, imageCount, imageSize }: Session) =>
  Array.from({ length: imageCount }, (_, index) => {
    const { width, height } = index === 0 ? canvas : imageSize(index)
    return width / height
  })

const compose = async (
  session: Session,
  size: Size,
  inputs: Input[],
  background = { r: 255, g: 255, b: 255, alpha: 1 },
) => {
  session.canvas.put(
    await toRaster(
      sharp({ create: { ...size, channels: 4, background } }).composite(inputs.map((input) => overlay(input))),
    ),
  )
  session.canvas.hasAlpha = false
}

/** Beside or below each other, all as high or as wide as each other, within the pixels that were ordered. */
const arrangeLine = async (session: Session, isRow: boolean) => {
  const gapPart = 0.01
  const ratios = ratiosOf(session)
  const lengths = ratios.map((ratio) => (isRow ? ratio : 1 / ratio))
  const length = lengths.reduce((sum, one) => sum + one, 0) + gapPart * (lengths.length - 1)
  const across = Math.max(1, Math.floor(Math.sqrt((session.width * session.height) / length)))
  const gap = Math.max(1, Math.round(across * gapPart))
  const along = lengths.map((one) => Math.max(1, Math.floor(one * across) - (gap > across * gapPart ? 1 : 0)))
  const rasters = await openAll(session, (index) =>
    isRow ? { width: along[index] as number, height: across } : { width: across, height: along[index] as number },
  )
  let offset = 0
  const inputs = rasters.map((raster, index) => {
    const input = isRow ? { raster, left: offset, top: 0 } : { raster, left: 0, top: offset }
    offset += (along[index] as number) + gap
    return input
  })
  const total = offset - gap
  await compose(session, isRow ? { width: total, height: across } : { width: across, height: total }, inputs)
}

const rowsFor = (count: number, ratio: number): number => {
  let best = 1
  let least = Number.POSITIVE_INFINITY
  for (let rows = 1; rows <= count; rows++) {
    const columns = Math.ceil(count / rows)
    // Cells like the usual photograph, and few that stay empty.
    const off = Math.abs(Math.log((ratio * rows) / columns / 1.2)) + (rows * columns - count) * 0.2
    if (off < least) [best, least] = [rows, off]
  }
  return best
}

const cellsFor = ({ width, height, imageCount }: Session, gap: number): (Size & { left: number; top: number })[] => {
  const rows = rowsFor(imageCount, width / height)
  const edges = (count: number, length: number, index: number) => gap + Math.round(((length - gap) * index) / count)
  return Array.from({ length: rows }, (_, row) => {
    const before = Math.round((imageCount * row) / rows)
    const inRow = Math.round((imageCount * (row + 1)) / rows) - before
    const top = edges(rows, height, row)
    return Array.from({ length: inRow }, (_, column) => {
      const left = edges(inRow, width, column)
      return {
        left,
        top,
        width: Math.max(1, edges(inRow, width, column + 1) - gap - left),
        height: Math.max(1, edges(rows, height, row + 1) - gap - top),
      }
    })
  }).flat()
}

const arrangeGrid = async (session: Session) => {
  const gap = Math.max(1, Math.round(Math.min(session.width, session.height) * 0.012))
  const cells = cellsFor(session, gap)
  const rasters = await openAll(session, (index) => cells[index] as Size)
  await compose(
    session,
    session,
    rasters.map((raster, index) => ({ raster, left: cells[index]!.left, top: cells[index]!.top })),
  )
}

/** Scattered on a table, a little turned, each whole. */
const arrangePolaroids = async (session: Session) => {
  const random = createRandom(session.seed)
  const cells = cellsFor(session, 0)
  const ratios = ratiosOf(session)
  const sizes = cells.map(({ width, height }, index) => {
    const ratio = Math.min(1.5, Math.max(0.7, ratios[index] as number))
    const high = Math.min((height * 0.92) / 1.3, (width * 0.92) / ratio / 1.14)
    return { width: Math.max(1, Math.round(high * ratio)), height: Math.max(1, Math.round(high)) }
  })
  const rasters = await openAll(session, (index) => sizes[index] as Size)
  const inputs: Input[] = []
  for (const [index, raster] of rasters.entries()) {
    const cell = cells[index]!
    const side = Math.max(1, Math.round(Math.min(raster.width, raster.height) * 0.06))
    const framed = await toRaster(
      fromRaster(raster)
        .flatten({ background: '#ffffff' })
        .extend({
          top: side,
          left: side,
          right: side,
          bottom: side * 4,
          background: { r: 250, g: 249, b: 246, alpha: 1 },
        }),
    )
    const lined = await toRaster(
      fromRaster(framed).extend({
        top: 1,
        left: 1,
        right: 1,
        bottom: 1,
        background: { r: 90, g: 85, b: 80, alpha: 0.5 },
      }),
    )
    const turned = await toRaster(
      fromRaster(lined).rotate((random() - 0.5) * 14, { background: { r: 0, g: 0, b: 0, alpha: 0 } }),
    )
    inputs.push({
      raster: turned,
      left: Math.min(
        session.width - turned.width,
        Math.max(0, Math.round(cell.left + (cell.width - turned.width) / 2)),
      ),
      top: Math.min(
        session.height - turned.height,
        Math.max(0, Math.round(cell.top + (cell.height - turned.height) / 2)),
      ),
    })
  }
  await compose(
    session,
    session,
    inputs.filter(({ left, top }) => left >= 0 && top >= 0),
    { r: 214, g: 203, b: 188, alpha: 1 },
  )
}

export const combine = (session: Session, layering: Layering): Promise<void> => {
  if (layering.do === 'layer') return layerOn(session, layering)
  switch (layering.as) {
    case 'row':
    case 'column':
      return arrangeLine(session, layering.as === 'row')
    case 'grid':
      return arrangeGrid(session)
    case 'polaroids':
      return arrangePolaroids(session)
  }
}
