import type { Flow, Graph, Tensor } from './graph.js'
import { joinPhases, spreadBias, spreadKernel } from './phases.js'
import { turnDepthwiseKernel, turnKernel, type Weights } from './weights.js'

/** A model of Keras as TensorFlow.js writes it down, without its weights. */
export type LayersModel = { modelTopology: { model_config: { config: { layers: Layer[] } } } }

type Layer = {
  class_name: string
  name: string
  config: {
    strides?: [number, number]
    padding?: string | [[number, number], [number, number]]
    pool_size?: [number, number]
    size?: [number, number]
    activation?: string
    use_bias?: boolean
    epsilon?: number
    max_value?: number
  }
  inbound_nodes: [source: string, node: number, output: number, options: object][][]
}

/**
 * Carries a model over into a graph: what it gives for this input. Only what the models we use are made of is known.
 * Pictures flow channel by channel, [1, channels, height, width], which is how our runtime works on them fastest; Keras has
 * the channels last.
 */
export const addLayers = (graph: Graph, { modelTopology }: LayersModel, weights: Weights, input: Flow): Flow => {
  const { layers } = modelTopology.model_config.config
  const flows = new Map<string, Flow>()
  /** By the layer that enlarges: it is done by the convolution that follows. */
  const enlarged = new Map<string, number>()
  let last = input
  for (const layer of layers) {
    const names = layer.inbound_nodes[0]?.map(([name]) => name) ?? []
    const sources = names.length > 0 ? names.map((name) => flows.get(name) as Flow) : [input]
    const isEnlarging = layer.class_name === 'UpSampling2D'
    last = isEnlarging ? (sources[0] as Flow) : addLayer(graph, layer, weights, sources, enlarged.get(names[0] ?? ''))
    if (isEnlarging) enlarged.set(layer.name, layer.config.size?.[0] ?? 2)
    flows.set(layer.name, last)
  }
  return last
}

const addLayer = (graph: Graph, layer: Layer, weights: Weights, sources: Flow[], enlarging?: number): Flow => {
  const { name, config } = layer
  const source = sources[0] as Flow
  const weight = (part: string) => weights.get(`${name}/${part}`)
  const floats = ({ data, shape }: Tensor) => graph.floats(data, shape)
  const padding = () => ({ auto_pad: config.padding === 'same' ? 'SAME_UPPER' : 'VALID' })

  if (enlarging !== undefined) {
    if (layer.class_name !== 'Conv2D') throw new Error('only a convolution may follow what enlarges')
    const kernel = floats(spreadKernel(weight('kernel'), enlarging))
    const bias = floats(spreadBias(weight('bias'), enlarging))
    return joinPhases(graph, graph.add('Conv', [source, kernel, bias], padding()), enlarging)
  }
  switch (layer.class_name) {
    case 'InputLayer':
    case 'Dropout':
      return source
    case 'Conv2D':
    case 'DepthwiseConv2D': {
      const isDepthwise = layer.class_name === 'DepthwiseConv2D'
      const kernel = isDepthwise ? turnDepthwiseKernel(weight('depthwise_kernel')) : turnKernel(weight('kernel'))
      const inputs = [source, floats(kernel), ...(config.use_bias ? [floats(weight('bias'))] : [])]
      const group = isDepthwise ? (kernel.shape[0] as number) : 1
      return activate(
        graph,
        graph.add('Conv', inputs, { strides: config.strides ?? [1, 1], group, ...padding() }),
        config.activation,
      )
    }
    case 'BatchNormalization': {
      const inputs = ['gamma', 'beta', 'moving_mean', 'moving_variance'].map((part) => floats(weight(part)))
      return graph.add('BatchNormalization', [source, ...inputs], { epsilon: { float: config.epsilon ?? 0.001 } })
    }
    case 'Dense': {
      const product = graph.add('MatMul', [source, floats(weight('kernel'))])
      return activate(graph, graph.add('Add', [product, floats(weight('bias'))]), config.activation)
    }
    case 'ReLU':
      return graph.add('Clip', [source, graph.floats([0], []), graph.floats([config.max_value ?? 3e38], [])])
    case 'Activation':
      return activate(graph, source, config.activation)
    case 'Add':
      return graph.add('Add', sources)
    case 'Concatenate':
      return graph.add('Concat', sources, { axis: 1 })
    case 'ZeroPadding2D': {
      const [[top, bottom], [left, right]] = config.padding as [[number, number], [number, number]]
      return graph.add('Pad', [source, graph.integers([0, 0, top, left, 0, 0, bottom, right])])
    }
    case 'AveragePooling2D': {
      const size = config.pool_size ?? [2, 2]
      return graph.add('AveragePool', [source], { kernel_shape: size, strides: config.strides ?? size, ...padding() })
    }
    case 'Flatten':
      return graph.add('Flatten', [graph.transpose(source, [0, 2, 3, 1])])
  }
  throw new Error(`layers of the class ${layer.class_name} are not known`)
}

const activate = (graph: Graph, flow: Flow, name = 'linear'): Flow => {
  switch (name) {
    case 'linear':
      return flow
    case 'relu':
      return graph.add('Relu', [flow])
    case 'softmax':
      return graph.add('Softmax', [flow], { axis: -1 })
  }
  throw new Error(`the activation ${name} is not known`)
}
