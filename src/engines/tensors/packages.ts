import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { WeightEntry } from './weights.js'

const require = createRequire(import.meta.url)

/** The folder of an installed package. Its `exports` need not name the file that is wanted from it. */
export const packageFolder = (name: string): string => {
  let folder = dirname(require.resolve(name))
  while (!isFolderOf(name, folder)) {
    if (folder === dirname(folder)) throw new Error(`the folder of ${name} was not found`)
    folder = dirname(folder)
  }
  return folder
}

const isFolderOf = (name: string, folder: string) => {
  const file = join(folder, 'package.json')
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === name
}

type Manifest = { weightsManifest: { paths: string[]; weights: WeightEntry[] }[] }

/** A model of TensorFlow.js with its weights, from a file and those beside it. */
export const readModelFile = <Model>(path: string): { model: Model; entries: WeightEntry[]; bytes: Uint8Array } => {
  const model = JSON.parse(readFileSync(path, 'utf8')) as Model & Manifest
  const groups = model.weightsManifest
  return {
    model,
    entries: groups.flatMap(({ weights }) => weights),
    bytes: Buffer.concat(groups.flatMap(({ paths }) => paths).map((part) => readFileSync(join(dirname(path), part)))),
  }
}
