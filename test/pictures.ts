import { sharp, toRaster } from '../src/engines/pixels/sharp.js'

type Color = { r: number; g: number; b: number; alpha?: number }

/** A picture of one colour, in the format that is asked for. */
export const plain = (width: number, height: number, background: Color | string = { r: 200, g: 40, b: 40 }) =>
  sharp({
    create: { width, height, channels: typeof background === 'object' && 'alpha' in background ? 4 : 3, background },
  })

/** A picture with something to see in it: sky above, meadow below, a red disc on the left and a blue box on the right. */
export const scenery = (width = 512, height = 384) => {
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const place = (y * width + x) * 3
      const isDisc = Math.hypot(x - width * 0.25, y - height * 0.5) < height * 0.2
      const isBox = Math.abs(x - width * 0.75) < height * 0.15 && Math.abs(y - height * 0.5) < height * 0.15
      const shade = Math.round((y / height) * 40)
      const color = isDisc
        ? [210, 30, 30]
        : isBox
          ? [30, 60, 210]
          : y < height / 2
            ? [120 + shade, 180 + shade, 240]
            : [70, 140 - shade, 50]
      data.set(color, place)
    }
  return sharp(data, { raw: { width, height, channels: 3 } })
}

/** The mean colour of a part of a picture; the part is given in shares of its sides. */
export const colorOf = async (
  bytes: Uint8Array,
  { left = 0, top = 0, width = 1, height = 1 } = {},
): Promise<number[]> => {
  const whole = await sharp(bytes).metadata()
  const region = {
    left: Math.round(left * whole.width),
    top: Math.round(top * whole.height),
    width: Math.max(1, Math.round(width * whole.width)),
    height: Math.max(1, Math.round(height * whole.height)),
  }
  const { channels } = await sharp(await sharp(bytes).extract(region).png().toBuffer()).stats()
  return channels.map(({ mean }) => Math.round(mean))
}

/** How far two pictures of one size are apart, 0 to 255 per channel. */
export const difference = async (one: Uint8Array, other: Uint8Array): Promise<number> => {
  const { data, width, height } = await toRaster(sharp(one))
  const second = await toRaster(sharp(other).resize(width, height, { fit: 'fill' }))
  let sum = 0
  for (let place = 0; place < data.length; place++)
    sum += Math.abs((data[place] as number) - (second.data[place] as number))
  return sum / data.length
}

export const factsOf = async (bytes: Uint8Array) => {
  const { format, width, height, hasAlpha, exif } = await sharp(bytes).metadata()
  return { format, width, height, hasAlpha, hasExif: exif !== undefined }
}
