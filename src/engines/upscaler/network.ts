import { join } from 'node:path'
import type { Colours } from '../tensors/colours.js'
import { createGraph } from '../tensors/graph.js'
import { addLayers, type LayersModel } from '../tensors/layers.js'
import { packageFolder, readModelFile } from '../tensors/packages.js'
import { openSession } from '../tensors/session.js'
import { readWeights } from '../tensors/weights.js'
import { enlarge, shrink } from './lanczos.js'

/** How much larger the networks make a picture. There is one for 8, too, which makes up more than it finds. */
export const scales = [2, 3, 4] as const
export type Scale = (typeof scales)[number]

/** So far reaches what has influence on a pixel: 11 pixels through the network, and twice 3 through Lanczos. */
export const reach = 17

export type Network = {
  /** The picture `scale` times larger. Right only where `reach` pixels lie around. */
  run(picture: Colours, strength: number): Promise<Colours>
}

/**
 * The network knows fine lines and edges, but shifts colours a little. So the result is what Lanczos makes of the picture,
 * plus that part of the network's picture which would be lost in the small size, times a strength: made small again, it is
 * always the picture that came.
 */
export const openNetwork = async (model: string, scale: Scale): Promise<Network> => {
  const file = join(packageFolder(`@upscalerjs/${model}`), 'models', `x${scale}`, 'model.json')
  const { model: layers, entries, bytes } = readModelFile<LayersModel>(file)
  const graph = createGraph()
  const pixels = graph.input('pixels', 'uint8', [1, undefined, undefined, 3])
  const strength = graph.input('strength', 'float32', [1])
  const small = graph.transpose(graph.cast(pixels, 'float32'), [0, 3, 1, 2])
  const imagined = addLayers(graph, layers, readWeights(entries, bytes), small)
  // Enlarging is linear, so once is enough: of the picture less what the network's picture is in the small size.
  const known = graph.add('Sub', [small, graph.add('Mul', [shrink(graph, imagined, scale), strength])])
  const sum = graph.add('Add', [enlarge(graph, known, scale), graph.add('Mul', [imagined, strength])])
  const rounded = graph.add('Add', [sum, graph.floats([0.5], [])])
  const bounded = graph.add('Clip', [rounded, graph.floats([0], []), graph.floats([255], [])])
  graph.output('enlarged', 'uint8', graph.cast(graph.transpose(bounded, [0, 2, 3, 1]), 'uint8'))
  const session = await openSession(graph.encode())
  return {
    async run({ data, width, height }, value) {
      const { enlarged } = await session.run({
        pixels: { data, shape: [1, height, width, 3] },
        strength: { data: Float32Array.of(value), shape: [1] },
      })
      return { data: enlarged as Uint8Array, width: width * scale, height: height * scale }
    },
  }
}
