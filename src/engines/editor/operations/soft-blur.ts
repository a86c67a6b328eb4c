import type { Raster } from '../../pixels/raster.js'
import { fromRaster, toRaster } from '../../pixels/sharp.js'

/** From here on, a smaller picture looks the same when it is blurred, and takes a fraction of the time. */
const sigmaFine = 5

/** A Gaussian blur. */
export const softlyBlurred = async (raster: Raster, sigma: number): Promise<Raster> => {
  const { width, height } = raster
  const factor = sigma / sigmaFine
  if (factor < 1.5) return toRaster(fromRaster(raster).blur(Math.max(0.3, sigma)))
  const small = {
    width: Math.max(1, Math.round(width / factor)),
    height: Math.max(1, Math.round(height / factor)),
    fit: 'fill' as const,
  }
  const blurred = await toRaster(fromRaster(raster).resize(small).blur(sigmaFine))
  return toRaster(fromRaster(blurred).resize({ width, height, fit: 'fill', kernel: 'cubic' }))
}
