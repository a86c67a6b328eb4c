import { fail, failField } from '#contract/errors.js'
import type { InputPicture } from '#engines/image.js'
import type { Pixels } from '#engines/pixels/pixels.js'
import type { GuardedFetch } from '#plumbing/guarded-fetch/guarded-fetch.js'
import { type StopSignal, toAbortSignal } from '#plumbing/stop-signal.js'
import { createLoad } from '../media/load.js'
import { decodeInPieces } from './decode-in-pieces.js'

/** A picture as a caller gave it: a file, or a text that holds it or says where it is. `place` names the field. */
export type PictureSource = { place: string } & ({ file: Uint8Array } | { text: string })

/** docs/specification.md, Limits 9. */
export const pixelsMin = 65_536
export const pixelsMax = 33_177_600
/** Files are under 25 MB. */
export const fileBytesMax = 25 * 1024 * 1024 - 1
/** Of all pictures of one request. */
const totalBytesMax = 128 * 1024 * 1024
const redirectsMax = 3

export type PictureRules = { pixelsMin?: number; bytesMax?: number }

type Needs = { guardedFetch: GuardedFetch; pixels: Pick<Pixels, 'inspect'> }

/**
 * Gets the pictures of a request and refuses those that are too large, too small or no pictures, before anything is held.
 * What callers name by a URL is visited only at public addresses.
 */
export const createPictureInput = ({ guardedFetch, pixels }: Needs) => {
  const inspect = async (place: string, bytes: Uint8Array, rules: PictureRules): Promise<InputPicture> => {
    const facts = await pixels.inspect(bytes)
    if (!facts) throw fail('notAPicture', place)
    const { width, height } = facts
    const size = [String(width), String(height)]
    const least = rules.pixelsMin ?? pixelsMin
    if (width * height < least) throw fail('pictureTooSmall', place, ...size, String(least))
    if (width * height > pixelsMax) throw fail('pictureTooLarge', place, ...size, String(pixelsMax))
    return { bytes, width, height }
  }

  return async (
    sources: readonly PictureSource[],
    signal: StopSignal,
    rules: PictureRules = {},
  ): Promise<InputPicture[]> => {
    const { bytesMax = fileBytesMax } = rules
    const stop = new AbortController()
    const both = AbortSignal.any([toAbortSignal(signal), stop.signal])
    const whole = sources[0]?.place.split('.')[0] ?? ''
    const { load, count } = createLoad({ guardedFetch, signal: both, totalMax: totalBytesMax, whole })

    const bytesOf = async (source: PictureSource): Promise<Uint8Array> => {
      const { place } = source
      if ('file' in source) {
        count(place, source.file, bytesMax)
        return source.file
      }
      const { text } = source
      // Base64 in lines is half as long again as what it stands for; nobody waits for more to be decoded.
      if (text.length > bytesMax * 1.5 + 1024)
        throw fail('fileTooLarge', place, String(Math.ceil(bytesMax / 1024 ** 2)))
      const start = /^data:[^,]{0,100};base64,/i.exec(text)?.[0].length ?? 0
      if (start === 0 && /^(data|https?):/i.test(text))
        return (await load(place, text, { bytesMax, redirectsMax, accept: 'image/*' })).bytes
      // Some clients percent-encode the padding.
      const bytes = await decodeInPieces(
        text.slice(start).replace(/(%3D){1,2}$/i, (end) => end.replaceAll(/%3D/gi, '=')),
      )
      if (bytes === undefined)
        throw failField(place, 'must be base64, a data URL, or a URL that begins with http:// or https://')
      count(place, bytes, bytesMax)
      return bytes
    }

    try {
      return await Promise.all(sources.map(async (source) => inspect(source.place, await bytesOf(source), rules)))
    } catch (error) {
      // One that fails ends the fetching of the others.
      stop.abort(error)
      throw signal.aborted ? fail('callerLeft') : error
    }
  }
}

export type PictureInput = ReturnType<typeof createPictureInput>
