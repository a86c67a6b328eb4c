import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { sharp } from '../../src/engines/pixels/sharp.js'
import { base64, formOf, startImageService } from '../image-service.js'
import { colorOf, factsOf, plain, scenery } from '../pictures.js'

/** Whatever a caller sends as a picture: a picture comes back, or a clear 4xx, and nothing else happens. */
const service = await startImageService({ after })
const { post, costOf } = service
const prompt = 'make it black and white'
const edit = (image: Uint8Array | string) => post('/image/edit', formOf({ image, prompt }))

const photo = await scenery(640, 480).png().toBuffer()
const jpeg = await scenery(640, 480).jpeg().toBuffer()
const webp = await scenery(640, 480).webp().toBuffer()
const gif = await scenery(640, 480).gif().toBuffer()
const tiff = await scenery(640, 480).tiff().toBuffer()
const avif = await scenery(300, 300).avif().toBuffer()

const crcTable = Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value >>> 0
})
const crc = (bytes: Buffer) => {
  let value = 0xffffffff
  for (const byte of bytes) value = (crcTable[(value ^ byte) & 0xff] as number) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
const chunk = (name: string, content: Buffer) => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(content.length)
  const body = Buffer.concat([Buffer.from(name), content])
  const end = Buffer.alloc(4)
  end.writeUInt32BE(crc(body))
  return Buffer.concat([head, body, end])
}
/** A PNG that says it is so large; its pixels are all zero, or missing. */
const claimedPng = (width: number, height: number, { pixels = true, more = Buffer.alloc(0) } = {}) => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const rows = pixels ? deflateSync(Buffer.alloc((width + 1) * height)) : deflateSync(Buffer.alloc(10))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const end = chunk('IEND', Buffer.alloc(0))
  return Buffer.concat([signature, chunk('IHDR', header), more, chunk('IDAT', rows), end])
}

