import type { Raster } from '../pixels/raster.js'
import { fromRaster, toRaster } from '../pixels/sharp.js'
import type { Look } from './looks/looks.js'

/** Bright parts shine a little, corners are darker, and a fine grain takes the smoothness of gradients. */
export const addEffects = async (
  raster: Raster,
  look: Pick<Look, 'grain' | 'vignette' | 'bloom'>,
  seed: number,
): Promise<Raster> => {
  const { data, width, height } = raster
  const shine = look.bloom > 0 ? await blurred(raster) : undefined
  const [middleX, middleY] = [width / 2, height / 2]
  const reach = 1 / (middleX * middleX + middleY * middleY)
  let state = seed | 1
  for (let y = 0, at = 0; y < height; y++) {
    const dy = (y - middleY) ** 2
    for (let x = 0; x < width; x++, at += 4) {
      const far = ((x - middleX) ** 2 + dy) * reach
      const dim = 1 - look.vignette * 0.62 * far * far
      state = Math.imul(state, 1664525) + 1013904223
      const noise = look.grain * 22 * ((state >>> 16) / 65536 - 0.5)
      for (let channel = 0; channel < 3; channel++) {
        let value = data[at + channel] as number
        if (shine) {
          const light = shine[at + channel] as number
          value += (light * light * look.bloom * (255 - value)) / 130_000
        }
        data[at + channel] = value * dim + noise
      }
    }
  }
  return raster
}

/** A soft copy, made small first: nobody sees the difference in a blur. */
const blurred = async (raster: Raster): Promise<Uint8ClampedArray> => {
  const { width, height } = raster
  const [smallWidth, smallHeight] = [Math.max(1, Math.round(width / 6)), Math.max(1, Math.round(height / 6))]
  const small = await toRaster(
    fromRaster(raster)
      .resize(smallWidth, smallHeight, { fit: 'fill' })
      .blur(Math.max(0.6, Math.min(smallWidth, smallHeight) / 28)),
  )
  return (await toRaster(fromRaster(small).resize(width, height, { fit: 'fill', kernel: 'linear' }))).data
}
