import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { type Colours, sample, wholeOf } from './colours.js'
import { createGraph, type Flow, type Graph } from './graph.js'
import { addLayers, type LayersModel } from './layers.js'
import { once } from './once.js'
import { addOperations, type GraphModel } from './operations.js'
import { packageFolder, readModelFile } from './packages.js'
import { openSession } from './session.js'
import { readWeights } from './weights.js'

/** The little that we use of TensorFlow.js, which is the reference for all that is carried over from it. */
type Tensor = { data(): Promise<Float32Array>; shape: number[] }
type Reference = {
  ready(): Promise<void>
  tensor(values: ArrayLike<number>, shape: number[], type?: string): Tensor
  conv2d(input: Tensor, kernel: Tensor, strides: number, padding: string): Tensor
  add(one: Tensor, other: Tensor): Tensor
  relu(input: Tensor): Tensor
  concat(tensors: Tensor[], axis: number): Tensor
  image: { resizeNearestNeighbor(input: Tensor, size: [number, number]): Tensor }
  loadGraphModel(handler: object): Promise<{ execute(input: Tensor, outputs: string[]): Tensor | Tensor[] }>
}
const reference = createRequire(import.meta.url)('@energetic-ai/core') as Reference
before(() => reference.ready())

/** Numbers that look like a picture: waves and a few edges. */
const waves = (size: number, low: number, high: number) =>
  Float32Array.from({ length: size * size * 3 }, (_, index) => {
    const x = Math.floor(index / 3) % size
    const y = Math.floor(index / 3 / size)
    const wave = Math.sin(x / 9 + (index % 3)) * Math.cos(y / 13) * 0.4 + (x % 50 > 25 ? 0.1 : -0.1)
    return low + (high - low) * (0.5 + wave)
  })

const runGraph = async (size: number, data: Float32Array, build: (graph: Graph, picture: Flow) => Flow[]) => {
  const graph = createGraph()
  const picture = graph.transpose(graph.input('pixels', 'float32', [1, size, size, 3]), [0, 3, 1, 2])
  build(graph, picture).forEach((flow, index) => {
    graph.output(`output${index}`, 'float32', flow)
  })
  const session = await openSession(graph.encode())
  return Object.values(await session.run({ pixels: { data, shape: [1, size, size, 3] } }))
}

const assertClose = (actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number) => {
  assert.equal(actual.length, expected.length)
  for (let index = 0; index < expected.length; index++) {
    const difference = Math.abs((actual[index] as number) - (expected[index] as number))
    assert.ok(difference <= tolerance, `${index}: ${actual[index]} instead of ${expected[index]}`)
  }
}

const frozen = [
  {
    file: 'blazeface.json',
    size: 256,
    outputs: ['Identity', 'Identity_1', 'Identity_2', 'Identity_3'],
    low: -1,
    tolerance: 1e-3,
  },
  { file: 'faceres.json', size: 224, outputs: ['age_pred/Softmax', 'gender_pred/Sigmoid'], low: -120, tolerance: 1e-4 },
]

for (const { file, size, outputs, low, tolerance } of frozen)
  test(`${file} gives what it gives in TensorFlow.js`, async () => {
    const { model, entries, bytes } = readModelFile<GraphModel>(
      join(packageFolder('@vladmandic/human'), 'models', file),
    )
    const data = waves(size, low, -low)
    const ours = await runGraph(size, data, (graph, picture) =>
      addOperations(graph, model, readWeights(entries, bytes), picture, outputs),
    )
    const load = async () => ({ ...model, weightSpecs: entries, weightData: Uint8Array.from(bytes).buffer })
    const theirs = await reference.loadGraphModel({ load })
    const expected = [theirs.execute(reference.tensor(data, [1, size, size, 3]), outputs)].flat()
    for (const [index, tensor] of expected.entries())
      assertClose(ours[index] as Float32Array, await tensor.data(), tolerance)
  })

