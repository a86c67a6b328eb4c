import type { Tensor } from './graph.js'

/** How TensorFlow.js writes weights down: one after another, some of them in fewer bits than they have. */
export type WeightEntry = {
  name: string
  shape: number[]
  dtype: string
  quantization?: { dtype: string; scale?: number; min?: number }
}

export type Weights = {
  /** Throws when there is no such weight. */
  get(name: string): Tensor
  has(name: string): boolean
}

export const readWeights = (entries: WeightEntry[], bytes: Uint8Array): Weights => {
  const tensors = new Map<string, Tensor>()
  let start = 0
  for (const { name, shape, dtype, quantization } of entries) {
    const count = shape.reduce((product, size) => product * size, 1)
    const stored = quantization?.dtype ?? dtype
    const length = count * bytesPer(stored)
    // A copy, because it has to begin at a multiple of its word.
    const own = Uint8Array.from(bytes.subarray(start, start + length))
    if (own.length < length) throw new Error(`the weights end before ${name}`)
    start += length
    tensors.set(name, { shape, data: decode(stored, own.buffer, quantization) })
  }
  return {
    has: (name) => tensors.has(name),
    get(name) {
      const tensor = tensors.get(name)
      if (!tensor) throw new Error(`there is no weight ${name}`)
      return tensor
    },
  }
}

const bytesPer = (type: string) => {
  switch (type) {
    case 'float32':
    case 'int32':
      return 4
    case 'float16':
    case 'uint16':
      return 2
    case 'uint8':
      return 1
  }
  throw new Error(`weights of the type ${type} are not known`)
}

const decode = (type: string, buffer: ArrayBuffer, quantization: WeightEntry['quantization']): Tensor['data'] => {
  if (type === 'int32') return new Int32Array(buffer)
  if (type === 'float32') return new Float32Array(buffer)
  const steps = type === 'uint8' ? new Uint8Array(buffer) : new Uint16Array(buffer)
  const { scale = 1, min = 0 } = quantization ?? {}
  const values = new Float32Array(steps.length)
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as number
    values[index] = type === 'float16' ? fromHalf(step) : step * scale + min
  }
  return values
}

const powers = Float64Array.from({ length: 32 }, (_, exponent) => 2 ** (exponent - 25))

/** A number of 16 bits: one of sign, five of exponent, ten of fraction. Weights are never infinite. */
const fromHalf = (bits: number) => {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const value = exponent === 0 ? fraction * (powers[1] as number) : (fraction + 1024) * (powers[exponent] as number)
  return bits & 0x8000 ? -value : value
}

/** Kernels of TensorFlow are height, width, inputs, outputs; those of ONNX are outputs, inputs, height, width. */
export const turnKernel = ({ shape, data }: Tensor): Tensor => {
  const [height, width, inputs, outputs] = shape as [number, number, number, number]
  const turned = new Float32Array(data.length)
  let place = 0
  for (let output = 0; output < outputs; output++)
    for (let input = 0; input < inputs; input++)
      for (let position = 0; position < height * width; position++)
        turned[place++] = data[(position * inputs + input) * outputs + output] as number
  return { shape: [outputs, inputs, height, width], data: turned }
}

/** A kernel that looks at each channel alone: height, width, channels, outputs per channel. */
export const turnDepthwiseKernel = ({ shape, data }: Tensor): Tensor => {
  const [height, width, channels, multiplier] = shape as [number, number, number, number]
  return turnKernel({ shape: [height, width, 1, channels * multiplier], data })
}