const svg = (inner: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="400" height="400">${inner}</svg>`,
  )

test('every format that we name is read', async () => {
  for (const [name, bytes] of Object.entries({ photo, jpeg, webp, gif, tiff, avif })) {
    const { status, json } = await edit(bytes)
    assert.equal(status, 200, `${name}: ${JSON.stringify(json)}`)
  }
})

/** The same bytes but for one. */
const withByte = (bytes: Buffer, place: number) => {
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(place) ^ 0xff, place)
  return changed
}

const broken: [string, Uint8Array, string][] = [
  ['a PNG that is cut off', photo.subarray(0, photo.length / 2), 'CORRUPTED_IMAGE'],
  ['a JPEG that is cut off', jpeg.subarray(0, jpeg.length / 2), 'CORRUPTED_IMAGE'],
  ['a WebP that is cut off', webp.subarray(0, webp.length / 2), 'CORRUPTED_IMAGE'],
  ['a TIFF that is cut off', tiff.subarray(0, tiff.length / 2), 'CORRUPTED_IMAGE'],
  ['only the head of a PNG', photo.subarray(0, 40), 'CORRUPTED_IMAGE'],
  ['a PNG whose head does not match its checksum', withByte(photo, 30), 'CORRUPTED_IMAGE'],
  ['a PNG without its pixels', claimedPng(400, 400, { pixels: false }), 'CORRUPTED_IMAGE'],
  ['a picture of one pixel', await plain(1, 1).png().toBuffer(), 'IMAGE_TOO_SMALL'],
  ['a bomb of 3.6 gigapixels', claimedPng(60_000, 60_000, { pixels: false }), 'IMAGE_TOO_LARGE'],
  ['a picture of 50 megapixels', claimedPng(10_000, 5_000), 'IMAGE_TOO_LARGE'],
  ['a line of 33 million pixels that claims more', claimedPng(2 ** 31 - 1, 1, { pixels: false }), ''],
  ['an SVG', svg('<rect width="400" height="400"/>'), 'CORRUPTED_IMAGE'],
  ['a PDF', Buffer.from('%PDF-1.4\n1 0 obj << >> endobj\ntrailer << >>\n%%EOF'), 'CORRUPTED_IMAGE'],
  ['a page that begins like a GIF', Buffer.from(`GIF89a/*${'x'.repeat(200)}*/=1;alert(1)`), ''],
  ['a zip', Buffer.from('PK\x03\x04aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'), 'CORRUPTED_IMAGE'],
  [
    'an ImageMagick script',
    Buffer.from('push graphic-context\nfill "url(https://127.0.0.1/x)"\npop graphic-context'),
    'CORRUPTED_IMAGE',
  ],
  ['zeros', Buffer.alloc(1000), 'CORRUPTED_IMAGE'],
]
for (const [what, bytes, code] of broken)
  test(`${what} is refused clearly and costs nothing`, async () => {
    for (const body of [formOf({ image: bytes, prompt }), { image: base64(bytes), prompt }]) {
      const { result, usd } = await costOf(() => post('/image/edit', body))
      assert.ok(result.status === 400 || result.status === 422, `${result.status}`)
      if (code !== '') assert.equal(result.json.code, code, result.json.error)
      assert.match(result.json.error, /image|picture/i)
      assert.equal(usd, 0n)
    }
  })

test('an SVG cannot make us fetch anything, nor can it read files', async () => {
  const visits: string[] = []
  const server = createServer((request, response) => {
    visits.push(request.url ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const traps = [
    svg(`<image xlink:href="http://127.0.0.1:${port}/a.png" width="400" height="400"/>`),
    svg(`<style>@import url(http://127.0.0.1:${port}/b.css);</style><use xlink:href="file:///etc/passwd#x"/>`),
    Buffer.concat([
      Buffer.from(`<!DOCTYPE svg [<!ENTITY x SYSTEM "http://127.0.0.1:${port}/c">]>`),
      svg('<text>&x;</text>'),
    ]),
  ]
  for (const trap of traps) assert.equal((await edit(trap)).status, 400)
  const byUrl = await post('/image/edit', { image: `http://127.0.0.1:${port}/d.png`, prompt })
  assert.equal(byUrl.json.code, 'MEDIA_UNAVAILABLE')
  const names = ['localhost', '[::1]', '0x7f.1', '2130706433', '127.0.0.1.nip.invalid', '[::ffff:127.0.0.1]']
  for (const name of names) {
    const { status } = await post('/image/edit', { image: `http://${name}:${port}/e.png`, prompt })
    assert.equal(status, 400, name)
  }
  assert.deepEqual(visits, [])
  await new Promise((resolve) => server.close(resolve))
})

test('a file of two kinds is read as the picture that it is, and the other part is gone', async () => {
  const payload = Buffer.from('<script>alert(1)</script>PK\x03\x04')
  const noted = await scenery(400, 300)
    .jpeg()
    .withExif({ IFD0: { ImageDescription: 'SECRET-PLACE' } })
    .toBuffer()
  for (const bytes of [Buffer.concat([photo, payload]), Buffer.concat([jpeg, payload]), noted]) {
    const answer = await edit(bytes)
    assert.equal(answer.status, 200)
    assert.ok(!Buffer.from(answer.bytes).includes('script'))
    assert.ok(!Buffer.from(answer.bytes).includes('SECRET-PLACE'))
  }
})

test('a wrong name or type says nothing: the bytes do', async () => {
  const form = new FormData()
  form.append('prompt', prompt)
  form.append('image', new Blob([new Uint8Array(webp)], { type: 'text/html' }), 'a.exe')
  assert.equal((await post('/image/edit', form)).status, 200)
  assert.equal((await post('/image/edit', { image: `data:text/plain;base64,${base64(jpeg)}`, prompt })).status, 200)
})

test('a sideways photograph is upright, and only once', async () => {
  const sideways = await scenery(640, 480).jpeg().withMetadata({ orientation: 6 }).toBuffer()
  const { bytes } = await edit(sideways)
  const { width = 0, height = 0 } = await factsOf(bytes)
  assert.ok(height > width)
})

