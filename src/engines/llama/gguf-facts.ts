import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { EngineError } from '../engine-error.js'

/** Longer contexts than this are cut: each request that runs at the same time needs memory for a whole one. */
export const contextTokensMax = 8192

export type GgufFacts = {
  /** As the file calls itself, or the file's name. */
  name: string
  architecture: string
  /** What the engine will use: what the model was trained for, and `contextTokensMax` at most. */
  contextTokens: number
  trainedContextTokens: number
  /** Such as `57M`, when the file says it. */
  sizeLabel: string | undefined
  license: string | undefined
  sizeBytes: number
  /** Its chat template has a place for tools. */
  knowsTools: boolean
  /** It has tokens or a template for `<think>`. */
  knowsThinking: boolean
}

type Value = string | number | boolean | undefined
type Header = { values: Map<string, Value>; hasThinkToken: boolean }

/**
 * Reads what a GGUF file says about itself, without loading the library or the weights.
 * Throws an `EngineError` that says why, when it is not a model to chat with.
 */
export const readGgufFacts = async (path: string): Promise<GgufFacts> => {
  const refuse = (reason: string, cause?: unknown) =>
    new EngineError('unsupported', `${basename(path)} ${reason}`, { said: `${basename(path)} ${reason}`, cause })
  let file: FileHandle
  try {
    file = await open(path)
  } catch (cause) {
    throw refuse('cannot be opened', cause)
  }
  try {
    const sizeBytes = (await file.stat()).size
    const reader = createReader(file)
    let header: Header
    try {
      header = await readHeader(reader)
    } catch (cause) {
      throw refuse(cause instanceof NotGguf ? cause.message : 'is damaged or cut off', cause)
    }
    const text = (key: string) => {
      const value = header.values.get(key)
      return typeof value === 'string' && value !== '' ? value : undefined
    }
    const architecture = text('general.architecture')
    if (architecture === undefined) throw refuse('does not name its architecture')
    const kind = text('general.type')
    if (kind !== undefined && kind !== 'model') throw refuse(`is of type "${kind}", not a model`)
    if (Number(header.values.get('split.no') ?? 0) > 0) throw refuse('is a later part of a split model')
    if (header.values.has(`${architecture}.pooling_type`)) throw refuse('is a model for embeddings, not for chats')
    const template = text('tokenizer.chat_template')
    if (template === undefined) throw refuse('has no chat template, so it is not a model to chat with')
    const trained = Number(header.values.get(`${architecture}.context_length`))
    if (!(trained > 0)) throw refuse('does not say how long its context is')
    return {
      name: text('general.name') ?? basename(path, '.gguf'),
      architecture,
      contextTokens: Math.min(trained, contextTokensMax),
      trainedContextTokens: trained,
      sizeLabel: text('general.size_label'),
      license: text('general.license'),
      sizeBytes,
      knowsTools: template.includes('tools'),
      knowsThinking: header.hasThinkToken || template.includes('<think>'),
    }
  } finally {
    await file.close()
  }
}

class NotGguf extends Error {}

/** Reads forward in pieces, so that skipping a large vocabulary costs no memory. */
const createReader = (file: FileHandle) => {
  const pieceBytes = 1 << 20
  let piece = Buffer.alloc(0)
  let used = 0
  let position = 0

  const bytes = async (count: number): Promise<Buffer> => {
    if (piece.length - used < count) {
      const wanted = Math.max(pieceBytes, count)
      const fresh = Buffer.alloc(wanted)
      const rest = piece.subarray(used)
      rest.copy(fresh)
      const { bytesRead } = await file.read(fresh, rest.length, wanted - rest.length, position)
      position += bytesRead
      piece = fresh.subarray(0, rest.length + bytesRead)
      used = 0
      if (piece.length < count) throw new Error('the file ends in its header')
    }
    used += count
    return piece.subarray(used - count, used)
  }
  const count = async (max: number): Promise<number> => {
    const value = (await bytes(8)).readBigUInt64LE()
    if (value > max) throw new Error('a length that cannot be')
    return Number(value)
  }
  const skip = async (total: number): Promise<void> => {
    for (let left = total; left > 0; left -= pieceBytes) await bytes(Math.min(left, pieceBytes))
  }
  return {
    bytes,
    skip,
    count,
    uint32: async () => (await bytes(4)).readUInt32LE(),
    string: async () => bytes(await count(1 << 24)),
  }
}

/** Sizes of the scalar types by their number in the format; 8 is a string and 9 an array. */
const scalarBytes = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8]

const sizeOf = (type: number): number => {
  const size = scalarBytes[type]
  if (size === undefined) throw new Error('a type that is not known')
  return size
}

const readHeader = async (reader: ReturnType<typeof createReader>): Promise<Header> => {
  const magic = await reader.bytes(4).catch(() => Buffer.alloc(4))
  if (magic.toString('latin1') !== 'GGUF') throw new NotGguf('is not a GGUF file')
  const version = await reader.uint32()
  if (version !== 2 && version !== 3) throw new NotGguf(`has GGUF version ${version}; 2 and 3 can be read`)
  await reader.count(1 << 24)
  const entries = await reader.count(1 << 16)
  const values = new Map<string, Value>()
  let hasThinkToken = false
  for (let entry = 0; entry < entries; entry++) {
    const key = (await reader.string()).toString()
    const type = await reader.uint32()
    if (type !== 9) {
      values.set(key, await readScalar(reader, type))
      continue
    }
    const itemType = await reader.uint32()
    const length = await reader.count(1 << 24)
    if (itemType !== 8) await reader.skip(length * sizeOf(itemType))
    else
      for (let item = 0; item < length; item++) {
        const text = await reader.string()
        if (text.length === 7 && text.toString() === '<think>') hasThinkToken = true
      }
  }
  return { values, hasThinkToken }
}

const readScalar = async (reader: ReturnType<typeof createReader>, type: number): Promise<Value> => {
  if (type === 8) return (await reader.string()).toString()
  const bytes = await reader.bytes(sizeOf(type))
  if (type === 7) return bytes.readUInt8() !== 0
  if (type === 4) return bytes.readUInt32LE()
  if (type === 5) return bytes.readInt32LE()
  if (type === 10) return Number(bytes.readBigUInt64LE())
  return undefined
}
