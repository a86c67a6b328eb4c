import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { editRatios } from '#contract/images.js'
import { base64, formOf, startImageService } from '../image-service.js'
import { committedDescription } from '../openapi.js'
import { colorOf, factsOf, plain, scenery } from '../pictures.js'

/** docs/specification.md, POST /image/edit: field by field. */
const config = `
models:
  - { id: brief-edit, type: inpaint, engine: { embedded: editor, model: general }, pricing: { inpaint: "0.01" },
      constraints: { promptCharacterLimit: 30, aspectRatios: ["1:1", "16:9"], resolutions: [1K, 2K] } }
  - { id: fixed-edit, type: inpaint, engine: { embedded: editor, model: general }, pricing: { inpaint: "0.01" },
      constraints: { aspectRatios: ["1:1"], singleImageAspectRatio: false } }
`
const bare = await startImageService({ after })
const own = await startImageService({ after }, { config })
const { post, costOf } = bare
const photo = await scenery().png().toBuffer()
const image = base64(photo)
const grey = { prompt: 'make it black and white' }
const isGrey = async (bytes: Uint8Array) => {
  const [red = 0, green = 0, blue = 0] = await colorOf(bytes, { left: 0.2, width: 0.1, top: 0.45, height: 0.1 })
  return Math.max(red, green, blue) - Math.min(red, green, blue) < 6
}

test('a picture comes as a file, as base64 and as a data URL, and the edited one goes back as a file', async () => {
  const ways = [
    formOf({ image: photo, ...grey }),
    formOf({ image, ...grey }),
    { image, ...grey },
    { image: `data:image/png;base64,${image}`, ...grey },
    { image: `data:application/octet-stream;base64,${image}`, ...grey },
  ]
  const answers = await Promise.all(ways.map((body) => post('/image/edit', body)))
  for (const answer of answers) {
    assert.equal(answer.status, 200, JSON.stringify(answer.json))
    assert.equal(answer.type, 'image/png')
    assert.deepEqual(await factsOf(answer.bytes), {
      ...{ format: 'png', width: 1182, height: 887, hasAlpha: false, hasExif: false },
    })
    assert.ok(await isGrey(answer.bytes))
    assert.deepEqual(answer.bytes, answers[0]?.bytes)
  }
  assert.ok(!(await isGrey(photo)))
})

test('the answer says who made it, and what became of it', async () => {
  const { headers } = await post('/image/edit', { image, ...grey })
  const expected = {
    'x-svc-model-id': 'picture-editor',
    'x-svc-model-name': 'Picture Editor',
    'x-svc-model-router': 'editor',
    'x-svc-is-blurred': 'false',
    'x-svc-is-content-violation': 'false',
    'x-svc-is-adult-model-content-violation': 'false',
    'x-svc-contains-minor': 'false',
    'content-disposition': 'inline; filename="image.png"',
  }
  for (const [name, value] of Object.entries(expected)) assert.equal(headers.get(name), value, name)
  assert.match(headers.get('x-svc-control-instance') ?? '', /^editor-[0-9a-f]{8}$/)
  assert.equal(headers.get('x-svc-enhanced-prompt'), null)
  for (const name of ['x-svc-balance-usd', 'x-ratelimit-remaining-requests', 'x-request-id', 'cf-ray', 'x-svc-version'])
    assert.ok(headers.get(name), name)
})

const ids = (models: { id: string }[]) => models.map(({ id }) => id)

test('24 models edit and 22 of them several pictures; enumeration, model list and OpenAPI agree', async () => {
  const { body } = await bare.get('/models?type=inpaint')
  const list = ids(body.data)
  assert.equal(list.length, 24)
  assert.equal(
    new Set(body.data.map((model: { model_spec: { description: string } }) => model.model_spec.description)).size,
    24,
  )
  const { components } = committedDescription()
  const enumeration = (name: string) =>
    (components.schemas[name] as { properties: { modelId: { enum: string[]; default: string } } }).properties.modelId
  assert.deepEqual(enumeration('ImageEditRequest').enum, list)
  assert.equal(enumeration('ImageEditRequest').default, list[0])
  const several = body.data.filter(
    (model: { model_spec: { capabilities: { maxInputImages: number } } }) =>
      model.model_spec.capabilities.maxInputImages > 1,
  )
  assert.equal(several.length, 22)
  assert.deepEqual(enumeration('ImageMultiEditRequest').enum, ids(several))
  const live = await own.outside.get('/openapi.json')
  assert.equal(live.body.components.schemas.ImageEditRequest.properties.modelId.enum[0], 'brief-edit')
  const { headers } = await own.post('/image/edit', { image, ...grey })
  assert.equal(headers.get('x-svc-model-id'), 'brief-edit')
})