test('CMYK, 16 bits, grey, palettes, transparency and animations are read as a viewer shows them', async () => {
  const [red, frames] = [plain(300, 300, '#c81e1e'), [plain(300, 300, '#c81e1e'), plain(300, 300, '#1e1ec8')]]
  const cmyk = await red.clone().toColourspace('cmyk').jpeg().toBuffer()
  const deep = await red.clone().toColourspace('rgb16').png().toBuffer()
  const palette = await red.clone().png({ palette: true }).toBuffer()
  const clear = await plain(300, 300, { r: 200, g: 30, b: 30, alpha: 0.5 }).png().toBuffer()
  const pages = await Promise.all(frames.map((frame) => frame.png().toBuffer()))
  const animation = await sharp(pages, { join: { animated: true } })
    .gif()
    .toBuffer()
  const moving = await sharp(pages, { join: { animated: true } })
    .webp()
    .toBuffer()
  for (const [name, bytes] of Object.entries({ cmyk, deep, palette, animation, moving })) {
    const answer = await post('/image/edit', formOf({ image: bytes, prompt: 'flip it horizontally' }))
    assert.equal(answer.status, 200, name)
    const [r = 0, g = 0, b = 0] = await colorOf(answer.bytes)
    assert.ok(r > 160 && g < 70 && b < 70, `${name}: ${r} ${g} ${b}`)
    const { width, height } = await factsOf(answer.bytes)
    assert.deepEqual([width, height], [1024, 1024], name)
  }
  const kept = await post('/image/edit', formOf({ image: clear, prompt: 'flip it horizontally' }))
  assert.ok((await factsOf(kept.bytes)).hasAlpha)
})

test('grey pictures of 8 and 16 bits can be graded like others', async () => {
  for (const space of ['b-w', 'grey16'] as const) {
    const grey = await plain(300, 300, '#606060').toColourspace(space).png().toBuffer()
    for (const words of ['make it brighter', 'increase the contrast by 50%', 'invert the colors', 'add a red tint']) {
      const { status, json } = await post('/image/edit', formOf({ image: grey, prompt: words }))
      assert.equal(status, 200, `${space} ${words}: ${JSON.stringify(json)}`)
    }
  }
})

test('base64 may be written in lines, also with escapes, and be large', async () => {
  const bytes = await scenery(1600, 1200).png({ compressionLevel: 0 }).toBuffer()
  const lines = base64(bytes).replace(/.{76}/g, '$&\r\n')
  assert.ok(lines.length > 7_000_000)
  for (const image of [lines, `data:image/png;base64,${lines}`])
    assert.equal((await post('/image/edit', { image, prompt })).status, 200)
})

test('the largest pictures that are allowed, at once, do not make the service larger than it may be', async () => {
  const largest = claimedPng(5760, 5760)
  const before = process.memoryUsage().rss
  const answers = await Promise.all(Array.from({ length: 6 }, () => edit(largest)))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.ok(process.memoryUsage().rss - before < 1.5 * 1024 ** 3)
})

test('a hundred megabytes of text inside a small picture are not unpacked', async () => {
  const bomb = deflateSync(Buffer.alloc(100 * 1024 * 1024))
  const more = chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), bomb]))
  const { status } = await edit(claimedPng(300, 300, { more }))
  assert.ok(status === 200 || status === 400)
})

test('pictures with any bytes changed are read or refused, never more', async () => {
  const originals = [photo, jpeg, webp, gif, tiff, avif]
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...originals),
      fc.array(fc.tuple(fc.nat({ max: 2_000 }), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 12 }),
      async (original, changes) => {
        const bytes = Buffer.from(original)
        for (const [place, value] of changes) if (place < bytes.length) bytes[place] = value
        const { result, usd } = await costOf(() => edit(bytes))
        assert.ok([200, 400, 422].includes(result.status), `${result.status} ${JSON.stringify(result.json)}`)
        assert.equal(usd, result.status === 200 ? 2_000_000n : 0n)
      },
    ),
    { numRuns: 40 },
  )
  assert.equal((await service.outside.get('/health')).status, 200)
})
