import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Colours, sample, wholeOf } from '../tensors/colours.js'
import { createGraph } from '../tensors/graph.js'
import { addLayers, type LayersModel } from '../tensors/layers.js'
import { packageFolder } from '../tensors/packages.js'
import { openSession } from '../tensors/session.js'
import { readWeights, type WeightEntry } from '../tensors/weights.js'

/** How likely a picture is of each kind; together 1. */
export type AdultScores = { drawing: number; hentai: number; neutral: number; porn: number; sexy: number }

const size = 224

/**
 * The smaller network of NSFWJS: its middle one takes many photographs for drawings. The package's own way to its files
 * copies their text letter by letter, which takes seconds.
 */
const readModel = () => {
  const require = createRequire(import.meta.url)
  const folder = join(packageFolder('nsfwjs'), 'dist', 'models', 'mobilenet_v2')
  const model = require(join(folder, 'model.min.js')) as LayersModel & { weightsManifest: { weights: WeightEntry[] }[] }
  const text = require(join(folder, 'group1-shard1of1.min.js')) as string
  const entries = model.weightsManifest.flatMap(({ weights }) => weights)
  return { model, weights: readWeights(entries, Buffer.from(text, 'base64')) }
}

export const openAdultModel = async () => {
  const { model, weights } = readModel()
  const graph = createGraph()
  const pixels = graph.input('pixels', 'float32', [1, size, size, 3])
  const shares = graph.add('Div', [graph.transpose(pixels, [0, 3, 1, 2]), graph.floats([255], [])])
  graph.output('scores', 'float32', addLayers(graph, model, weights, shares))
  const session = await openSession(graph.encode())
  return {
    async look(picture: Colours): Promise<AdultScores> {
      const pixels = { data: sample(picture, wholeOf(picture), size), shape: [1, size, size, 3] }
      const { scores } = await session.run({ pixels })
      const [drawing, hentai, neutral, porn, sexy] = scores as unknown as [number, number, number, number, number]
      return { drawing, hentai, neutral, porn, sexy }
    },
  }
}
