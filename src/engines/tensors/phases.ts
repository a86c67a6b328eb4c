import type { Flow, Graph, Tensor } from './graph.js'
import { turnKernel } from './weights.js'

/**
 * Enlarging in phases. A picture that is `scale` times larger consists of scale x scale pictures of the small size, each made
 * of every `scale`th pixel. Computing them as channels of a small picture, and joining them at the end, takes a fraction of
 * the memory that large pictures of many channels take.
 */
export const joinPhases = (graph: Graph, flow: Flow, scale: number): Flow =>
  graph.add('DepthToSpace', [flow], { blocksize: scale, mode: 'CRD' })

/**
 * The kernel on the small picture that does what `kernel` (of 3 x 3, as TensorFlow has it) does on one that was enlarged by
 * repeating its pixels.
 */
export const spreadKernel = (kernel: Tensor, scale: number): Tensor => {
  const { shape, data } = turnKernel(kernel)
  const [outputs, inputs] = shape as [number, number]
  const spread = new Float32Array(outputs * scale * scale * inputs * 9)
  // Where the neighbour of the pixel at this phase lies in the small picture, if 0 is the pixel before.
  const from = (phase: number, tap: number) => Math.floor((phase + tap - 1) / scale) + 1
  for (let output = 0; output < outputs; output++)
    for (let down = 0; down < scale; down++)
      for (let right = 0; right < scale; right++)
        for (let input = 0; input < inputs; input++)
          for (let tap = 0; tap < 9; tap++) {
            const phase = (output * scale + down) * scale + right
            const position = from(down, Math.floor(tap / 3)) * 3 + from(right, tap % 3)
            const place = (phase * inputs + input) * 9 + position
            spread[place] = (spread[place] as number) + (data[(output * inputs + input) * 9 + tap] as number)
          }
  return { shape: [outputs * scale * scale, inputs, 3, 3], data: spread }
}

export const spreadBias = ({ data }: Tensor, scale: number): Tensor => {
  const phases = scale * scale
  const spread = Float32Array.from({ length: data.length * phases }, (_, at) => data[Math.floor(at / phases)] as number)
  return { shape: [spread.length], data: spread }
}
