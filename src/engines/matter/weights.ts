import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { EngineError } from '../engine-error.js'

/** A file of weights that ships with the service, and what its bytes must be. */
export type WeightsFile = { name: string; sha256: string }

const folder = new URL('../../../../models/', import.meta.url)

/** What a network was made to do is in its weights, so other weights than those we know are not run. */
export const readWeights = async ({ name, sha256 }: WeightsFile, from: URL = folder): Promise<Uint8Array> => {
  const bytes = await readFile(new URL(name, from)).catch((cause) => {
    throw new EngineError('unavailable', `the weights models/${name} cannot be read`, { cause })
  })
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== sha256)
    throw new EngineError('unavailable', `models/${name} is not the file we know: sha256 is ${found}, not ${sha256}`)
  return bytes
}
