import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { base64, formOf, startImageService } from '../image-service.js'
import { scenery } from '../pictures.js'
import { until } from '../text-service.js'

/** What callers do to connections must not take anything from others. */
const service = await startImageService({ after })
const { post, rich, port } = service
const photo = await scenery(300, 300).png().toBuffer()

const headOf = (path: string, lines: string[]) =>
  [`POST /api/v1${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${rich.key}`, ...lines, '', ''].join('\r\n')

test('uploads behind an answer that is never read give their room back', async () => {
  const boundary = 'content-type: multipart/form-data; boundary=x'
  const part = (name: string, value: string) =>
    `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const form = `${part('image', base64(photo))}${part('prompt', 'sepia')}--x--\r\n`
  const chunked = `${form.length.toString(16)}\r\n${form}\r\n0\r\n\r\n`
  const slow = JSON.stringify({ model: 'scene-composer', prompt: 'a cat' })
  // Without a length each counts as the largest that is possible: eight of them fill the room.
  for (let times = 0; times < 10; times++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(headOf('/image/generate', ['content-type: application/json', `content-length: ${slow.length}`]))
    socket.write(slow)
    socket.write(headOf('/image/edit', [boundary, 'transfer-encoding: chunked']))
    socket.write(chunked)
    await new Promise((resolve) => setTimeout(resolve, 60))
    socket.destroy()
  }
  await until(async () => {
    const [open] = await service.sql`select 1 from ledger_hold where account_id = ${rich.accountId}`
    return open === undefined ? true : undefined
  })
  const paid = await service.sql`select 1 from usage_record where model = 'picture-editor' and usd + bundled > 0`
  assert.equal(paid.length, 0, 'who has left pays nothing')
  const { status, json } = await post('/image/edit', formOf({ image: photo, prompt: 'make it sepia' }))
  assert.equal(status, 200, JSON.stringify(json))
})

test('a form is refused where none is taken, before it is read', async () => {
  const { status, json } = await post('/image/generate', formOf({ model: 'scene-composer', prompt: 'a cat' }))
  assert.deepEqual([status, json.code], [415, 'INVALID_CONTENT_TYPE'])
})

test('a service that ends does not wait for connections that are kept open', async () => {
  const ending = await startImageService({ after })
  const running = ending.post('/image/generate', { model: 'scene-composer', prompt: 'a cat', width: 512, height: 512 })
  await new Promise((resolve) => setTimeout(resolve, 100))
  const { server } = ending.app.server
  let forced = 0
  const force = server.closeAllConnections.bind(server)
  server.closeAllConnections = () => {
    forced += 1
    force()
  }
  await ending.app.close(8_000)
  assert.equal((await running).status, 200)
  assert.equal(forced, 0, 'nobody had to be cut off')
})

test('an upload that breaks off is forgotten', async () => {
  for (let times = 0; times < 12; times++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(headOf('/image/edit', ['content-type: multipart/form-data; boundary=x', 'content-length: 100000000']))
    socket.write('--x\r\ncontent-disposition: form-data; name="image"; filename="a"\r\n\r\nabc')
    await new Promise((resolve) => setTimeout(resolve, 20))
    socket.destroy()
  }
  assert.equal((await post('/image/edit', formOf({ image: photo, prompt: 'make it sepia' }))).status, 200)
})

test('a body of words and numbers without end is refused before it is parsed', async () => {
  const { status, json } = await post('/image/edit', {
    image: 'x',
    prompt: 'y',
    junk: Array.from({ length: 1_500_000 }, () => 0),
  })
  assert.deepEqual([status, json.code], [413, 'PAYLOAD_TOO_LARGE'])
})

test('the strange pictures of one caller do not keep the editor from another', async () => {
  const thin = await scenery(65_536, 1).png().toBuffer()
  for (const output_format of ['png', 'jpeg', 'webp'])
    for (const prompt of ['make it brighter', 'blur it', 'watercolor style', 'add the text "Hi"']) {
      const { status, json } = await post('/image/edit', formOf({ image: thin, prompt, output_format }))
      assert.ok(status === 200 || status === 400, `${status} ${prompt} ${output_format}: ${JSON.stringify(json)}`)
    }
  assert.equal((await post('/image/edit', formOf({ image: photo, prompt: 'make it sepia' }))).status, 200)
})
