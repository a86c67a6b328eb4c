import type { StopSignal } from '#plumbing/stop-signal.js'
import type { InputPicture, Picture, PictureFormat } from '../image.js'
import { createThreadPool } from '../threads/pool.js'
import type { FinishOrder } from './worker.js'

/** What can be known about a picture by its head. */
export type PictureFacts = { width: number; height: number }

/** Work on pictures that has nothing to do with models. */
export type Pixels = {
  /** Undefined when it is not a picture that we read. Only the head is read: the rest may still turn out to be broken. */
  inspect(bytes: Uint8Array): Promise<PictureFacts | undefined>
  /** The picture as every backend can read it: upright, sRGB, 8 bits, PNG or JPEG, and nothing else in the file. */
  normalise(image: InputPicture, signal: StopSignal): Promise<InputPicture>
  /** The picture in another format, blurred, or with words in its metadata. */
  finish(picture: Picture, order: Finish, signal: StopSignal): Promise<Picture>
  /** A small JPEG of it, at most so long on its longer side. */
  thumbnail(image: InputPicture, sideMax: number, signal: StopSignal): Promise<Picture>
  /** How light, contrasty and colourful it is as a whole, each from 0 to 1. */
  measure(image: InputPicture, signal: StopSignal): Promise<Look>
  close(): Promise<void>
}

export type Look = { lightness: number; contrast: number; saturation: number }

export type Finish = {
  format: PictureFormat
  isBlurred?: boolean
  /** What to write into the EXIF part of the file. */
  note?: string | undefined
}

export const createPixels = (): Pixels => {
  const pool = createThreadPool({
    file: new URL('./worker.js', import.meta.url),
    name: 'the picture converter',
    threadsMax: 2,
    limitMs: 120_000,
  })
  return {
    async inspect(bytes) {
      // Loading the library takes a moment and memory, which a service without pictures can do without.
      const { readFacts } = await import('./sharp.js')
      return readFacts(bytes)
    },
    normalise: (image, signal) => pool.run('normalise', image, { signal }),
    finish: (picture, order, signal) =>
      pool.run<FinishOrder, Picture>('finish', { picture, ...order }, { signal, gives: picture.bytes }),
    thumbnail: (image, sideMax, signal) => pool.run('thumbnail', { image, sideMax }, { signal }),
    measure: (image, signal) => pool.run('measure', image, { signal }),
    close: pool.close,
  }
}
