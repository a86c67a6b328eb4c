import { readFile } from 'node:fs/promises'
import { EngineError } from '../engine-error.js'

/** A workflow in API format: nodes by their number. An input is a value, or a node and the number of its output. */
export type Workflow = Record<string, { class_type: string; inputs: Record<string, unknown> }>

export type Values = Readonly<Record<string, string | number | undefined>>

/** `{{steps}}`, or `{{steps=8}}` with what stands there when nobody asks for something else. */
const placeholder = /\{\{(\w+)(?:=([^{}]*))?\}\}/g

const toNumberIfOne = (text: string): string | number =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text

const eachText = (value: unknown, change: (text: string) => unknown): unknown => {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => eachText(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, eachText(inner, change)]))
}

/** The names of the placeholders in a workflow. */
export const placeholdersIn = (workflow: Workflow): Set<string> => {
  const names = new Set<string>()
  eachText(workflow, (text) => {
    for (const [, name = ''] of text.matchAll(placeholder)) names.add(name)
    return text
  })
  return names
}

/**
 * The workflow with values in place of placeholders. First counts what was asked for, then what stands in the placeholder,
 * then what is usual. A text that is nothing but a placeholder becomes the value itself, so that numbers stay numbers;
 * what was put in is not searched for placeholders again.
 */
export const fillWorkflow = (workflow: Workflow, asked: Values, usual: Values): Workflow => {
  const toValue = (name: string, standard: string | undefined): string | number => {
    const value = asked[name] ?? (standard === undefined ? usual[name] : toNumberIfOne(standard))
    if (value === undefined)
      throw new EngineError('refused', `no value for {{${name}}}`, { said: `${name} is missing` })
    return value
  }
  return eachText(workflow, (text) => {
    const [first] = text.matchAll(placeholder)
    if (first?.[0] === text) return toValue(first[1] ?? '', first[2])
    return text.replace(placeholder, (_, name: string, standard?: string) => String(toValue(name, standard)))
  }) as Workflow
}

/** Read for every picture, so that a workflow that was exported again is used at once. */
export const readWorkflow = async (path: string): Promise<Workflow> => {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new EngineError('unavailable', `the workflow ${path} cannot be read`, { cause })
  }
}
