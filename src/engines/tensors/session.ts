import { Tensor } from 'onnxruntime-node'
import { openOnnx } from './onnx.js'

type Numbers = Uint8Array | Float32Array
type Shaped = { data: Numbers; shape: number[] }

/** A network that is loaded. It takes and gives what its graph calls by these names. */
export type Session = { run(inputs: Record<string, Shaped>): Promise<Record<string, Numbers>> }

export const openSession = async (model: Uint8Array): Promise<Session> => {
  const session = await openOnnx(model)
  return {
    async run(inputs) {
      const outputs = await session.run(mapValues(inputs, toTensor))
      return mapValues(outputs, ({ data }) => data as Numbers)
    },
  }
}

const toTensor = ({ data, shape }: Shaped) =>
  data instanceof Float32Array ? new Tensor('float32', data, shape) : new Tensor('uint8', data, shape)

const mapValues = <From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
