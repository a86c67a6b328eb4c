import type { Flow, Graph } from './graph.js'
import { turnDepthwiseKernel, turnKernel, type Weights } from './weights.js'

/** A frozen graph of TensorFlow as TensorFlow.js writes it down, without its weights. */
export type GraphModel = { modelTopology: { node: Operation[] } }

type Operation = {
  name: string
  op: string
  input?: string[]
  attr?: Record<string, { s?: string; b?: boolean; list?: { i?: string[]; s?: string[] } }>
}

/** What flows, and how: pictures as [1, channels, height, width], which our runtime works on fastest. TensorFlow has channels last. */
type Value = { flow: Flow; isPicture: boolean }

const elementwise: Record<string, string> = {
  Add: 'Add',
  AddV2: 'Add',
  Sub: 'Sub',
  Mul: 'Mul',
  Minimum: 'Min',
  Maximum: 'Max',
}
const single: Record<string, string> = { Relu: 'Relu', Sigmoid: 'Sigmoid', Softmax: 'Softmax' }
const channelsFirst = [0, 3, 1, 2]
const channelsLast = [0, 2, 3, 1]

/**
 * Carries a frozen graph over into one of ours: what these nodes of it give for a picture. Only what the models we use are
 * made of is known.
 */
export const addOperations = (
  graph: Graph,
  { modelTopology }: GraphModel,
  weights: Weights,
  picture: Flow,
  wanted: string[],
): Flow[] => {
  const operations = new Map(modelTopology.node.map((one) => [one.name, one]))
  const values = new Map<string, Value>()

  const valueFor = (name: string): Value => {
    const known = values.get(name)
    if (known) return known
    const operation = operations.get(name)
    if (!operation) throw new Error(`there is no operation ${name}`)
    const value = convert(operation)
    values.set(name, value)
    return value
  }

  const constantOf = (name: string | undefined) => weights.get(name ?? '')
  const floats = (name: string | undefined) => {
    const { data, shape } = constantOf(name)
    return graph.floats(data, shape)
  }

  /** One of two operands: a vector beside a picture is for its channels. */
  const operand = (name: string, besidePicture: boolean): Flow => {
    if (!weights.has(name)) return valueFor(name).flow
    const { data, shape } = weights.get(name)
    return graph.floats(data, besidePicture && shape.length === 1 ? [data.length, 1, 1] : shape)
  }

  const convolve = (operation: Operation, inputs: string[]): Value => {
    const [source = '', kernelName, biasName] = inputs
    const isDepthwise = operation.op.includes('Depthwise')
    const kernel = isDepthwise ? turnDepthwiseKernel(constantOf(kernelName)) : turnKernel(constantOf(kernelName))
    const flows = [valueFor(source).flow, graph.floats(kernel.data, kernel.shape)]
    if (biasName !== undefined) flows.push(floats(biasName))
    const group = isDepthwise ? (kernel.shape[0] as number) : 1
    const flow = graph.add('Conv', flows, { group, strides: spatial(operation, 'strides'), ...padding(operation) })
    return { flow: activate(graph, flow, operation), isPicture: true }
  }

  /** The largest of 0 and the smallest of a number and what is not negative: one step for our runtime, and three here. */
  const boundsOf = ({ op, input: [lower = '', zero = ''] = [] }: Operation) => {
    const minimum = operations.get(lower)
    const [rectified = '', most = ''] = minimum?.input ?? []
    const isBound = op === 'Maximum' && minimum?.op === 'Minimum' && operations.get(rectified)?.op === 'Relu'
    if (!isBound || weights.get(zero).data[0] !== 0) return undefined
    return { source: operations.get(rectified)?.input?.[0] ?? '', most: weights.get(most).data[0] as number }
  }

  const convert = (operation: Operation): Value => {
    const { op, input: inputs = [] } = operation
    const [first = '', second = ''] = inputs
    switch (op) {
      case 'Placeholder':
        return { flow: picture, isPicture: true }
      case 'Identity':
        return valueFor(first)
      case 'Conv2D':
      case '_FusedConv2D':
      case 'DepthwiseConv2dNative':
      case 'FusedDepthwiseConv2dNative':
        return convolve(operation, inputs)
      case 'MaxPool':
      case 'AvgPool': {
        const attributes = {
          kernel_shape: spatial(operation, 'ksize'),
          strides: spatial(operation, 'strides'),
          ...padding(operation),
        }
        const pool = op === 'MaxPool' ? 'MaxPool' : 'AveragePool'
        return { flow: graph.add(pool, [valueFor(first).flow], attributes), isPicture: true }
      }
      case 'Pad': {
        const { data } = constantOf(second)
        const sides = [0, 1].flatMap((side) => channelsFirst.map((axis) => data[axis * 2 + side] as number))
        return { flow: graph.add('Pad', [valueFor(first).flow, graph.integers(sides)]), isPicture: true }
      }
      case 'Mean':
        return {
          flow: graph.add('ReduceMean', [valueFor(first).flow], { axes: [2, 3], keepdims: 0 }),
          isPicture: false,
        }
      case 'Squeeze':
        return { flow: graph.add('Squeeze', [valueFor(first).flow, graph.integers([2, 3])]), isPicture: false }
      case 'Reshape': {
        const shape = graph.integers([...constantOf(second).data])
        const source = graph.transpose(valueFor(first).flow, channelsLast)
        return { flow: graph.add('Reshape', [source, shape]), isPicture: false }
      }
      case '_FusedMatMul': {
        const product = graph.add('MatMul', [valueFor(first).flow, floats(second)])
        const sum = graph.add('Add', [product, floats(inputs[2])])
        return { flow: activate(graph, sum, operation), isPicture: false }
      }
    }
    const bounds = boundsOf(operation)
    if (bounds) {
      const { flow, isPicture } = valueFor(bounds.source)
      return { flow: graph.add('Clip', [flow, graph.floats([0], []), graph.floats([bounds.most], [])]), isPicture }
    }
    const isPicture = inputs.some((name) => !weights.has(name) && valueFor(name).isPicture)
    const twofold = elementwise[op]
    if (twofold)
      return {
        flow: graph.add(
          twofold,
          inputs.map((name) => operand(name, isPicture)),
        ),
        isPicture,
      }
    const simple = single[op]
    if (simple) return { flow: graph.add(simple, [valueFor(first).flow]), isPicture }
    throw new Error(`the operation ${op} is not known`)
  }

  return wanted.map((name) => valueFor(name).flow)
}

const text = (base64: string) => Buffer.from(base64, 'base64').toString()

const spatial = ({ attr }: Operation, name: string): number[] => (attr?.[name]?.list?.i ?? []).slice(1, 3).map(Number)

const padding = ({ attr }: Operation) => ({
  auto_pad: text(attr?.padding?.s ?? '') === 'SAME' ? 'SAME_UPPER' : 'VALID',
})

/** What a fused operation does after the bias. */
const activate = (graph: Graph, flow: Flow, { attr }: Operation): Flow => {
  const [activation] = (attr?.fused_ops?.list?.s ?? []).map(text).filter((name) => name !== 'BiasAdd')
  switch (activation) {
    case undefined:
      return flow
    case 'Relu':
      return graph.add('Relu', [flow])
    case 'Relu6':
      return graph.add('Clip', [flow, graph.floats([0], []), graph.floats([6], [])])
  }
  throw new Error(`the activation ${activation} is not known`)
}
