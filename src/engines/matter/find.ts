import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { EngineError } from '../engine-error.js'
import type { Raster } from '../pixels/raster.js'
import { fromRaster } from '../pixels/sharp.js'
import type { Stop } from '../threads/serve.js'
import type { Box } from './holes.js'
import { type Label, labels } from './labels.js'

export type Found = { label: Label; score: number; box: Box }

export type Finder = {
  /** What can be seen in a picture and where, in pixels, the surest first. Only things that it was taught. */
  find(raster: Raster, stop: Stop): Promise<Found[]>
}

/** The little that we use of the package, which is CommonJS. */
type Tensor = { data(): Promise<Float32Array>; dispose(): void }
type Core = {
  ready(): Promise<void>
  tensor4d(values: Float32Array, shape: [number, number, number, number]): Tensor
  loadGraphModel(handler: { load(): Promise<unknown> }): Promise<{ execute(input: Tensor, names: string[]): Tensor[] }>
}

/** The network sees a square of this many pixels and speaks of cells of four by four. */
const side = 512
const cell = 4
const cells = side / cell

const scoreMin = 0.3
const foundMax = 40
const overlapMax = 0.45

/** CenterNet on MobileNetV3, in the package @vladmandic/human. */
const files = {
  'centernet.json': 'bfb942eaacc5becf738d536663bc4580a0ae9e560722306e6d4dd7fe4a09de05',
  'centernet.bin': '1b635a15009071f506f9f2b3519b31c072c534888989f30d269ffd44734ef7ef',
}

const require = createRequire(import.meta.url)

const readFrom = async (name: keyof typeof files): Promise<Buffer> => {
  const bytes = await readFile(join(dirname(require.resolve('@vladmandic/human')), '../models', name))
  if (createHash('sha256').update(bytes).digest('hex') !== files[name])
    throw new EngineError('unavailable', `${name} of @vladmandic/human is not the file we know`)
  return bytes
}

/** Only for threads. */
export const loadFinder = async (): Promise<Finder> => {
  const core = require('@energetic-ai/core') as Core
  await core.ready()
  const { weightsManifest, ...description } = JSON.parse((await readFrom('centernet.json')).toString())
  const weights = await readFrom('centernet.bin')
  const artifacts = {
    ...description,
    weightSpecs: weightsManifest[0].weights,
    weightData: weights.buffer.slice(weights.byteOffset, weights.byteOffset + weights.length),
  }
  const network = await core.loadGraphModel({ load: async () => artifacts })
  return {
    async find(raster, stop) {
      const seen = await fromRaster(raster)
        .flatten({ background: '#ffffff' })
        // Shapes as they are: what is squeezed is found less often.
        .resize(side, side, { fit: 'contain', position: 'left top', background: '#000000' })
        .raw()
        .toBuffer()
      stop.check()
      const input = core.tensor4d(Float32Array.from(seen), [1, side, side, 3])
      const outputs = network.execute(input, ['tower_0/keypoints', 'tower_0/wh'])
      const [scores, reaches] = await Promise.all(outputs.map((output) => output.data()))
      for (const tensor of [input, ...outputs]) tensor.dispose()
      const all = peaksOf(scores as Float32Array, reaches as Float32Array)
      return withoutRepeats(all).map((found) => toPixels(found, raster))
    },
  }
}

type Peak = { kind: number; score: number; left: number; top: number; right: number; bottom: number }

/** A thing is where its kind scores higher than in the cells around; its box reaches that far to each side. */
const peaksOf = (scores: Float32Array, reaches: Float32Array): Peak[] => {
  const kinds = labels.length
  const score = (x: number, y: number, kind: number) =>
    x < 0 || y < 0 || x >= cells || y >= cells ? 0 : (scores[(y * cells + x) * kinds + kind] as number)
  const isPeak = (x: number, y: number, kind: number, value: number) => {
    for (let dy = -1; dy <= 1; dy++)
      for (let dx = -1; dx <= 1; dx++) if (score(x + dx, y + dy, kind) > value) return false
    return true
  }
  const peaks: Peak[] = []
  for (let y = 0; y < cells; y++)
    for (let x = 0; x < cells; x++)
      for (let kind = 0; kind < kinds; kind++) {
        const value = score(x, y, kind)
        if (value < scoreMin || !isPeak(x, y, kind, value)) continue
        const reach = (direction: number) => reaches[(y * cells + x) * 4 + direction] as number
        peaks.push({
          kind,
          score: value,
          left: Math.max(0, x * cell - reach(0)),
          top: Math.max(0, y * cell - reach(1)),
          right: Math.min(side, x * cell + reach(2)),
          bottom: Math.min(side, y * cell + reach(3)),
        })
      }
  return peaks
}

const withoutRepeats = (peaks: Peak[]): Peak[] => {
  const kept: Peak[] = []
  for (const peak of peaks.sort((a, b) => b.score - a.score))
    if (kept.length < foundMax && kept.every((other) => other.kind !== peak.kind || overlap(other, peak) <= overlapMax))
      kept.push(peak)
  return kept
}

const overlap = (a: Peak, b: Peak): number => {
  const area = ({ left, top, right, bottom }: Pick<Peak, 'left' | 'top' | 'right' | 'bottom'>) =>
    Math.max(0, right - left) * Math.max(0, bottom - top)
  const both = area({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  })
  return both / (area(a) + area(b) - both)
}

const toPixels = ({ kind, score, left, top, right, bottom }: Peak, { width, height }: Raster): Found => {
  const scale = Math.max(width, height) / side
  const [x, y] = [Math.min(width - 1, Math.floor(left * scale)), Math.min(height - 1, Math.floor(top * scale))]
  return {
    label: labels[kind] as Label,
    score,
    box: {
      left: x,
      top: y,
      width: Math.max(1, Math.min(width, Math.ceil(right * scale)) - x),
      height: Math.max(1, Math.min(height, Math.ceil(bottom * scale)) - y),
    },
  }
}
