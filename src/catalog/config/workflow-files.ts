import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Complaint, nearestName } from './config-problems.js'
import type { Upstream } from './config-schema.js'

/** Workflows of ComfyUI that models are made of: files in API format, with placeholders for what a request says. */
type Work = 'generate' | 'edit' | 'upscale'
type Upstreams = Readonly<Record<string, Upstream>>

const everywhere = ['prompt', 'negative_prompt', 'width', 'height', 'seed', 'steps', 'cfg', 'count', 'model']
const known: Record<Work, readonly string[]> = {
  generate: [...everywhere, 'lora_strength'],
  edit: [...everywhere, 'lora_strength', 'image', 'image2', 'image3', 'mask'],
  upscale: [...everywhere, 'lora_strength', 'image', 'creativity'],
}
const needed: Record<Work, readonly string[]> = {
  generate: ['prompt'],
  edit: ['prompt', 'image'],
  upscale: ['image'],
}

/** The same entries with the places of their files resolved: they are written relative to the config file. */
export const withWorkflowPaths = (upstreams: Upstreams, folder: string): Record<string, Upstream> =>
  Object.fromEntries(
    Object.entries(upstreams).map(([name, upstream]) => {
      if (!upstream.workflows) return [name, upstream]
      const workflows = Object.entries(upstream.workflows).map(([model, files]) => [
        model,
        Object.fromEntries(Object.entries(files).map(([work, path]) => [work, resolve(folder, path)])),
      ])
      return [name, { ...upstream, workflows: Object.fromEntries(workflows) }]
    }),
  )

export const checkWorkflows = (upstreams: Upstreams, folder: string): Complaint[] =>
  Object.entries(upstreams).flatMap(([name, { kind, workflows }]) => {
    if (!workflows) return []
    if (kind !== 'comfyui')
      return [{ path: ['upstreams', name, 'workflows'], reason: `is only for the kind comfyui, not ${kind}` }]
    return Object.entries(workflows).flatMap(([model, files]) =>
      (Object.entries(files) as [Work, string][]).flatMap(([work, path]) =>
        fileProblems(resolve(folder, path), work).map((reason) => ({
          path: ['upstreams', name, 'workflows', model, work],
          reason,
        })),
      ),
    )
  })

const fileProblems = (path: string, work: Work): string[] => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return [code === 'ENOENT' ? `there is no file ${path}` : `the file ${path} cannot be read: ${message}`]
  }
  let workflow: unknown
  try {
    workflow = JSON.parse(text)
  } catch (error) {
    return [`the file ${path} is not JSON: ${(error as Error).message}`]
  }
  if (!isApiFormat(workflow))
    return [`the file ${path} is not a workflow in API format; in ComfyUI, export it with Workflow > Export (API)`]
  return placeholderProblems(text, work)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What ComfyUI saves for its own canvas has a list of nodes, and cannot be run. */
const isApiFormat = (workflow: unknown): boolean =>
  isObject(workflow) &&
  Object.keys(workflow).length > 0 &&
  Object.values(workflow).every(
    (node) => isObject(node) && typeof node.class_type === 'string' && isObject(node.inputs),
  )

const placeholderProblems = (text: string, work: Work): string[] => {
  const found = new Set(Array.from(text.matchAll(/\{\{([^{}=]*)(?:=[^{}]*)?\}\}/g), ([, name = '']) => name))
  const unknown = [...found].filter((name) => !known[work].includes(name))
  const missing = needed[work].filter((name) => !found.has(name))
  return [
    ...unknown.map((name) => {
      const nearest = nearestName(name, known[work])
      return nearest
        ? `there is no placeholder {{${name}}}, did you mean {{${nearest}}}?`
        : `there is no placeholder {{${name}}} for ${work}; there are: ${known[work].join(', ')}`
    }),
    ...missing.map((name) => `the placeholder {{${name}}} is missing, so what is asked for would never arrive`),
  ]
}
