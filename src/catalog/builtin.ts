import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LimitsEntry } from './config/config-schema.js'
import type { ModelEntry } from './config/model-entry.js'
import { parseConfig } from './config/parse-config.js'
import type { ContentSource } from './content-policies.js'

/** What a fresh service offers before anybody configures anything. */
export type BuiltinCatalog = ContentSource & {
  models: readonly ModelEntry[]
  styles: readonly string[]
  systemPrompt: string
  limits: LimitsEntry
}

/** Seen from where the compiled code runs, `dist/src/catalog`. */
const ownFolder = fileURLToPath(new URL('../../../catalog', import.meta.url))
const checkedFile = fileURLToPath(new URL('../../catalog.json', import.meta.url))

/** The built-in catalog as the build left it: checked and complete, so that a start need not do it again. */
export const readBuiltin = (): BuiltinCatalog =>
  existsSync(checkedFile) ? (JSON.parse(readFileSync(checkedFile, 'utf8')) as BuiltinCatalog) : checkBuiltin()

/** Reads our own data files. They are config files like the operator's, so they are held to the same rules. */
export const checkBuiltin = (folder: string = ownFolder): BuiltinCatalog => {
  const read = (name: string, content?: ContentSource) => {
    const file = join(folder, name)
    return parseConfig(readFileSync(file, 'utf8'), {
      file,
      env: {},
      ...(content && { builtin: { models: [], ...content } }),
    })
  }
  const { contentWords = {}, contentPolicies = {} } = read('content-policies.yaml')
  return {
    models: read('models.yaml', { contentWords, contentPolicies }).models,
    contentWords,
    contentPolicies,
    styles: read('styles.yaml').styles ?? [],
    systemPrompt: read('system-prompt.yaml').systemPrompt ?? '',
    limits: read('limits.yaml').limits ?? {},
  }
}
