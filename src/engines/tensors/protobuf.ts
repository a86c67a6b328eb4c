/** A protobuf message, with the few kinds of fields that ONNX files are made of. */
export type Message = {
  integer(field: number, value: number): Message
  float(field: number, value: number): Message
  bytes(field: number, value: Uint8Array): Message
  text(field: number, value: string): Message
  /** A message inside this one. */
  within(field: number, value: Message): Message
  encode(): Uint8Array
}

export const createMessage = (): Message => {
  const parts: Uint8Array[] = []
  const tag = (field: number, wire: number) => parts.push(variableInteger(field * 8 + wire))
  const message: Message = {
    integer(field, value) {
      tag(field, 0)
      parts.push(variableInteger(value))
      return message
    },
    float(field, value) {
      tag(field, 5)
      const bytes = new Uint8Array(4)
      new DataView(bytes.buffer).setFloat32(0, value, true)
      parts.push(bytes)
      return message
    },
    bytes(field, value) {
      tag(field, 2)
      parts.push(variableInteger(value.length), value)
      return message
    },
    text(field, value) {
      return message.bytes(field, new TextEncoder().encode(value))
    },
    within(field, value) {
      return message.bytes(field, value.encode())
    },
    encode: () => Buffer.concat(parts),
  }
  return message
}

/** Seven bits a byte, the lowest first. Negative numbers are written as what they are in 64 bits. */
const variableInteger = (value: number): Uint8Array => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    const low = Number(rest & 127n)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 128 : low)
  } while (rest > 0n)
  return Uint8Array.from(bytes)
}