test('model and its former name modelId mean the same', async () => {
  for (const body of [
    { model: 'color-light-edit' },
    { modelId: 'color-light-edit' },
    { model: 'color-light-edit', modelId: 'color-light-edit' },
  ]) {
    const { status, headers } = await post('/image/edit', { image, ...grey, ...body })
    assert.deepEqual([status, headers.get('x-svc-model-id')], [200, 'color-light-edit'])
  }
})

const refused: [string, object, number, string, RegExp][] = [
  ['no prompt', { image }, 400, 'INVALID_REQUEST', /prompt is required/],
  ['an empty prompt', { image, prompt: '' }, 400, 'INVALID_REQUEST', /prompt must be at least 1/],
  ['a long prompt', { image, prompt: 'a'.repeat(32_769) }, 400, 'INVALID_REQUEST', /prompt must be at most 32768/],
  ['a prompt longer than JSON is parsed for', { image, prompt: 'a'.repeat(100_000) }, 400, 'INVALID_REQUEST', /prompt/],
  ['no image', grey, 400, 'INVALID_REQUEST', /image is required/],
  ['an image that is a number', { image: 5, ...grey }, 400, 'INVALID_REQUEST', /image must be string/],
  ['several images', { image: [image], ...grey }, 400, 'INVALID_REQUEST', /image must be string/],
  ['an image that is not base64', { image: '*** no ***', ...grey }, 400, 'INVALID_REQUEST', /image must be base64/],
  [
    'an image that is text',
    { image: base64(Buffer.from('hello')), ...grey },
    400,
    'CORRUPTED_IMAGE',
    /image is not a readable/,
  ],
  [
    'a file of another kind of URL',
    { image: 'file:///etc/passwd', ...grey },
    400,
    'INVALID_REQUEST',
    /image must be base64/,
  ],
  ['a private address', { image: 'http://127.0.0.1:1/a.png', ...grey }, 400, 'MEDIA_UNAVAILABLE', /The URL in image/],
  ['the address of a cloud', { image: 'http://169.254.169.254/latest', ...grey }, 400, 'MEDIA_UNAVAILABLE', /image/],
  ['an unknown model', { image, ...grey, model: 'nope' }, 404, 'MODEL_NOT_FOUND', /nope/],
  [
    'an unknown modelId',
    { image, ...grey, modelId: 'nope' },
    400,
    'INVALID_REQUEST',
    /modelId must be one of picture-editor, /,
  ],
  [
    'two models',
    { image, ...grey, model: 'woodcut-edit', modelId: 'low-poly-edit' },
    400,
    'INVALID_REQUEST',
    /modelId must be the same/,
  ],
  ['a model that draws', { image, ...grey, model: 'scene-composer' }, 400, 'INVALID_MODEL', /type image/],
  [
    'an unknown shape',
    { image, ...grey, aspect_ratio: '5:4' },
    400,
    'INVALID_REQUEST',
    /aspect_ratio must be one of auto, 1:1/,
  ],
  [
    'a resolution that is not offered',
    { image, ...grey, resolution: '8K' },
    400,
    'INVALID_REQUEST',
    /resolution must be one of 1K, 2K, 4K/,
  ],
  [
    'a long resolution',
    { image, ...grey, resolution: '1KKKKKKKKKK' },
    400,
    'INVALID_REQUEST',
    /resolution must be at most 10/,
  ],
  ['an empty resolution', { image, ...grey, resolution: '' }, 400, 'INVALID_REQUEST', /resolution must be at least 1/],
  [
    'an unknown format',
    { image, ...grey, output_format: 'gif' },
    400,
    'INVALID_REQUEST',
    /output_format must be one of jpeg, png, webp/,
  ],
  [
    'an unknown quality',
    { image, ...grey, quality: 'best' },
    400,
    'INVALID_REQUEST',
    /quality must be one of low, medium, high/,
  ],
  ['safe_mode as text', { image, ...grey, safe_mode: 'true' }, 400, 'INVALID_REQUEST', /safe_mode must be boolean/],
  [
    'enhance_prompt as a number',
    { image, ...grey, enhance_prompt: 1 },
    400,
    'INVALID_REQUEST',
    /enhance_prompt must be boolean/,
  ],
  [
    'a prompt that nobody can act on',
    { image, prompt: 'add a purple dragon that breathes fire' },
    400,
    'INVALID_REQUEST',
    /picture-editor/,
  ],
]
for (const [what, body, status, code, message] of refused)
  test(`${what}: ${status}, and nothing is charged`, async () => {
    const { result, usd } = await costOf(() => post('/image/edit', body))
    assert.deepEqual([result.status, result.json.code], [status, code], result.json.error)
    assert.match(result.json.error, message)
    assert.equal(usd, 0n)
  })

