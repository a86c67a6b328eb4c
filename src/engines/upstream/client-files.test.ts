import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { FormData } from 'undici'
import { neverStops } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import { sendBytes, sendJson, startPictureServer } from './fixtures/picture-server.js'
import { acceptWebSockets } from './fixtures/web-sockets.js'

const startPictures = async (test: TestContext) => {
  const server = await startPictureServer(test, {
    'POST /v1/form': sendJson({ ok: true }),
    'POST /v1/tell': (_, response) => void response.writeHead(200).end(),
    'GET /v1/json': sendJson({ ok: true }),
    'GET /v1/view': sendBytes(Buffer.from([1, 2, 3])),
    'GET /elsewhere': sendBytes(Buffer.from([4])),
    'POST /v1/no': sendJson({ error: { message: 'no', reason: 'because' } }, 400),
  })
  const client = server.client({
    baseUrl: `${server.origin}/v1?version=2`,
    apiKey: 'sk-own',
    headers: { 'x-team': 'blue' },
  })
  return { ...server, client }
}

test('forms, questions and files go the same way as JSON, with the same credentials', async (test) => {
  const { client, received, origin } = await startPictures(test)
  const form = new FormData()
  form.append('name', 'ü')
  form.append('file', new Blob([Buffer.from([9])], { type: 'image/png' }), 'a.png')
  const call = { signal: neverStops }
  assert.deepEqual(await client.postFormForJson('/form', form, call), { ok: true })
  await client.tell('/tell', '{}', call)
  assert.deepEqual(await client.getForJson('/json', call), { ok: true })
  assert.deepEqual(await client.getForBytes('/view?name=a%26b', call), Buffer.from([1, 2, 3]))
  assert.deepEqual(await client.download(`${origin}/elsewhere?x=1`, call), Buffer.from([4]))
  for (const { headers } of received)
    assert.deepEqual([headers.authorization, headers['x-team']], ['Bearer sk-own', 'blue'])
  assert.deepEqual(
    received.map(({ method, path, query }) => `${method} ${path}?${query}`),
    [
      'POST /v1/form?version=2',
      'POST /v1/tell?version=2',
      'GET /v1/json?version=2',
      'GET /v1/view?name=a%26b&version=2',
      'GET /elsewhere?x=1',
    ],
  )
  const [{ form: sent, headers } = assert.fail(), , question] = received
  assert.match(String(headers['content-type']), /^multipart\/form-data; boundary=/)
  assert.deepEqual([sent?.get('name'), (sent?.get('file') as File).name], ['ü', 'a.png'])
  assert.equal(question?.headers['content-type'], undefined)
})

test('an engine may know better what a refusal means, and how much of an answer it wants', async (test) => {
  const { client } = await startPictures(test)
  const explain = (status: number, body: unknown) =>
    new EngineError('broken', `${status} ${(body as { error: { reason: string } }).error.reason}`)
  const call = { signal: neverStops }
  await assert.rejects(client.postForJson('/no', '{}', { ...call, explain }), { message: '400 because' })
  const usual = client.postForJson('/no', '{}', { ...call, explain: () => undefined })
  await assert.rejects(usual, { trouble: 'refused' })
  await assert.rejects(client.getForBytes('/view', { ...call, answerBytesMax: 2 }), { message: /larger than 2 bytes/ })
})

test('a WebSocket tells when it is open, what is said, and that it is over; after closing it says nothing', async (test) => {
  const { client, server } = await startPictures(test)
  const web = acceptWebSockets(server)
  const heard: string[] = []
  let wake = () => {}
  const until = async (word: string) => {
    while (!heard.includes(word)) await new Promise<void>((resolve) => (wake = resolve))
  }
  const say = (word: string) => {
    heard.push(word)
    wake()
  }
  const listener = { onOpen: () => say('open'), onText: say, onClosed: () => say('closed') }
  client.openSocket('/ws?clientId=a', listener)
  await until('open')
  assert.equal(web.opened[0]?.authorization, 'Bearer sk-own')
  web.sendBinary('a', Buffer.from([1]))
  web.send('a', { hello: 1 })
  await until('{"hello":1}')
  web.cut()
  await until('closed')
  assert.deepEqual(heard.splice(0), ['open', '{"hello":1}', 'closed'])

  const socket = client.openSocket('/ws?clientId=b', listener)
  await until('open')
  socket.close()
  while (web.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(heard.splice(0), ['open'])

  web.refuse()
  client.openSocket('/ws', listener)
  await until('closed')
  assert.deepEqual(heard, ['closed'])
})
