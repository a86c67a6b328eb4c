import { basename } from 'node:path/posix'
import { fail, failField } from '#contract/errors.js'
import type { AudioPart, ContentPart, FilePart, ImagePart, TextPart, VideoPart } from '#contract/text-parts.js'
import { documentBytesMax, type ExtractText } from '../../documents/extract-text.js'
import { decodeBase64 } from '../../media/data-url.js'
import type { createLoad, Loaded } from '../../media/load.js'
import { readImageSize } from './image-size.js'

const imageSideMin = 64
const bytesMax = documentBytesMax
const videoBytesMax = 2 * bytesMax
const redirectsMax = 3

const asDataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`

/** The last step of an address, if it looks like a file name. */
const nameInUrl = (url: string | undefined): string | undefined => {
  const name = url === undefined ? '' : basename(new URL(url).pathname)
  return /\.\w+$/.test(name) ? name : undefined
}

type Needs = ReturnType<typeof createLoad> & { extractText: ExtractText; signal: AbortSignal }

/** Turns one part into what an engine is given. `place` names it, as in messages.2.content.1. */
export const createPartPreparation = ({ load, count, extractText, signal }: Needs) => {
  /** A part as it came when its own data URL says the truth, so that nothing is encoded twice. */
  const inlined = (url: string, { bytes, contentType, isBase64 }: Loaded, type: string): string =>
    isBase64 && contentType === type ? url : asDataUrl(type, bytes)

  const prepareImage = async (part: ImagePart, place: string): Promise<ImagePart> => {
    const { url } = part.image_url
    const loaded = await load(place, url, { bytesMax, redirectsMax, accept: 'image/*' })
    const size = readImageSize(loaded.bytes)
    if (!size) throw fail('corruptedImage', place)
    const { width, height, type } = size
    if (Math.min(width, height) < imageSideMin)
      throw fail('imageTooSmall', place, String(width), String(height), String(imageSideMin))
    return { ...part, image_url: { ...part.image_url, url: inlined(url, loaded, type) } }
  }

  const prepareVideo = async (part: VideoPart, place: string): Promise<VideoPart> => {
    const { url } = part.video_url
    const isVideo = /^video\/[\w.+-]+$/
    const loaded = await load(place, url, { bytesMax: videoBytesMax, redirectsMax: 0, contentType: isVideo })
    if (!isVideo.test(loaded.contentType)) throw failField(place, 'must have a video content type, such as video/mp4')
    if (loaded.bytes.length === 0) throw failField(place, 'must not be empty')
    return { ...part, video_url: { ...part.video_url, url: inlined(url, loaded, loaded.contentType) } }
  }

  const prepareAudio = (part: AudioPart, place: string): AudioPart => {
    const bytes = decodeBase64(part.input_audio.data)
    if (!bytes || bytes.length === 0) throw failField(place, 'must hold audio data in base64')
    count(place, bytes, bytesMax)
    return part
  }

  const prepareFile = async ({ file, cache_control }: FilePart, place: string): Promise<TextPart> => {
    const { bytes, contentType, url } = await load(place, file.file_data, { bytesMax, redirectsMax })
    const filename = file.filename ?? nameInUrl(url)
    const text = await extractText({ bytes, contentType, filename, place, signal })
    return {
      type: 'text',
      text: filename === undefined ? text : `File: ${filename}\n\n${text}`,
      ...(cache_control && { cache_control }),
    }
  }

  return async (part: ContentPart, place: string): Promise<ContentPart> => {
    switch (part.type) {
      case 'text':
        return part
      case 'image_url':
        return prepareImage(part, place)
      case 'video_url':
        return prepareVideo(part, place)
      case 'input_audio':
        return prepareAudio(part, place)
      case 'file':
        return prepareFile(part, place)
    }
  }
}
