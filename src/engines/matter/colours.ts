import type { Raster } from '../pixels/raster.js'
import { sharp } from '../pixels/sharp.js'
import { meanAround, type Plane, placesBetween, planeOf } from './plane.js'

/** What is behind and before a soft edge is found in a picture of at most so many pixels to the longer side. */
const workSide = 768

type Estimate = { subject: Plane[]; background: Plane[] }

/**
 * Makes a picture of its subject alone. A pixel at a soft edge is a mix of subject and background; it gets the colour that
 * the subject must have there, or a rim of the old background would stay. That is blur fusion (Forte, 2021): both colours
 * are first those of the surroundings, weighted by the matte, and then brought to add up to the pixel.
 */
export const cutOutBy = async (raster: Raster, matte: Uint8Array): Promise<Raster> => {
  const { width, height } = raster
  const { subject, background } = await estimate(raster, matte)
  const [first] = subject as [Plane]
  const across = placesBetween(width, first.width)
  const down = placesBetween(height, first.height)
  const data = new Uint8ClampedArray(raster.data.length)
  for (let y = 0; y < height; y++) {
    const upper = (down.before[y] as number) * first.width
    const lower = (down.after[y] as number) * first.width
    const below = down.share[y] as number
    for (let x = 0; x < width; x++) {
      const place = y * width + x
      const opacity = matte[place] as number
      // What is not subject is not given away either.
      if (opacity === 0) continue
      const target = 4 * place
      data[target + 3] = opacity
      if (opacity === 255) {
        data[target] = raster.data[target] as number
        data[target + 1] = raster.data[target + 1] as number
        data[target + 2] = raster.data[target + 2] as number
        continue
      }
      const left = across.before[x] as number
      const right = across.after[x] as number
      const beside = across.share[x] as number
      const between = ({ data }: Plane) =>
        (1 - below) * ((1 - beside) * (data[upper + left] as number) + beside * (data[upper + right] as number)) +
        below * ((1 - beside) * (data[lower + left] as number) + beside * (data[lower + right] as number))
      const share = opacity / 255
      for (let channel = 0; channel < 3; channel++) {
        const before = between(subject[channel] as Plane)
        const behind = between(background[channel] as Plane)
        const rest = (raster.data[target + channel] as number) - share * before - (1 - share) * behind
        data[target + channel] = before + share * rest
      }
    }
  }
  return { data, width, height }
}

const estimate = async (raster: Raster, matte: Uint8Array): Promise<Estimate> => {
  const scale = Math.min(1, workSide / Math.max(raster.width, raster.height))
  const size = {
    width: Math.max(1, Math.round(raster.width * scale)),
    height: Math.max(1, Math.round(raster.height * scale)),
  }
  const { width, height } = raster
  const shrink = (data: Uint8Array | Uint8ClampedArray, channels: 1 | 4) =>
    sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
      .resize(size.width, size.height, { fit: 'fill', kernel: 'linear' })
      .toColourspace(channels === 1 ? 'b-w' : 'srgb')
      .raw()
      .toBuffer()
  const [pixels, shares] = [await shrink(raster.data, 4), await shrink(matte, 1)]
  const picture = [0, 1, 2].map((channel) => planeOf(size, (index) => pixels[4 * index + channel] as number))
  const share = planeOf(size, (index) => (shares[index] as number) / 255)
  const wide = fuse(
    picture,
    { subject: picture, background: picture },
    share,
    Math.ceil(Math.max(size.width, size.height) / 10),
  )
  return fuse(picture, wide, share, 4)
}

const fuse = (picture: Plane[], { subject, background }: Estimate, share: Plane, radius: number): Estimate => {
  const at = ({ data }: Plane, index: number) => data[index] as number
  // Cubes, because a pixel that is a mix itself says little about either.
  const front = planeOf(share, (index) => at(share, index) ** 3)
  const back = planeOf(share, (index) => (1 - at(share, index)) ** 3)
  const around = (colours: Plane, weights: Plane, weightsAround: Plane) => {
    const sums = meanAround(
      planeOf(share, (index) => at(colours, index) * at(weights, index)),
      radius,
    )
    return planeOf(share, (index) => at(sums, index) / Math.max(1e-6, at(weightsAround, index)))
  }
  const [frontAround, backAround] = [meanAround(front, radius), meanAround(back, radius)]
  const result: Estimate = { subject: [], background: [] }
  picture.forEach((pixels, channel) => {
    const near = around(subject[channel] as Plane, front, frontAround)
    const behind = around(background[channel] as Plane, back, backAround)
    result.background.push(behind)
    result.subject.push(
      planeOf(share, (index) => {
        const alpha = at(share, index)
        const rest = at(pixels, index) - alpha * at(near, index) - (1 - alpha) * at(behind, index)
        return Math.max(0, Math.min(255, at(near, index) + alpha * rest))
      }),
    )
  })
  return result
}
