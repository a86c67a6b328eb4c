import { createMessage, type Message } from './protobuf.js'

/** Numbers with a shape. */
export type Tensor = { shape: number[]; data: Float32Array | Int32Array }

/** The name of what flows between two nodes of a graph. */
export type Flow = string & { readonly isFlow: true }

type Attribute = number | string | number[] | { float: number }
type Kind = keyof typeof kinds

// Numbers of ONNX: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3
const kinds = { float32: 1, uint8: 2, int64: 7 } as const
const irVersion = 8
const operatorSet = 17

/**
 * A network as our runtime reads it, an ONNX model, built node by node. Weights come in packages of other runtimes; this is
 * how they are carried over, at load time and in memory.
 */
export const createGraph = () => {
  const graph = createMessage().text(2, 'network')
  let names = 0
  const nextName = () => `v${names++}` as Flow

  const constant = (kind: Kind, shape: number[], data: Uint8Array): Flow => {
    const name = nextName()
    const tensor = createMessage().integer(2, kinds[kind]).text(8, name).bytes(9, data)
    for (const size of shape) tensor.integer(1, size)
    graph.within(5, tensor)
    return name
  }

  const add = (operator: string, inputs: Flow[], attributes: Record<string, Attribute> = {}): Flow => {
    const name = nextName()
    const node = createMessage().text(2, name).text(4, operator)
    for (const input of inputs) node.text(1, input)
    for (const [key, value] of Object.entries(attributes)) node.within(5, attribute(key, value))
    graph.within(1, node)
    return name
  }

  return {
    add,
    /** Sizes that are undefined may differ from run to run. */
    input(name: string, kind: Kind, shape: (number | undefined)[]): Flow {
      graph.within(11, port(name, kind, shape))
      return name as Flow
    },
    output(name: string, kind: Kind, flow: Flow) {
      graph.within(1, createMessage().text(1, flow).text(2, name).text(4, 'Identity'))
      graph.within(12, port(name, kind))
    },
    floats: (data: ArrayLike<number>, shape: number[] = [data.length]) =>
      constant('float32', shape, bytesOf(data instanceof Float32Array ? data : Float32Array.from(data))),
    integers: (data: number[]) => constant('int64', [data.length], bytesOf(BigInt64Array.from(data, BigInt))),
    cast: (flow: Flow, kind: Kind) => add('Cast', [flow], { to: kinds[kind] }),
    transpose: (flow: Flow, order: number[]) => add('Transpose', [flow], { perm: order }),
    encode: (): Uint8Array =>
      createMessage()
        .integer(1, irVersion)
        .within(7, graph)
        .within(8, createMessage().text(1, '').integer(2, operatorSet))
        .encode(),
  }
}

export type Graph = ReturnType<typeof createGraph>

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => new Uint8Array(buffer, byteOffset, byteLength)

const attribute = (name: string, value: Attribute): Message => {
  const message = createMessage().text(1, name)
  if (typeof value === 'number') return message.integer(3, value).integer(20, 2)
  if (typeof value === 'string') return message.text(4, value).integer(20, 3)
  if (!Array.isArray(value)) return message.float(2, value.float).integer(20, 1)
  for (const one of value) message.integer(8, one)
  return message.integer(20, 7)
}

/** Where something enters or leaves. The shape of what leaves follows from the nodes. */
const port = (name: string, kind: Kind, shape?: (number | undefined)[]): Message => {
  const tensor = createMessage().integer(1, kinds[kind])
  if (shape) {
    const sizes = createMessage()
    shape.forEach((size, place) => {
      const one = createMessage()
      sizes.within(1, size === undefined ? one.text(2, `${name}${place}`) : one.integer(1, size))
    })
    tensor.within(2, sizes)
  }
  return createMessage().text(1, name).within(2, createMessage().within(1, tensor))
}
