/** The smallest files that are complete images of a size, for tests. Their pixels are noise. */
const be16 = (value: number) => [value >> 8, value & 0xff]
const le16 = (value: number) => [value & 0xff, value >> 8]
const le24 = (value: number) => [...le16(value & 0xffff), value >> 16]

const pngChunk = (name: string, content: number[]) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, Buffer.from(name), Buffer.from(content), Buffer.alloc(4)])
}

export const png = (width: number, height: number): Buffer =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', [0, 0, ...be16(width), 0, 0, ...be16(height), 8, 2, 0, 0, 0]),
    pngChunk('IDAT', [1, 2, 3]),
    pngChunk('IEND', []),
  ])

export const jpeg = (width: number, height: number): Buffer =>
  Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc4, 0, 3, 9],
    ...[0xff, 0xc2, 0, 11, 8, ...be16(height), ...be16(width), 1, 1, 0x11, 0],
    ...[0xff, 0xda, 0, 3, 1, 42, 43, 0xff, 0xd9],
  ])

export const gif = (width: number, height: number): Buffer =>
  Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from([...le16(width), ...le16(height), 0x80, 0, 0, 1, 2, 3, 4, 5, 6]),
    Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0, ...le16(width), ...le16(height), 0, 2, 2, 0x4c, 1, 0, 0x3b]),
  ])

const riffChunk = (name: string, content: number[]) => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(content.length)
  return Buffer.concat([Buffer.from(name), length, Buffer.from(content), Buffer.alloc(content.length % 2)])
}

export const webp = (kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer => {
  const bits = Buffer.alloc(4)
  bits.writeUInt32LE((width - 1) | ((height - 1) << 14))
  const lossy = [0, 0, 0, 0x9d, 1, 0x2a, ...le16(width), ...le16(height)]
  const chunks = {
    'VP8 ': [riffChunk('VP8 ', lossy)],
    VP8L: [riffChunk('VP8L', [0x2f, ...bits, 7])],
    VP8X: [riffChunk('VP8X', [0, 0, 0, 0, ...le24(width - 1), ...le24(height - 1)]), riffChunk('VP8 ', lossy)],
  }[kind]
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  return Buffer.concat([Buffer.from('RIFF'), length, body])
}