test('an enlarging network gives what its layers give in TensorFlow.js', async () => {
  const size = 40
  const file = join(packageFolder('@upscalerjs/esrgan-slim'), 'models', 'x3', 'model.json')
  const { model, entries, bytes } = readModelFile<LayersModel>(file)
  const weights = readWeights(entries, bytes)
  const data = waves(size, 0, 255)
  const [ours] = await runGraph(size, data, (graph, picture) => [
    graph.transpose(addLayers(graph, model, weights, picture), [0, 2, 3, 1]),
  ])
  const tensors = new Map<string, Tensor>()
  const weight = (name: string) => reference.tensor(weights.get(name).data, weights.get(name).shape)
  let last = reference.tensor(data, [1, size, size, 3])
  for (const { class_name: kind, name, config, inbound_nodes: inbound } of model.modelTopology.model_config.config
    .layers) {
    const inputs = (inbound[0] ?? []).map(([source]) => tensors.get(source) as Tensor)
    const [input, other] = inputs as [Tensor, Tensor]
    if (kind === 'Conv2D')
      last = reference.add(
        reference.conv2d(input, weight(`${name}/kernel`), 1, config.padding as string),
        weight(`${name}/bias`),
      )
    else if (kind === 'Activation') last = reference.relu(input)
    else if (kind === 'Concatenate') last = reference.concat(inputs, 3)
    else if (kind === 'Add') last = reference.add(input, other)
    else if (kind === 'UpSampling2D') last = reference.image.resizeNearestNeighbor(input, [size * 3, size * 3])
    tensors.set(name, last)
  }
  assert.deepEqual(last.shape, [1, size * 3, size * 3, 3])
  assertClose(ours as Float32Array, await last.data(), 1e-2)
})

test('weights in fewer bits are what they were', () => {
  const half = Uint16Array.of(0x3c00, 0xc000, 0x3555, 0x0001, 0x7bff, 0x8000)
  const bytes = Buffer.concat([
    new Uint8Array(half.buffer),
    Uint8Array.of(0, 128, 255),
    new Uint8Array(Float32Array.of(0.1, -7).buffer),
  ])
  const weights = readWeights(
    [
      { name: 'half', shape: [6], dtype: 'float32', quantization: { dtype: 'float16' } },
      { name: 'steps', shape: [3, 1], dtype: 'float32', quantization: { dtype: 'uint8', scale: 0.5, min: -10 } },
      { name: 'plain', shape: [2], dtype: 'float32' },
    ],
    bytes,
  )
  assertClose(weights.get('half').data, [1, -2, 0.33325195, 5.9604645e-8, 65504, 0], 1e-7)
  assert.deepEqual([...weights.get('steps').data], [-10, 54, 117.5])
  assertClose(weights.get('plain').data, [0.1, -7], 1e-7)
  assert.throws(() => weights.get('none'), /no weight none/)
  assert.throws(() => readWeights([{ name: 'long', shape: [9], dtype: 'float32' }], bytes), /end before long/)
})

test('what was opened is kept, and what failed to open is tried again', async () => {
  let tries = 0
  const open = once(async () => {
    if (++tries === 1) throw new Error('not yet')
    return { tries }
  })
  await assert.rejects(open(), /not yet/)
  assert.equal(await open(), await open())
  assert.equal(tries, 2)
})

test('what is not known is named', () => {
  const graph = createGraph()
  const picture = graph.input('pixels', 'float32', [1, 3, 4, 4])
  const weights = readWeights([], new Uint8Array())
  const model = { modelTopology: { node: [{ name: 'a', op: 'Cubed', input: [] }] } }
  assert.throws(() => addOperations(graph, model, weights, picture, ['a']), /operation Cubed/)
  const layers = [{ class_name: 'Lambda', name: 'b', config: {}, inbound_nodes: [] }]
  const keras = { modelTopology: { model_config: { config: { layers } } } }
  assert.throws(() => addLayers(graph, keras, weights, picture), /class Lambda/)
})

const sized = fc.record({ width: fc.integer({ min: 1, max: 40 }), height: fc.integer({ min: 1, max: 40 }) })

test('a picture of one colour is that colour in every size, and black beyond its edges', () => {
  fc.assert(
    fc.property(sized, fc.integer({ min: 2, max: 30 }), ({ width, height }, size) => {
      const picture: Colours = { data: new Uint8Array(width * height * 3).fill(90), width, height }
      assertClose(sample(picture, wholeOf(picture), size), new Float32Array(size * size * 3).fill(90), 1e-3)
      const beyond = sample(picture, { x: -100, y: -100, width: 20, height: 20, angle: 1 }, size)
      assert.ok(beyond.every((value) => value === 0))
    }),
  )
})

test('a region is turned clockwise with its angle', () => {
  const data = new Uint8Array(9 * 9 * 3)
  // One light pixel to the right of the middle.
  data.fill(255, (4 * 9 + 7) * 3, (4 * 9 + 8) * 3)
  const region = { x: 4, y: 4, width: 6, height: 6, angle: 0 }
  const lightest = (angle: number) => {
    const square = sample({ data, width: 9, height: 9 }, { ...region, angle }, 7)
    const place = square.indexOf(Math.max(...square)) / 3
    return [place % 7, Math.floor(place / 7)]
  }
  assert.deepEqual(lightest(0), [6, 3])
  assert.deepEqual(lightest(Math.PI / 2), [3, 0])
})
