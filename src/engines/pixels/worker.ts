import { EngineError } from '../engine-error.js'
import type { InputPicture, Picture } from '../image.js'
import { serveJobs } from '../threads/serve.js'
import type { Finish, Look } from './pixels.js'
import { encode, openPicture, type Sharp, sharp } from './sharp.js'

export type FinishOrder = Finish & { picture: Picture }

/** So few pixels that nothing of a motive can be made out, whatever the size of the picture. */
const blurredSide = 16

/** Whatever fails while an input picture is read is the picture's fault. */
const reading = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (cause) {
    throw new EngineError('unreadable', 'an input picture cannot be decoded', {
      said: 'image is cut off or broken',
      cause,
    })
  }
}

const normalise = ({ bytes }: InputPicture): Promise<InputPicture> =>
  reading(async () => {
    const { hasAlpha, format } = await sharp(bytes).metadata()
    const isPhoto = format === 'jpeg' && !hasAlpha
    const upright = openPicture(bytes)
    const written = isPhoto ? upright.jpeg({ quality: 95 }) : upright.png({ compressionLevel: 3 })
    const { data, info } = await written.toBuffer({ resolveWithObject: true })
    return { bytes: data, width: info.width, height: info.height }
  })

const thumbnail = ({ image, sideMax }: { image: InputPicture; sideMax: number }): Promise<Picture> =>
  reading(async () => {
    const small = openPicture(image.bytes).resize(sideMax, sideMax, { fit: 'inside', withoutEnlargement: true })
    return { bytes: await encode(small, 'jpeg', 'medium'), format: 'jpeg' }
  })

/** Enough pixels to know a picture as a whole. */
const measuredSide = 128

const measure = ({ bytes }: InputPicture): Promise<Look> =>
  reading(async () => {
    const small = openPicture(bytes).resize(measuredSide, measuredSide, { fit: 'inside' }).flatten()
    const data = await small.raw().toBuffer()
    let [sum, sumOfSquares, saturation] = [0, 0, 0]
    for (let place = 0; place < data.length; place += 3) {
      const [red = 0, green = 0, blue = 0] = data.subarray(place, place + 3)
      const light = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
      const most = Math.max(red, green, blue)
      sum += light
      sumOfSquares += light ** 2
      saturation += most === 0 ? 0 : (most - Math.min(red, green, blue)) / most
    }
    const count = data.length / 3
    const lightness = sum / count
    const contrast = Math.sqrt(Math.max(0, sumOfSquares / count - lightness ** 2))
    return { lightness, contrast, saturation: saturation / count }
  })

/** What our own engines made may be as large as it is. */
const openMade = (bytes: Uint8Array) => sharp(bytes, { limitInputPixels: false })

const blur = async (bytes: Uint8Array): Promise<Sharp> => {
  const { width, height } = await openMade(bytes).metadata()
  const few = await openMade(bytes).resize(blurredSide, blurredSide, { fit: 'inside' }).png().toBuffer()
  return sharp(few).resize(width, height, { fit: 'fill', kernel: 'cubic' }).blur(4)
}

const finish = async ({ picture, format, isBlurred = false, note }: FinishOrder): Promise<Picture> => {
  try {
    const opened = isBlurred ? await blur(picture.bytes) : openMade(picture.bytes)
    const noted =
      note === undefined ? opened : opened.withExif({ IFD0: { ImageDescription: note, Software: 'Tessera' } })
    return { bytes: await encode(noted, format), format }
  } catch (cause) {
    throw new EngineError('broken', 'the engine gave a picture that cannot be decoded', { cause })
  }
}

serveJobs({ normalise, thumbnail, measure, finish })
