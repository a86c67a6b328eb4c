import { emptyRaster, type Raster } from '../../pixels/raster.js'
import { fromRaster, toRaster } from '../../pixels/sharp.js'
import type { Stop } from '../../threads/serve.js'

/** Each pixel becomes the mean of those on a line through it. */
export const motionBlurred = ({ data, width, height }: Raster, reach: number): Raster => {
  const result = emptyRaster(width, height)
  const sums = [0, 0, 0, 0]
  for (let y = 0; y < height; y++) {
    const row = y * width * 4
    const clamped = (x: number) => row + Math.min(width - 1, Math.max(0, x)) * 4
    sums.fill(0)
    for (let x = -reach; x <= reach; x++)
      for (let channel = 0; channel < 4; channel++) sums[channel]! += data[clamped(x) + channel] as number
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 4; channel++) {
        result.data[row + x * 4 + channel] = (sums[channel] as number) / (2 * reach + 1)
        sums[channel]! +=
          (data[clamped(x + reach + 1) + channel] as number) - (data[clamped(x - reach) + channel] as number)
      }
    }
  }
  return result
}

/** Each pixel becomes the mean of those between it and the middle. */
export const zoomBlurred = ({ data, width, height }: Raster, amount: number, stop: Stop): Raster => {
  const result = emptyRaster(width, height)
  const samples = 14
  const reach = 0.12 * amount
  for (let y = 0, index = 0; y < height; y++) {
    if (y % 64 === 0) stop.check()
    for (let x = 0; x < width; x++, index += 4) {
      const sums = [0, 0, 0, 0]
      for (let sample = 0; sample < samples; sample++) {
        const part = 1 - (reach * sample) / samples
        const from =
          (Math.round((y - height / 2) * part + height / 2 - 0.5 * (1 - part)) * width +
            Math.round((x - width / 2) * part + width / 2 - 0.5 * (1 - part))) *
          4
        for (let channel = 0; channel < 4; channel++) sums[channel]! += data[from + channel] as number
      }
      for (let channel = 0; channel < 4; channel++) result.data[index + channel] = (sums[channel] as number) / samples
    }
  }
  return result
}

/** Means of neighbours that look alike, so that edges stay. */
export const denoised = ({ data, width, height }: Raster, amount: number, stop: Stop): Raster => {
  const result = emptyRaster(width, height)
  const reach = amount > 1.4 ? 3 : 2
  const tolerance = 22 * Math.max(0.5, amount)
  const likeness = Float32Array.from({ length: 766 }, (_, apart) =>
    Math.exp(-((apart / 3) ** 2) / (2 * tolerance ** 2)),
  )
  for (let y = 0, index = 0; y < height; y++) {
    if (y % 32 === 0) stop.check()
    const top = Math.max(0, y - reach)
    const bottom = Math.min(height - 1, y + reach)
    for (let x = 0; x < width; x++, index += 4) {
      const red = data[index] as number
      const green = data[index + 1] as number
      const blue = data[index + 2] as number
      let [redSum, greenSum, blueSum, total] = [0, 0, 0, 0]
      const right = Math.min(width - 1, x + reach)
      for (let near = top; near <= bottom; near++) {
        for (
          let beside = Math.max(0, x - reach), other = (near * width + beside) * 4;
          beside <= right;
          beside++, other += 4
        ) {
          const [r, g, b] = [data[other] as number, data[other + 1] as number, data[other + 2] as number]
          const apart = Math.abs(r - red) + Math.abs(g - green) + Math.abs(b - blue)
          const weight = likeness[apart] as number
          redSum += r * weight
          greenSum += g * weight
          blueSum += b * weight
          total += weight
        }
      }
      result.data[index] = redSum / total
      result.data[index + 1] = greenSum / total
      result.data[index + 2] = blueSum / total
      result.data[index + 3] = data[index + 3] as number
    }
  }
  return result
}

type Scratches = { mask: Uint8Array; around: Raster }

/** In larger pictures, scratches are larger as well. */
const scratchPixelsMax = 4_000_000

/** 255 where thin lines and specks stick out of what is around them. */
export const scratchesIn = async (raster: Raster): Promise<Scratches> => {
  const { width, height } = raster
  const factor = Math.sqrt(scratchPixelsMax / (width * height))
  if (factor >= 1) return findScratches(raster)
  const small = { width: Math.round(width * factor), height: Math.round(height * factor), fit: 'fill' as const }
  const { mask, around } = await findScratches(await toRaster(fromRaster(raster).resize(small)))
  const enlarged = new Uint8Array(width * height)
  for (let y = 0, pixel = 0; y < height; y++) {
    const row = Math.min(small.height - 1, Math.floor(y * factor)) * small.width
    for (let x = 0; x < width; x++, pixel++)
      enlarged[pixel] = mask[row + Math.min(small.width - 1, Math.floor(x * factor))] as number
  }
  return { mask: enlarged, around: await toRaster(fromRaster(around).resize({ width, height, fit: 'fill' })) }
}

const findScratches = async (raster: Raster): Promise<Scratches> => {
  const { data, width, height } = raster
  const around = await toRaster(
    fromRaster(raster).median(Math.min(9, 2 * Math.max(1, Math.round(Math.min(width, height) / 220)) + 5)),
  )
  const mask = new Uint8Array(width * height)
  const apart = new Float32Array(width * height)
  for (let pixel = 0, index = 0; pixel < mask.length; pixel++, index += 4) {
    const here = ((data[index] as number) + 2 * (data[index + 1] as number) + (data[index + 2] as number)) / 4
    const there =
      ((around.data[index] as number) + 2 * (around.data[index + 1] as number) + (around.data[index + 2] as number)) / 4
    apart[pixel] = Math.abs(here - there)
  }
  // In busy pictures, more has to stick out before it is damage.
  let sum = 0
  for (const value of apart) sum += value
  const limit = Math.max(34, (sum / apart.length) * 5)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if ((apart[y * width + x] as number) < limit) continue
      for (let near = Math.max(0, y - 1); near <= Math.min(height - 1, y + 1); near++)
        mask.fill(255, near * width + Math.max(0, x - 1), near * width + Math.min(width, x + 2))
    }
  return { mask, around }
}