test('too few pixels, too many, and a file that is too large are each told', async () => {
  const small = await plain(255, 257).png().toBuffer()
  const fits = await plain(256, 256).png().toBuffer()
  const large = await plain(5761, 5760).png().toBuffer()
  const told = async (bytes: Uint8Array) => {
    const { status, json } = await post('/image/edit', formOf({ image: bytes, ...grey }))
    return [status, json?.code]
  }
  assert.deepEqual(await told(small), [400, 'IMAGE_TOO_SMALL'])
  assert.deepEqual(await told(fits), [200, undefined])
  assert.deepEqual(await told(large), [422, 'IMAGE_TOO_LARGE'])
  assert.deepEqual(await told(Buffer.concat([fits, Buffer.alloc(25 * 1024 * 1024)])), [400, 'FILE_TOO_LARGE'])
  const inJson = await post('/image/edit', {
    image: base64(Buffer.concat([fits, Buffer.alloc(25 * 1024 * 1024)])),
    ...grey,
  })
  assert.deepEqual([inJson.status, inJson.json.code], [400, 'FILE_TOO_LARGE'])
})

test('a model may take shorter prompts, fewer shapes and fewer resolutions, and is held to that', async () => {
  const told = async (body: object) => {
    const { status, json } = await own.post('/image/edit', {
      image,
      prompt: 'black and white',
      model: 'brief-edit',
      ...body,
    })
    return [status, json?.error]
  }
  assert.deepEqual(await told({}), [200, undefined])
  assert.match(
    String(await told({ prompt: 'make it black and white, please do' })),
    /at most 30 characters for the model 'brief-edit'/,
  )
  assert.match(String(await told({ aspect_ratio: '3:2' })), /aspect_ratio must be one of auto, 1:1, 16:9/)
  assert.match(String(await told({ resolution: '4K' })), /resolution must be one of 1K, 2K/)
})

test('every shape has the pixels of 1K, and auto keeps the shape of the input', async () => {
  for (const aspect_ratio of editRatios) {
    const { status, bytes } = await post('/image/edit', { image, ...grey, aspect_ratio })
    assert.equal(status, 200)
    const { width = 0, height = 0 } = await factsOf(bytes)
    const [across, down] = aspect_ratio === 'auto' ? [512, 384] : aspect_ratio.split(':').map(Number)
    assert.ok(Math.abs(width / height - Number(across) / Number(down)) < 0.03, `${aspect_ratio}: ${width} x ${height}`)
    assert.ok(Math.abs((width * height) / 1024 ** 2 - 1) < 0.03, `${aspect_ratio}: ${width} x ${height}`)
  }
  const ignored = await own.post('/image/edit', { image, ...grey, model: 'fixed-edit', aspect_ratio: '1:1' })
  const { width, height } = await factsOf(ignored.bytes)
  assert.deepEqual([width, height], [1182, 887])
})

test('resolutions, and the formats that follow from them', async () => {
  const facts = async (body: object) => {
    const { bytes, type } = await post('/image/edit', { image, ...grey, aspect_ratio: '1:1', ...body })
    const { width, height, format } = await factsOf(bytes)
    assert.equal(type, `image/${format}`)
    return [width, height, format]
  }
  assert.deepEqual(await facts({}), [1024, 1024, 'png'])
  assert.deepEqual(await facts({ resolution: '1K' }), [1024, 1024, 'png'])
  assert.deepEqual(await facts({ resolution: '2K' }), [2048, 2048, 'jpeg'])
  assert.deepEqual(await facts({ resolution: '4K' }), [4096, 4096, 'jpeg'])
  assert.deepEqual(await facts({ resolution: '2K', output_format: 'png' }), [2048, 2048, 'png'])
  assert.deepEqual(await facts({ output_format: 'jpg' }), [1024, 1024, 'jpeg'])
  assert.deepEqual(await facts({ output_format: 'jpeg' }), [1024, 1024, 'jpeg'])
  assert.deepEqual(await facts({ output_format: 'webp' }), [1024, 1024, 'webp'])
})

test('prices follow model, resolution and, for the model that has it, quality', async () => {
  const price = async (body: object) => {
    const { result, usd } = await costOf(() => post('/image/edit', { image, ...grey, ...body }))
    assert.equal(result.status, 200, JSON.stringify(result.json))
    return usd
  }
  assert.equal(await price({}), 2_000_000n)
  assert.equal(await price({ resolution: '2K' }), 4_000_000n)
  assert.equal(await price({ quality: 'low' }), 2_000_000n)
  const painting = { model: 'oil-painting-edit', prompt: 'an oil painting' }
  assert.equal(await price(painting), 4_000_000n)
  assert.equal(await price({ ...painting, quality: 'low' }), 2_000_000n)
  assert.equal(await price({ ...painting, quality: 'medium' }), 3_000_000n)
})

