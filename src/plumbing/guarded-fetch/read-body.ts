import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { FetchRefused } from './fetch-refused.js'

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

const tooLarge = (bytesMax: number) => new FetchRefused('size', `is larger than ${bytesMax} bytes`)

/** What `body` says, decoded. Reading stops at the first byte too many, so a small body cannot unfold into a huge one. */
export const readBody = async (body: Readable, encoding: string, bytesMax: number): Promise<Buffer> => {
  const name = encoding.trim().toLowerCase()
  const isPlain = name === '' || name === 'identity'
  const decode = Object.hasOwn(decoders, name) ? decoders[name as keyof typeof decoders] : undefined
  // Encodings of encodings are the usual dress of a bomb.
  if (!isPlain && !decode) throw new FetchRefused('type', 'is sent in an encoding that is not known here')
  // Errors of either end arrive where the pieces are read.
  const pieces: Readable = decode ? pipeline(body, decode(), () => {}) : body
  const read: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    bytes += (piece as Buffer).length
    if (bytes > bytesMax) throw tooLarge(bytesMax)
    read.push(piece as Buffer)
  }
  return Buffer.concat(read, bytes)
}

export const refuseAnnouncedSize = (contentLength: string | undefined, bytesMax: number): void => {
  if (contentLength !== undefined && Number(contentLength) > bytesMax) throw tooLarge(bytesMax)
}
