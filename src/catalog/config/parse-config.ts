import { dirname } from 'node:path'
import { type ModelType, modelTypes } from '#contract/models.js'
import type { ContentSource } from '../content-policies.js'
import { checkContent } from './check-content.js'
import { checkModels, checkSections, type PlacedEntry } from './config-checks.js'
import { type Environment, type Path, pathText, readDocument } from './config-document.js'
import { type Check, type Complaint, ConfigError, createCheck } from './config-problems.js'
import { ConfigFile, type OperatorConfig } from './config-schema.js'
import { type ModelEntry, modelEntries } from './model-entry.js'
import { checkWorkflows, withWorkflowPaths } from './workflow-files.js'

export const emptyConfig: OperatorConfig = { upstreams: {}, models: [], builtinModels: true }

export type ParseOptions = {
  /** Where the file lies: for the reports, and for what is written relative to it. */
  file: string
  /** Where `${NAME}` is looked up. */
  env: Environment
  /** What the file may name without defining it. */
  builtin?: BuiltinNames
}

/** Models that a deprecated one may name as its replacement, and what content policies are made of. */
export type BuiltinNames = ContentSource & { models: readonly { id: string }[] }

const nothingBuiltin: BuiltinNames = { models: [], contentWords: {}, contentPolicies: {} }

const checkFile = createCheck(ConfigFile)
const checkEntry = Object.fromEntries(modelTypes.map((type) => [type, createCheck(modelEntries[type])])) as Record<
  ModelType,
  Check
>

/** Reads the text of a config file. Everything that is wrong with it is reported at once, with line and reason. */
export const parseConfig = (text: string, { file, env, builtin = nothingBuiltin }: ParseOptions): OperatorConfig => {
  const { data, problems, problemAt } = readDocument(text, env)
  if (data === undefined) throw new ConfigError(file, problems)

  // A value that lacks its variable would only be called wrong a second time.
  const lackVariable = new Set(problems.map(({ path }) => path))
  const folder = dirname(file)
  const complaints = complaintsAbout(data as OperatorConfig, builtin, folder)
  for (const { path, reason, isUnknownKey } of complaints) {
    if (isUnknownKey || !lackVariable.has(pathText(path))) problems.push(problemAt(path, reason))
  }
  problems.sort((a, b) => a.line - b.line)
  if (problems.length > 0) throw new ConfigError(file, problems)
  const config = data as OperatorConfig
  return { ...config, upstreams: withWorkflowPaths(config.upstreams, folder) }
}

/** The schema first; then the meaning of whatever fits it, so that one run finds all there is to find. */
const complaintsAbout = (data: OperatorConfig, builtin: BuiltinNames, folder: string): Complaint[] => {
  const shape = checkFile(data)
  const fitting = withoutUnfit(data, shape)
  const entries = (fitting.models ?? []).map((entry, index) => ({
    entry,
    path: ['models', index],
    complaints: entryComplaints(entry),
  }))
  const ids = entries.map(({ entry }) => entry?.id).filter((id) => typeof id === 'string')
  const known = {
    ids: new Set(ids),
    builtinIds: new Set(fitting.builtinModels === false ? [] : builtin.models.map(({ id }) => id)),
    upstreams: new Set(Object.keys(data?.upstreams ?? {})),
    contentPolicies: new Set([builtin.contentPolicies, data?.contentPolicies ?? {}].flatMap(Object.keys)),
  }
  return [
    ...shape,
    ...entries.flatMap(({ path, complaints }) =>
      complaints.map((found) => ({ ...found, path: [...path, ...found.path] })),
    ),
    ...checkModels(entries.flatMap(checkable), known),
    ...checkSections(fitting),
    ...checkWorkflows(fitting.upstreams ?? {}, folder),
    ...checkContent(fitting, builtin),
  ]
}

type Entry = { entry: ModelEntry; path: Path; complaints: Complaint[] }

/** Nothing more can be said about an entry whose type is not known. */
const checkable = ({ entry, path, complaints }: Entry): PlacedEntry[] => {
  const unfit = unfitFields(complaints)
  if (unfit.has(undefined) || unfit.has('type')) return []
  return [{ entry: withoutUnfit(entry, complaints) as PlacedEntry['entry'], unfit, path }]
}

const withoutUnfit = <T extends object>(value: T, complaints: readonly Complaint[]): Partial<T> => {
  const unfit = unfitFields(complaints)
  if (unfit.has(undefined)) return {}
  return Object.fromEntries(Object.entries(value).filter(([field]) => !unfit.has(field))) as Partial<T>
}

/** The first step of each path. A complaint without one is about the whole: it is not even a map. */
const unfitFields = (complaints: readonly Complaint[]) => new Set(complaints.map(({ path }) => path[0]))

const entryComplaints = (entry: unknown): Complaint[] => {
  const isMap = typeof entry === 'object' && entry !== null && !Array.isArray(entry)
  if (!isMap) return [{ path: [], reason: 'must be a map' }]
  const { type } = entry as { type?: unknown }
  if (type === undefined) return [{ path: ['type'], reason: `is missing; it is one of ${modelTypes.join(', ')}` }]
  const isType = (value: unknown): value is ModelType => modelTypes.includes(value as ModelType)
  if (!isType(type)) return [{ path: ['type'], reason: `must be one of ${modelTypes.join(', ')}` }]
  return checkEntry[type](entry)
}
