export type ImageSize = { type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif'; width: number; height: number }

type Reader = (bytes: Buffer) => { width: number; height: number } | undefined

const begins = (bytes: Buffer, text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text

/** A PNG is a list of chunks; the first says the size, and it is complete when the pixels and the end are there. */
const readPng: Reader = (bytes) => {
  let hasPixels = false
  let size: { width: number; height: number } | undefined
  for (let place = 8; place + 12 <= bytes.length; place += 12 + bytes.readUInt32BE(place)) {
    const name = bytes.toString('latin1', place + 4, place + 8)
    if (size === undefined) {
      if (name !== 'IHDR' || bytes.readUInt32BE(place) !== 13 || place + 25 > bytes.length) return undefined
      size = { width: bytes.readUInt32BE(place + 8), height: bytes.readUInt32BE(place + 12) }
    }
    if (name === 'IDAT') hasPixels = true
    if (name === 'IEND') return hasPixels ? size : undefined
  }
  return undefined
}

/** Frame headers of all kinds of JPEG; C4, C8 and CC are tables and an extension. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** A JPEG is a list of segments up to the pixels, which last until the end mark. */
const readJpeg: Reader = (bytes) => {
  let size: { width: number; height: number } | undefined
  let place = 2
  while (place + 4 <= bytes.length && bytes[place] === 0xff) {
    const marker = bytes[place + 1] as number
    // Filling, and marks without content.
    if (marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      place += marker === 0xff ? 1 : 2
      continue
    }
    if (marker === 0xda) return bytes.indexOf('\xff\xd9', place, 'latin1') > 0 ? size : undefined
    const length = bytes.readUInt16BE(place + 2)
    if (length < 2 || place + 2 + length > bytes.length) return undefined
    if (isFrame(marker) && length >= 8)
      size = { width: bytes.readUInt16BE(place + 7), height: bytes.readUInt16BE(place + 5) }
    place += 2 + length
  }
  return undefined
}

/** Where a list of data blocks ends; undefined when the file ends before. */
const endOfBlocks = (bytes: Buffer, from: number): number | undefined => {
  let place = from
  while (place < bytes.length) {
    const length = bytes[place] as number
    place += 1 + length
    if (length === 0) return place
  }
  return undefined
}

const tableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

/** A GIF is complete enough when its first picture is. */
const readGif: Reader = (bytes) => {
  if (bytes.length < 13) return undefined
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  let place: number | undefined = 13 + tableBytes(bytes[10] as number)
  while (place !== undefined && place < bytes.length) {
    if (bytes[place] === 0x2c && place + 10 < bytes.length)
      return endOfBlocks(bytes, place + 11 + tableBytes(bytes[place + 9] as number)) === undefined ? undefined : size
    if (bytes[place] !== 0x21) return undefined
    place = endOfBlocks(bytes, place + 2)
  }
  return undefined
}

/** The three kinds of WebP chunks that say a size. */
const webpSizes: Record<string, Reader> = {
  'VP8 ': (chunk) =>
    chunk.length >= 10 && begins(chunk, '\x9d\x01\x2a', 3)
      ? { width: chunk.readUInt16LE(6) & 0x3fff, height: chunk.readUInt16LE(8) & 0x3fff }
      : undefined,
  VP8L: (chunk) => {
    if (chunk.length < 5 || chunk[0] !== 0x2f) return undefined
    const bits = chunk.readUInt32LE(1)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  },
  VP8X: (chunk) =>
    chunk.length >= 10 ? { width: chunk.readUIntLE(4, 3) + 1, height: chunk.readUIntLE(7, 3) + 1 } : undefined,
}

const webpPictures = new Set(['VP8 ', 'VP8L', 'ANMF'])

/** The first chunk says the size; it is complete when a chunk with a picture lies wholly inside the file. */
const readWebp: Reader = (bytes) => {
  let size: { width: number; height: number } | undefined
  for (let place = 12; place + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', place, place + 4)
    const length = bytes.readUInt32LE(place + 4)
    if (place + 8 + length > bytes.length) return undefined
    size ??= webpSizes[name]?.(bytes.subarray(place + 8, place + 8 + length))
    if (size === undefined) return undefined
    if (webpPictures.has(name)) return size
    place += 8 + length + (length % 2)
  }
  return undefined
}

const formats: { type: ImageSize['type']; isIt(bytes: Buffer): boolean; read: Reader }[] = [
  { type: 'image/png', isIt: (bytes) => begins(bytes, '\x89PNG\r\n\x1a\n'), read: readPng },
  { type: 'image/jpeg', isIt: (bytes) => begins(bytes, '\xff\xd8\xff'), read: readJpeg },
  { type: 'image/gif', isIt: (bytes) => begins(bytes, 'GIF87a') || begins(bytes, 'GIF89a'), read: readGif },
  { type: 'image/webp', isIt: (bytes) => begins(bytes, 'RIFF') && begins(bytes, 'WEBP', 8), read: readWebp },
]

/** What an image is and how large, from its structure; undefined when it is none of these or not complete. */
export const readImageSize = (bytes: Buffer): ImageSize | undefined => {
  const format = formats.find(({ isIt }) => isIt(bytes))
  const size = format?.read(bytes)
  return format && size && size.width > 0 && size.height > 0 ? { type: format.type, ...size } : undefined
}
