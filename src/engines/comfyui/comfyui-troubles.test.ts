import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faults, flood, sendBytes, sendJson, silence } from '../upstream/fixtures/picture-server.js'
import { createComfyUi } from './comfyui.js'
import { startComfyUi } from './fixtures/comfyui-server.js'
import type { Workflow } from './workflow.js'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
const nodeAfter = (class_type: string): Workflow => ({
  checkpoint: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'photon.safetensors' } },
  empty: { class_type: 'EmptyLatentImage', inputs: { width: 8, height: 8, batch_size: 1 } },
  decoded: { class_type: 'VAEDecode', inputs: { samples: ['empty', 0], vae: ['checkpoint', 2] } },
  checked: { class_type, inputs: { image: ['decoded', 0], text: '{{prompt}}' } },
  result: { class_type: 'PreviewImage', inputs: { images: ['checked', 0] } },
})

/** A server on which every workflow ends with a node of this class. */
const startWithNode = async (test: Parameters<typeof startComfyUi>[0], class_type: string) => {
  const server = await startComfyUi(test)
  const usual = server.routes['POST /prompt']
  server.routes['POST /prompt'] = (request, response) => {
    const { positive } = request.json.prompt as Workflow
    const text = JSON.stringify(nodeAfter(class_type)).replace('{{prompt}}', String(positive?.inputs.text))
    return usual?.({ ...request, json: { ...request.json, prompt: JSON.parse(text) } }, response)
  }
  return server
}

test('a checkpoint or a node that the server does not have is for the operator to mend', async (test) => {
  const { generate, upscale } = await startComfyUi(test)
  await assert.rejects(async () => generate({ model: 'flux' }), {
    trouble: 'unavailable',
    message: /CheckpointLoaderSimple: Value not in list \(ckpt_name: 'flux' not in \["photon.safetensors"\]\)$/,
  })
  await assert.rejects(async () => upscale({ model: 'x' }), { trouble: 'unavailable', message: /UpscaleModelLoader/ })
  const other = await startWithNode(test, 'FancyNode')
  await assert.rejects(async () => other.generate(), {
    trouble: 'unavailable',
    message: /node FancyNode does not exist/,
  })
})

test('a size beyond what the server takes is for the caller to mend', async (test) => {
  const { generate } = await startComfyUi(test)
  await assert.rejects(async () => generate({ width: 20_000 }), {
    trouble: 'refused',
    said: 'width: Value 20000 bigger than max of 16384',
  })
})

test('a node that fails is a fault of the server, and a filter that fires a refusal; no prompt reaches the log', async (test) => {
  const full = await startWithNode(test, 'OutOfMemory')
  await assert.rejects(async () => full.generate(), {
    trouble: 'unavailable',
    message: /OutOfMemory .*torch.OutOfMemoryError/,
  })
  const strict = await startWithNode(test, 'SafetyCheck')
  assert.equal((await strict.generate()).length, 1)
  await assert.rejects(
    async () => strict.generate({ prompt: 'a naked fox' }),
    (error: Error & { trouble?: string; said?: string }) => {
      assert.deepEqual([error.trouble, error.said], ['refused', 'a filter of the model refused the content'])
      assert.doesNotMatch(error.message, /fox/)
      return true
    },
  )
})

for (const [name, fault, trouble] of faults)
  test(`a server that ${name} is ${trouble}`, async (test) => {
    const { generate, edit, routes } = await startComfyUi(test)
    routes['POST /upload/image'] = fault
    await assert.rejects(async () => edit(), { name: 'EngineError', trouble })
    const usual = routes['POST /prompt']
    routes['POST /prompt'] = fault
    await assert.rejects(async () => generate(), { name: 'EngineError', trouble })
    if (usual) routes['POST /prompt'] = usual
    // An empty answer of the history only means that it is not finished yet.
    if (/of use|null/.test(name)) return
    routes['GET /history/*'] = fault
    await assert.rejects(async () => generate(), { name: 'EngineError', trouble })
  })

test('results that are no pictures, too few, too large or not there are not given to callers', async (test) => {
  const { generate, routes, history } = await startComfyUi(test)
  routes['GET /view'] = sendBytes(Buffer.from('<svg/>'))
  await assert.rejects(async () => generate(), { trouble: 'broken', message: /not a PNG/ })
  routes['GET /view'] = flood
  await assert.rejects(async () => generate(), { trouble: 'broken', message: /larger than/ })
  routes['GET /view'] = (_, response) => void response.writeHead(404).end()
  await assert.rejects(async () => generate(), { trouble: 'unavailable' })
  routes['GET /history/*'] = ({ path }, response) => {
    const id = path.split('/').at(-1) ?? ''
    const entry = history[id] && { ...history[id], outputs: { 9: { images: [] }, 10: null, 11: { text: ['x'] } } }
    sendJson(entry ? { [id]: entry } : {})({} as never, response)
  }
  await assert.rejects(async () => generate(), { trouble: 'broken', message: /too few/ })
})

