import type { Raster } from '../pixels/raster.js'
import { type Sharp, sharp } from '../pixels/sharp.js'
import type { Colours } from '../tensors/colours.js'

export const isOpaque = ({ data }: Raster): boolean => {
  for (let place = 3; place < data.length; place += 4) if (data[place] !== 255) return false
  return true
}

/** Multiplied by their opacity, so that what cannot be seen has no influence on what lies beside it. */
export const takeColours = ({ data, width, height }: Raster): Colours => {
  const colours = new Uint8Array(width * height * 3)
  for (let from = 0, to = 0; from < data.length; from += 4) {
    const opacity = (data[from + 3] as number) / 255
    colours[to++] = Math.round((data[from] as number) * opacity)
    colours[to++] = Math.round((data[from + 1] as number) * opacity)
    colours[to++] = Math.round((data[from + 2] as number) * opacity)
  }
  return { data: colours, width, height }
}

/** The way back. */
export const withOpacity = ({ data: colours, width, height }: Colours, opacity: Uint8Array): Raster => {
  const data = new Uint8ClampedArray(width * height * 4)
  for (let from = 0, to = 0; from < colours.length; from += 3, to += 4) {
    const share = opacity[from / 3] as number
    const factor = share === 0 ? 0 : 255 / share
    data[to] = (colours[from] as number) * factor
    data[to + 1] = (colours[from + 1] as number) * factor
    data[to + 2] = (colours[from + 2] as number) * factor
    data[to + 3] = share
  }
  return { data, width, height }
}

export const fromColours = ({ data, width, height }: Colours): Sharp =>
  sharp(data, { raw: { width, height, channels: 3 }, limitInputPixels: false })

export const toColours = async (picture: Sharp): Promise<Colours> => {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

type Size = { width: number; height: number }

/** Stretched to the size, with Lanczos. */
export const resizeTo = (picture: Sharp, { width, height }: Size): Sharp =>
  picture.resize(width, height, { kernel: 'lanczos3', fit: 'fill' })
