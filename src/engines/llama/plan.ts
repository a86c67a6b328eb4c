import type { LlamaGrammar } from 'node-llama-cpp'
import type { FunctionTool } from '#contract/text-parts.js'
import { EngineError } from '../engine-error.js'
import type { EngineRequest } from '../text.js'
import { createJsonGrammar, InexpressibleSchema, literal } from './json-grammar.js'
import { schemaOf } from './prompt.js'
import type { ToolSyntax } from './tool-syntax.js'

/** What the model may write. */
export type Plan = {
  /** What the model is told about. */
  tools: FunctionTool[]
  /** What it may call; empty when it may not. */
  names: string[]
  mustCall: boolean
  /** For text, when it has to be JSON. */
  contentGrammar: LlamaGrammar | undefined
  /** For a call, from its name on. */
  callGrammar: LlamaGrammar | undefined
}

type Needs = { compile(grammar: string): Promise<LlamaGrammar>; syntax: ToolSyntax }

/** More calls than this in one answer are a model that repeats itself. */
const callsMax = 16

export const makePlan = async (request: EngineRequest, { compile, syntax }: Needs): Promise<Plan> => {
  const { tool_choice } = request
  const offered = (request.tools ?? []).flatMap((tool) => (tool.function === undefined ? [] : [tool.function]))
  const tools = tool_choice === 'none' ? [] : offered
  const one = typeof tool_choice === 'object' && tool_choice !== null ? tool_choice.function.name : undefined
  const callable = one === undefined ? tools : tools.filter(({ name }) => name === one)
  const mustCall = one !== undefined || tool_choice === 'required'
  if (mustCall && callable.length === 0) {
    const said = one === undefined ? 'a call is required, but there are no tools' : 'tool_choice names no tool'
    throw new EngineError('refused', said, { said })
  }
  const content = mustCall ? undefined : writeContentGrammar(request, callable.length > 0 ? syntax.trigger : undefined)
  const calls =
    callable.length === 0 ? undefined : writeCallGrammar(callable, syntax, request.parallel_tool_calls !== false)
  return {
    tools,
    names: callable.map(({ name }) => name),
    mustCall,
    contentGrammar: content === undefined ? undefined : await expressible('response_format', () => compile(content)),
    callGrammar: calls === undefined ? undefined : await expressible('tools', () => compile(calls)),
  }
}

const writeContentGrammar = (request: EngineRequest, trigger: string | undefined): string | undefined => {
  const format = request.response_format
  if (format?.type !== 'json_object' && format?.type !== 'json_schema') return undefined
  const grammar = createJsonGrammar()
  const rule =
    format.type === 'json_object' ? 'object' : express('response_format', () => grammar.addSchema(schemaOf(format)))
  return grammar.write(trigger === undefined ? rule : `${rule} | ${literal(trigger)}`)
}

const writeCallGrammar = (tools: FunctionTool[], syntax: ToolSyntax, isParallel: boolean): string => {
  const grammar = createJsonGrammar()
  const calls = tools.map((tool) => {
    const start = literal(tool.name + syntax.beforeArguments(tool.name))
    return grammar.define(`${start} ${addArguments(grammar, tool)} ${literal(syntax.afterCall(tool.name))}`)
  })
  const call = grammar.define(calls.join(' | '))
  const more =
    isParallel && syntax.nextCall !== undefined ? `(${literal(syntax.nextCall)} ${call}){0,${callsMax - 1}}` : ''
  return grammar.write(`${call} ${more} ${literal(syntax.end)}`)
}

const addArguments = (grammar: ReturnType<typeof createJsonGrammar>, { parameters, strict }: FunctionTool): string => {
  if (parameters === undefined || parameters === null)
    return grammar.addSchema({ type: 'object', additionalProperties: false })
  const schema = { ...parameters, type: 'object' }
  if (strict) return express('tools', () => grammar.addSchema(schema))
  try {
    return grammar.addSchema(schema, { isLenient: true })
  } catch (error) {
    if (error instanceof InexpressibleSchema) return 'object'
    throw error
  }
}

const express = <T>(field: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw error instanceof InexpressibleSchema ? unsupported(field, error.message) : error
  }
}

const expressible = async <T>(field: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (cause) {
    throw unsupported(field, 'a schema of this shape', cause)
  }
}

const unsupported = (field: string, what: string, cause?: unknown) => {
  const said = `${field}: this model cannot guarantee ${what}`
  return new EngineError('unsupported', said, { said, cause })
}
