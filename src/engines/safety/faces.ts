import { join } from 'node:path'
import { type Colours, type Region, sample, wholeOf } from '../tensors/colours.js'
import { createGraph, type Flow } from '../tensors/graph.js'
import { addOperations, type GraphModel } from '../tensors/operations.js'
import { packageFolder, readModelFile } from '../tensors/packages.js'
import { openSession } from '../tensors/session.js'
import { readWeights } from '../tensors/weights.js'

/** A face, how sure it is one, and its ages: `ages[n]` is how likely it is n + 1 years old. */
export type Face = { region: Region; confidence: number; ages: Float32Array }

/** What a network wants its colours to be: from 0 to 255, less these, times this, in this order. */
type Taste = { less: [red: number, green: number, blue: number]; times: number; isBlueFirst: boolean }

/** A network of the package `@vladmandic/human` that looks at squares of one size. */
const openModel = async (name: string, size: number, taste: Taste, outputs: Record<string, string>) => {
  const { model, entries, bytes } = readModelFile<GraphModel>(join(packageFolder('@vladmandic/human'), 'models', name))
  const graph = createGraph()
  const pixels = graph.transpose(graph.input('pixels', 'float32', [1, size, size, 3]), [0, 3, 1, 2])
  const centred = graph.add('Sub', [pixels, graph.floats(taste.less, [3, 1, 1])])
  const scaled = graph.add('Mul', [centred, graph.floats([taste.times], [])])
  const ordered = taste.isBlueFirst ? graph.add('Gather', [scaled, graph.integers([2, 1, 0])], { axis: 1 }) : scaled
  const flows = addOperations(graph, model, readWeights(entries, bytes), ordered, Object.values(outputs))
  Object.keys(outputs).forEach((output, index) => {
    graph.output(output, 'float32', flows[index] as Flow)
  })
  const session = await openSession(graph.encode())
  return async (picture: Colours, region: Region) => {
    const pixels = { data: sample(picture, region, size), shape: [1, size, size, 3] }
    return (await session.run({ pixels })) as Record<string, Float32Array>
  }
}

const detectorSize = 256
/** The grids of places where the detector looks for faces: so many each way, so many answers at each. */
const grids = [
  { name: 'small', cells: 16, answers: 2 },
  { name: 'large', cells: 8, answers: 6 },
] as const
const valuesPerAnswer = 16

const confidenceMin = 0.5
/** Two squares that have more in common are one face. */
const overlapMax = 0.4
/** The detector's squares end at the brows; the age model was taught on heads. */
const margin = 1.25
const facesMax = 8
/** With fewer pixels on a side, nobody can tell an age. */
const facePixelsMin = 24

/** BlazeFace finds faces, HSE-FaceRes knows their ages. */
export const openFaceModels = async () => {
  const detect = await openModel(
    'blazeface.json',
    detectorSize,
    { less: [127.5, 127.5, 127.5], times: 1 / 127.5, isBlueFirst: false },
    { smallScores: 'Identity', largeScores: 'Identity_1', smallBoxes: 'Identity_2', largeBoxes: 'Identity_3' },
  )
  // The colours are those its authors taught it with, and not those the package gives it.
  const estimate = await openModel(
    'faceres.json',
    224,
    { less: [123.68, 116.779, 103.939], times: 1, isBlueFirst: true },
    { ages: 'age_pred/Softmax' },
  )

  const find = async (picture: Colours): Promise<Omit<Face, 'ages'>[]> => {
    const whole = wholeOf(picture)
    const outputs = await detect(picture, whole)
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
      .filter(({ confidence, region }) => confidence >= confidenceMin && region.width >= facePixelsMin)
      .sort((one, other) => other.confidence - one.confidence)
    const faces: typeof sure = []
    for (const face of sure)
      if (faces.every(({ region }) => overlap(region, face.region) < overlapMax)) faces.push(face)
    return faces.slice(0, facesMax)
  }

  const agesOf = async (picture: Colours, region: Region): Promise<Float32Array> => {
    const head = { ...region, width: region.width * margin, height: region.height * margin }
    return (await estimate(picture, head)).ages as Float32Array
  }

  return {
    async look(picture: Colours): Promise<Face[]> {
      const faces: Face[] = []
      for (const face of await find(picture)) faces.push({ ...face, ages: await agesOf(picture, face.region) })
      return faces
    },
  }
}

/** The square around a face, turned so that the eyes are level. Boxes are in pixels of what the detector saw. */
const regionOf = (values: Float32Array, anchor: { x: number; y: number }, { width, height }: Colours): Region => {
  const across = (place: number) => ((values[place] as number) / detectorSize) * width
  const down = (place: number) => ((values[place] as number) / detectorSize) * height
  const side = Math.max(across(2), down(3))
  return {
    x: (anchor.x / detectorSize) * width + across(0),
    y: (anchor.y / detectorSize) * height + down(1),
    width: side,
    height: side,
    angle: Math.atan2(down(7) - down(5), across(6) - across(4)),
  }
}

/** The share of the smaller of two squares that lies in the larger: parts of a face are often taken for faces, too. */
const overlap = (one: Region, other: Region): number => {
  const shared = (a: number, b: number) =>
    Math.max(0, Math.min(a + one.width / 2, b + other.width / 2) - Math.max(a - one.width / 2, b - other.width / 2))
  return (shared(one.x, other.x) * shared(one.y, other.y)) / Math.min(one.width, other.width) ** 2
}
