import { emptyRaster, type Raster } from '../pixels/raster.js'
import { fromRaster, toRaster } from '../pixels/sharp.js'
import type { Stop } from '../threads/serve.js'
import { canvasOf, rasterOf } from './blocks/canvas.js'
import type { Detail, Look } from './look.js'

/**
 * How the result of a large picture, which is painted at a smaller size, becomes large again. `smooth`: by interpolation.
 * `blocks`: every pixel becomes a square. `change`: only what the look changed is enlarged and added to the original, so
 * that gradings keep every hair of a photograph.
 */
export type Enlarging = 'smooth' | 'blocks' | 'change'

export type StyleOptions = {
  /** Chooses among the variations of a style. */
  seed: number
  /** 0 to 1; 0.8 is usual. */
  strength: number
  detail?: Detail
  stop: Stop
}

/** Looks paint at most this many pixels, which bounds time and memory. */
const paintedPixelsMax = 1792 * 1792

/** From this strength on nothing of the original shines through. */
const fullStrength = 0.75

/** Repaints a picture, keeping its size and its opacity. */
export const renderLook = async (
  raster: Raster,
  look: Look,
  enlarging: Enlarging,
  { seed, strength, detail = 'medium', stop }: StyleOptions,
): Promise<Raster> => {
  stop.check()
  const small = await reduced(raster)
  stop.check()
  const painted = rasterOf(look(canvasOf(small), { seed, detail, stop }))
  stop.check()
  const cover = Math.min(1, Math.max(0, strength) / fullStrength)
  if (small === raster) return blend(raster, painted, cover)
  if (enlarging === 'change')
    return blend(raster, addChange(raster, await enlarged(changeOf(small, painted), raster, 'smooth')), cover)
  return blend(raster, await enlarged(painted, raster, enlarging), cover)
}

const reduced = async (raster: Raster): Promise<Raster> => {
  const { width, height } = raster
  const shrink = Math.sqrt(paintedPixelsMax / (width * height))
  if (shrink >= 1) return raster
  const size = { width: Math.max(1, Math.round(width * shrink)), height: Math.max(1, Math.round(height * shrink)) }
  return toRaster(fromRaster(raster).resize({ ...size, fit: 'fill', kernel: 'mitchell' }))
}

const enlarged = (raster: Raster, { width, height }: Raster, enlarging: Enlarging): Promise<Raster> =>
  toRaster(
    fromRaster(raster).resize({ width, height, fit: 'fill', kernel: enlarging === 'blocks' ? 'nearest' : 'mitchell' }),
  )

/** Half the difference, around the middle, so that it fits into bytes. */
const changeOf = (before: Raster, after: Raster): Raster => {
  const change = emptyRaster(before.width, before.height)
  for (let at = 0; at < change.data.length; at++)
    change.data[at] = at % 4 === 3 ? 255 : 128 + (after.data[at]! - before.data[at]!) / 2
  return change
}

const addChange = ({ data }: Raster, change: Raster): Raster => {
  for (let at = 0; at < data.length; at++) if (at % 4 !== 3) change.data[at] = data[at]! + (change.data[at]! - 128) * 2
  return change
}

/** Lays the painted picture over the original, in place. */
const blend = ({ data }: Raster, painted: Raster, cover: number): Raster => {
  for (let at = 0; at < data.length; at++)
    painted.data[at] = at % 4 === 3 ? data[at]! : data[at]! + (painted.data[at]! - data[at]!) * cover
  return painted
}
