import type { Flow, Graph } from '../tensors/graph.js'
import { joinPhases } from '../tensors/phases.js'

/** Pixels on each side that a pixel is made of. */
export const lobes = 3

const weightAt = (x: number): number => {
  if (x === 0) return 1
  if (Math.abs(x) >= lobes) return 0
  const angle = Math.PI * x
  return (lobes * Math.sin(angle) * Math.sin(angle / lobes)) / (angle * angle)
}

const withSumOne = (weights: number[]): number[] => {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

/** Both directions at once. */
const square = (rows: number[], columns: number[]) => rows.flatMap((row) => columns.map((column) => row * column))

/** Three channels, `scale` times larger. */
export const enlarge = (graph: Graph, flow: Flow, scale: number): Flow => {
  const phases = Array.from({ length: scale }, (_, phase) => {
    const position = (phase + 0.5) / scale - 0.5
    return withSumOne(Array.from({ length: 2 * lobes + 1 }, (_, tap) => weightAt(tap - lobes - position)))
  })
  const kernel = phases.flatMap((rows) => phases.flatMap((columns) => square(rows, columns)))
  const size = 2 * lobes + 1
  const weights = graph.floats([...kernel, ...kernel, ...kernel], [3 * scale * scale, 1, size, size])
  const channels = graph.add('Conv', [flow, weights], { group: 3, pads: [lobes, lobes, lobes, lobes] })
  return joinPhases(graph, channels, scale)
}

/** Three channels, `scale` times smaller. */
export const shrink = (graph: Graph, flow: Flow, scale: number): Flow => {
  // An odd number of taps for an odd scale: then the middle of what becomes a pixel is a pixel.
  const size = 2 * lobes * scale - (scale % 2)
  const taps = withSumOne(Array.from({ length: size }, (_, tap) => weightAt((tap - (size - 1) / 2) / scale)))
  const kernel = square(taps, taps)
  const weights = graph.floats([...kernel, ...kernel, ...kernel], [3, 1, size, size])
  const around = (size - scale) / 2
  return graph.add('Conv', [flow, weights], {
    group: 3,
    strides: [scale, scale],
    pads: [around, around, around, around],
  })
}