test('a caller who leaves takes a workflow that waits out of the queue, and interrupts nobody', async (test) => {
  const { generate, hold, to, request } = await startComfyUi(test)
  const release = hold()
  const others = generate()
  await request('/prompt')
  const leaving = new AbortController()
  const left = assert.rejects(async () => generate({ signal: leaving.signal }), { name: 'AbortError' })
  while (to('/prompt').length < 2) await nextTurn()
  leaving.abort()
  await left
  // It is taken out first, and then looked for among those that run.
  await request('/queue')
  while (to('/queue').length < 2) await nextTurn()
  assert.deepEqual(
    to('/queue').map(({ method }) => method),
    ['POST', 'GET'],
  )
  release()
  assert.equal((await others).length, 1)
  assert.equal(to('/interrupt').length, 0)
})

test('a caller who leaves while the workflow runs interrupts it', async (test) => {
  const { generate, hold, isRunning, request, web, history } = await startComfyUi(test)
  hold()
  const leaving = new AbortController()
  const left = assert.rejects(async () => generate({ signal: leaving.signal }), { name: 'AbortError' })
  while (!isRunning()) await nextTurn()
  leaving.abort()
  await left
  const { json } = await request('/interrupt')
  while (Object.keys(history).length === 0) await nextTurn()
  assert.deepEqual([json.prompt_id], Object.keys(history))
  while (web.sockets.size > 0) await nextTurn()
})

test('a caller who leaves before the server has answered leaves nothing in the queue either', async (test) => {
  const { generate, routes, hold, request, to } = await startComfyUi(test)
  hold()
  const usual = routes['POST /prompt']
  let answer = () => {}
  routes['POST /prompt'] = (asked, response) => {
    answer = () => usual?.(asked, response)
  }
  const leaving = new AbortController()
  const left = assert.rejects(async () => generate({ signal: leaving.signal }), { name: 'AbortError' })
  await request('/prompt')
  leaving.abort()
  await left
  assert.equal(to('/queue').length, 0)
  answer()
  await request('/interrupt')
})

test('work that takes too long is stopped, and so is a server that says nothing', async (test) => {
  const { generate, createEngine, hold, request, routes } = await startComfyUi(test)
  hold()
  await assert.rejects(async () => generate({}, createEngine({ timeouts: { totalMs: 500 } })), { trouble: 'timeout' })
  await request('/interrupt')
  routes['POST /prompt'] = silence
  await assert.rejects(async () => generate({}, createEngine({ timeouts: { totalMs: 30 } })), { trouble: 'timeout' })
})

test('a workflow that somebody interrupts, or that the server forgets, does not come', async (test) => {
  const { generate, createEngine, hold, isRunning, interrupt, forget } = await startComfyUi(test)
  hold()
  const interrupted = assert.rejects(async () => generate(), { trouble: 'unavailable', message: /interrupted/ })
  while (!isRunning()) await nextTurn()
  interrupt()
  await interrupted

  hold()
  const lost = assert.rejects(async () => generate({}, createEngine({ pollMs: 5 })), {
    trouble: 'broken',
    message: /no longer in the queue/,
  })
  while (!isRunning()) await nextTurn()
  forget()
  await lost
})

test('a server that cannot be reached is unavailable, and so is a workflow file that is gone', async (test) => {
  const { server, client, generate, createEngine } = await startComfyUi(test)
  const engine = createComfyUi(client(), { workflows: { own: { generate: '/nowhere/flux.json' } } })
  await assert.rejects(async () => generate({ model: 'own' }, engine), { trouble: 'unavailable', message: /flux.json/ })
  server.close()
  server.closeAllConnections()
  await assert.rejects(async () => generate({}, createEngine()), { trouble: 'unavailable' })
})

test('a caller who has left already starts nothing', async (test) => {
  const { generate, received } = await startComfyUi(test)
  await assert.rejects(async () => generate({ signal: AbortSignal.abort() }), { name: 'AbortError' })
  assert.equal(received.length, 0)
})
