import type { JinjaTemplateChatWrapper, LlamaText } from 'node-llama-cpp'

/** How a model writes its calls: `start` name `beforeArguments` arguments `afterCall`, again after `nextCall`, then `end`. */
export type ToolSyntax = {
  start: string
  /** What announces a call; from here on, the grammar leads. */
  trigger: string
  beforeArguments(name: string): string
  afterCall(name: string): string
  /** Undefined when the model makes one call at a time. */
  nextCall: string | undefined
  end: string
}

/** What a model is asked to write whose template has no form of its own. */
const ownSyntax: ToolSyntax = {
  start: '<tool_call>{"name": "',
  trigger: '<tool_call>',
  beforeArguments: () => '", "arguments": ',
  afterCall: () => '}</tool_call>',
  nextCall: '<tool_call>{"name": "',
  end: '',
}

/** The library finds out the form of calls by rendering some with the model's template. */
export const readToolSyntax = (wrapper: JinjaTemplateChatWrapper): ToolSyntax => {
  if (!wrapper.usingJinjaFunctionCallTemplate) return ownSyntax
  const { call, parallelism } = wrapper.settings.functions
  const start = textOf(parallelism?.call.sectionPrefix) + textOf(call.prefix)
  return {
    start,
    // A tag such as <tool_call> is enough to know; a model without one announces a call with all that precedes the name.
    trigger: /^\s*(<[^<>]+>|\[[A-Z_]+\])/.exec(start)?.[1] ?? start.trim(),
    beforeArguments: (name) => textOf(call.paramsPrefix).replaceAll('{{functionName}}', name),
    afterCall: (name) => textOf(call.suffix).replaceAll('{{functionName}}', name),
    nextCall: parallelism && textOf(parallelism.call.betweenCalls) + textOf(call.prefix),
    end: textOf(parallelism?.call.sectionSuffix),
  }
}

export type ThoughtTags = { open: string; close: string }

/** The tags between which the model thinks aloud, if it does. */
export const readThoughtTags = ({ settings }: JinjaTemplateChatWrapper): ThoughtTags | undefined => {
  const thought = settings.segments?.thought
  if (thought === undefined) return undefined
  const close = textOf(thought.suffix).trim()
  const open = 'prefix' in thought && isText(thought.prefix) ? textOf(thought.prefix).trim() : close.replace('/', '')
  return open === '' || close === '' ? undefined : { open, close }
}

type Text = string | LlamaText | undefined | null

const isText = (value: unknown): value is string | LlamaText =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && 'values' in value)

const textOf = (text: Text): string => (text === undefined || text === null ? '' : text.toString())
