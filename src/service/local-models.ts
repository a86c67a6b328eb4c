import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { ModelEntry } from '#catalog/config/model-entry.js'
import { parseConfig } from '#catalog/config/parse-config.js'
import { EngineError } from '#engines/engine-error.js'
import { readGgufFacts } from '#engines/llama/gguf-facts.js'

type Needs = {
  /** `<data>/models`. It need not exist. */
  folder: string
  /** A file that cannot be offered, and why. */
  onRefused: (file: string, reason: string) => void
}

/** Asked like the built-in model until the config file names a price. */
const pricing = { input: '0.01', output: '0.02' }

/** Every GGUF file in a folder, as an entry of the catalog. The config file may describe the same file better. */
export const readLocalModels = async ({ folder, onRefused }: Needs): Promise<ModelEntry[]> => {
  const entries: ModelEntry[] = []
  for (const file of ggufFiles(folder)) {
    try {
      entries.push(await entryOf(join(folder, file)))
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      onRefused(file, error.message)
    }
  }
  return entries
}

const entryOf = async (path: string): Promise<ModelEntry> => {
  const file = basename(path)
  const facts = await readGgufFacts(path)
  const entry = {
    id: file.slice(0, -'.gguf'.length).replace(/[^\w./-]+/g, '-'),
    type: 'text',
    name: facts.name,
    description: `A model of the operator that runs inside this service (${file}).`,
    created: statSync(path).mtime.toISOString().slice(0, 10),
    engine: { embedded: 'llama', model: file },
    privacy: 'private',
    contextTokens: facts.contextTokens,
    capabilities: {
      supportsFunctionCalling: facts.knowsTools,
      supportsReasoning: facts.knowsThinking,
      supportsResponseSchema: true,
      supportsLogProbs: true,
    },
    pricing,
  }
  const [parsed] = parseConfig(JSON.stringify({ models: [entry] }), { file: path, env: {} }).models
  if (parsed === undefined) throw new Error('an entry went in, so one comes out')
  return parsed
}

const ggufFiles = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.gguf'))
      .sort()
  } catch {
    return []
  }
}

/** Changes whenever a file comes, goes or is written. */
export const fingerprintOf = (folder: string): string =>
  ggufFiles(folder)
    .map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 }
      return `${name} ${size} ${mtimeMs}`
    })
    .join('\n')
