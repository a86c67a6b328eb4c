import { EngineError } from '../engine-error.js'
import type { Picture, PictureFormat } from '../image.js'

/** More than this is not read of an answer that holds pictures. */
export const pictureAnswerBytesMax = 100 * 1024 * 1024

const startsWith = (bytes: Uint8Array, text: string, offset = 0) =>
  bytes.length >= offset + text.length &&
  [...text].every((letter, index) => bytes[offset + index] === letter.charCodeAt(0))

/** By the first bytes; what a server calls its answer may be wrong. */
export const formatOf = (bytes: Uint8Array): PictureFormat | undefined => {
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'png'
  if (startsWith(bytes, '\xff\xd8\xff')) return 'jpeg'
  return startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8) ? 'webp' : undefined
}

export const mediaTypeOf = (bytes: Uint8Array): string => `image/${formatOf(bytes) ?? 'png'}`
export const fileNameOf = (name: string, bytes: Uint8Array): string => `${name}.${formatOf(bytes) ?? 'png'}`

/** A picture that an upstream sent. */
export const toPicture = (bytes: Uint8Array): Picture => {
  const format = formatOf(bytes)
  if (format === undefined) throw new EngineError('broken', 'what the upstream sent is not a PNG, JPEG or WebP picture')
  return { bytes: format === 'png' ? withoutNotes(bytes) : bytes, format }
}

/** The same from base64, which may be wrapped in a data URL. */
export const fromBase64 = (text: unknown): Picture => {
  if (typeof text !== 'string') throw new EngineError('broken', 'the upstream sent a picture that is not text')
  return toPicture(Buffer.from(text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text, 'base64'))
}

const notes = new Set(['tEXt', 'zTXt', 'iTXt', 'eXIf'])

/**
 * A PNG without what was written beside the pixels. Backends put the prompt there, names of files on their disk, and in
 * the case of ComfyUI the whole workflow, which belongs to the operator and not to the caller.
 */
const withoutNotes = (bytes: Uint8Array): Uint8Array => {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const kept = [view.subarray(0, 8)]
  let offset = 8
  while (offset + 12 <= view.length) {
    const end = offset + 12 + view.readUInt32BE(offset)
    if (!notes.has(view.toString('latin1', offset + 4, offset + 8))) kept.push(view.subarray(offset, end))
    offset = end
  }
  return Buffer.concat(kept)
}
