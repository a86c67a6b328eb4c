import { join } from 'node:path'
import { type Colours, type Region, sample, wholeOf } from '../tensors/colours.js'
import { createGraph } from '../tensors/graph.js'
import { addOperations, type GraphModel } from '../tensors/operations.js'
import { packageFolder, readModelFile } from '../tensors/packages.js'
import { openSession } from '../tensors/session.js'
import { readWeights } from '../tensors/weights.js'

/** A face, how sure it is one, and the ages it may have: `ages[n]` is how likely it is n years old. */
export type Face = { region: Region; confidence: number; ages: Float32Array }

/** A network of the package `@vladmandic/human` that looks at squares of this size. */
const openModel = async (
  name: string,
  size: number,
  outputs: Record<string, string>,
  scale: { factor: number; offset: number },
) => {
  const { model, entries, bytes } = readModelFile<GraphModel>(join(packageFolder('@vladmandic/human'), 'models', name))
  const graph = createGraph()
  const pixels = graph.transpose(graph.input('pixels', 'float32', [1, size, size, 3]), [0, 3, 1, 2])
  const factor = graph.add('Mul', [pixels, graph.floats([scale.factor], [])])
  const scaled = graph.add('Add', [factor, graph.floats([scale.offset], [])])
  const flows = addOperations(graph, model, readWeights(entries, bytes), scaled, Object.values(outputs))
  Object.keys(outputs).forEach((output, index) => {
    graph.output(output, 'float32', flows[index] as (typeof flows)[number])
  })
  const session = await openSession(graph.encode())
  return (picture: Colours, region: Region) =>
    session.run({ pixels: { data: sample(picture, region, size), shape: [1, size, size, 3] } })
}

const detectorSize = 256
/** The grids of places where the detector looks for faces: so many each way, so many answers at each. */
const grids = [
  { name: 'small', cells: 16, answers: 2 },
  { name: 'large', cells: 8, answers: 6 },
] as const
const valuesPerAnswer = 16

const confidenceMin = 0.5
/** Two boxes that share more of their area are one face. */
const overlapMax = 0.3
/** What surrounds a face counts, too: the age model was taught on heads. */
const margin = 1.4
const facesMax = 8
/** Of fewer pixels on a side, nobody can tell an age. */
const facePixelsMin = 20

export const openFaceModels = async () => {
  const detect = await openModel(
    'blazeface.json',
    detectorSize,
    { smallScores: 'Identity', largeScores: 'Identity_1', smallBoxes: 'Identity_2', largeBoxes: 'Identity_3' },
    { factor: 1 / 127.5, offset: -1 },
  )
  const estimate = await openModel('faceres.json', 224, { ages: 'age_pred/Softmax' }, { factor: 1, offset: 0 })

  const find = async (picture: Colours): Promise<Omit<Face, 'ages'>[]> => {
    const whole = wholeOf(picture)
    const outputs = (await detect(picture, whole)) as Record<string, Float32Array>
    const found = grids.flatMap(({ name, cells, answers }) => {
      const scores = outputs[`${name}Scores`] as Float32Array
      const boxes = outputs[`${name}Boxes`] as Float32Array
      return Array.from(scores, (score, index) => {
        const cell = Math.floor(index / answers)
        const step = detectorSize / cells
        const anchor = { x: ((cell % cells) + 0.5) * step, y: (Math.floor(cell / cells) + 0.5) * step }
        const values = boxes.subarray(index * valuesPerAnswer, (index + 1) * valuesPerAnswer)
        return { confidence: 1 / (1 + Math.exp(-score)), region: regionOf(values, anchor, picture) }
      })
    })
    const sure = found
      .filter(({ confidence, region }) => confidence >= confidenceMin && region.width / margin >= facePixelsMin)
      .sort((one, other) => other.confidence - one.confidence)
    const faces: typeof sure = []
    for (const face of sure)
      if (faces.every(({ region }) => overlap(region, face.region) < overlapMax)) faces.push(face)
    return faces.slice(0, facesMax)
  }

  return {
    async look(picture: Colours): Promise<Face[]> {
      const faces: Face[] = []
      for (const face of await find(picture)) {
        const { ages } = await estimate(picture, face.region)
        faces.push({ ...face, ages: ages as Float32Array })
      }
      return faces
    },
  }
}

/** The square around a face, turned so that the eyes are level. Boxes are in pixels of what the detector saw. */
const regionOf = (values: Float32Array, anchor: { x: number; y: number }, { width, height }: Colours): Region => {
  const across = (value: number) => ((value / detectorSize) * width) as number
  const down = (value: number) => ((value / detectorSize) * height) as number
  const [x, y, boxWidth, boxHeight, rightEyeX, rightEyeY, leftEyeX, leftEyeY] = values as unknown as number[] as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const side = Math.max(across(boxWidth), down(boxHeight)) * margin
  return {
    x: across(anchor.x + x),
    y: down(anchor.y + y),
    width: side,
    height: side,
    angle: Math.atan2(down(leftEyeY - rightEyeY), across(leftEyeX - rightEyeX)),
  }
}

/** The share of their area that two squares have in common. */
const overlap = (one: Region, other: Region): number => {
  const shared = (a: number, aLength: number, b: number, bLength: number) =>
    Math.max(0, Math.min(a + aLength / 2, b + bLength / 2) - Math.max(a - aLength / 2, b - bLength / 2))
  const both = shared(one.x, one.width, other.x, other.width) * shared(one.y, one.height, other.y, other.height)
  return both / (one.width * one.height + other.width * other.height - both)
}