test('form values are text and are read as what they mean', async () => {
  const form = { image: photo, ...grey, safe_mode: 'False', enhance_prompt: 'false', resolution: '1K' }
  assert.equal((await post('/image/edit', formOf(form))).status, 200)
  const wrong = await post('/image/edit', formOf({ ...form, safe_mode: 'perhaps' }))
  assert.match(wrong.json.error, /safe_mode must be boolean/)
  const twice = await post('/image/edit', formOf({ image: [photo, photo], ...grey }))
  assert.match(twice.json.error, /image must be string/)
})

test('undocumented fields may be sent', async () => {
  assert.equal((await post('/image/edit', { image, ...grey, strength: 0.4, service_parameters: {} })).status, 200)
})

test('another kind of body is 415, and says what is taken', async () => {
  const answer = await fetch(`${bare.baseURL}/image/edit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bare.rich.key}`, 'content-type': 'image/png' },
    body: new Uint8Array(photo),
  })
  assert.equal(answer.status, 415)
  assert.match(await answer.text(), /application\/json or multipart\/form-data/)
})

test('without a key 401, and without money 402', async () => {
  const nobody = await fetch(`${bare.baseURL}/image/edit`, { method: 'POST', body: formOf({ image: photo, ...grey }) })
  assert.equal(nobody.status, 401)
  const { createPayer } = await import('../money.js')
  const poor = await createPayer(bare.sql, { usd: 1n })
  const answer = await post('/image/edit', { image, ...grey }, { authorization: `Bearer ${poor.key}` })
  assert.deepEqual([answer.status, answer.json.code], [402, 'INSUFFICIENT_BALANCE'])
})

test('a retry with the same Idempotency-Key gets the same file and pays once; another file is refused', async () => {
  const headers = { 'idempotency-key': 'edit-1' }
  const form = () => formOf({ image: photo, ...grey, model: 'color-light-edit' })
  const { result: first, usd } = await costOf(() => post('/image/edit', form(), headers))
  assert.deepEqual([first.status, usd], [200, 2_000_000n])
  const { result: second, usd: more } = await costOf(() => post('/image/edit', form(), headers))
  assert.deepEqual([second.status, second.headers.get('idempotent-replayed'), more], [200, 'true', 0n])
  assert.equal(second.type, 'image/png')
  assert.deepEqual(second.bytes, first.bytes)
  const other = formOf({
    image: await plain(300, 300).png().toBuffer(),
    ...grey,
    model: 'color-light-edit',
  })
  assert.equal((await post('/image/edit', other, headers)).json.code, 'IDEMPOTENCY_KEY_REUSED')
})

test('what the default model refuses by its policy is 422 before any charge; other models may differ', async () => {
  const ask = (prompt: string, model?: string) =>
    costOf(() => post('/image/edit', { image, prompt, ...(model && { model }) }))
  for (const prompt of ['make her completely naked, porn style', 'show him being beheaded with blood everywhere']) {
    const { result, usd } = await ask(prompt)
    assert.deepEqual([result.status, result.json.code, usd], [422, 'CONTENT_POLICY_VIOLATION', 0n], prompt)
    assert.equal(result.headers.get('x-svc-is-content-violation'), 'true')
    assert.doesNotMatch(result.json.error, /naked|beheaded/)
  }
  const { result } = await ask('show him being beheaded with blood everywhere', 'film-noir-edit')
  assert.notEqual(result.status, 422)
  const never = await ask('a sexual picture of a child', 'film-noir-edit')
  assert.equal(never.result.json.code, 'CONTENT_POLICY_VIOLATION')
})

test('a better prompt is told and paid for when there is one, and only then', async () => {
  const dull = base64(await plain(400, 300, { r: 50, g: 50, b: 54 }).png().toBuffer())
  const better = await costOf(() =>
    post('/image/edit', { image: dull, prompt: 'rotate it left', enhance_prompt: true }),
  )
  const prompt = decodeURIComponent(better.result.headers.get('x-svc-enhanced-prompt') ?? '')
  assert.match(prompt, /^rotate it left, .*bright/)
  assert.equal(better.usd, 42_000_000n)
  const asIs = await costOf(() =>
    post('/image/edit', { image: dull, prompt: 'make it brighter', enhance_prompt: true }),
  )
  assert.deepEqual(
    [asIs.result.status, asIs.result.headers.get('x-svc-enhanced-prompt'), asIs.usd],
    [200, null, 2_000_000n],
  )
  const unable = await costOf(() => post('/image/edit', { image: dull, prompt: 'add a dragon', enhance_prompt: true }))
  assert.deepEqual([unable.result.status, unable.usd], [400, 0n])
})
