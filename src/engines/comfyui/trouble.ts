import { EngineError } from '../engine-error.js'

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Numbers that come from the request; everything else that does not fit is in the workflow or on the server. */
const callerProblems = new Set(['value_smaller_than_min', 'value_bigger_than_max'])
const detailCharactersMax = 300

type NodeProblem = { node: string; type: string; message: string; input: string; details: string }

const nodeProblems = (errors: unknown): NodeProblem[] =>
  Object.values(isObject(errors) ? errors : {}).flatMap((found) => {
    if (!isObject(found) || !Array.isArray(found.errors)) return []
    return found.errors.filter(isObject).map((error) => ({
      node: String(found.class_type),
      type: String(error.type),
      message: String(error.message),
      input: isObject(error.extra_info) ? String(error.extra_info.input_name ?? '') : '',
      // Which files there are helps an operator; other details may quote what stood in a field, and so a prompt.
      details: error.type === 'value_not_in_list' ? String(error.details).slice(0, detailCharactersMax) : '',
    }))
  })

/** What a workflow that was not taken means: a number that is out of range, or something for the operator to mend. */
export const fromRefusedWorkflow = (status: number, body: unknown): EngineError | undefined => {
  if (status !== 400 || !isObject(body)) return undefined
  const problems = nodeProblems(body.node_errors)
  const [first] = problems
  if (first === undefined) {
    const said = isObject(body.error) ? body.error.message : body.error
    return new EngineError('unavailable', `the upstream does not take the workflow: ${String(said)}`)
  }
  const { node, message, input, details } = problems.find(({ type }) => !callerProblems.has(type)) ?? first
  if (problems.every(({ type }) => callerProblems.has(type)))
    return new EngineError('refused', `the upstream refused ${input} of ${node}`, { said: `${input}: ${message}` })
  return new EngineError(
    'unavailable',
    `the upstream does not take the workflow: ${node}: ${message} (${details || input})`,
  )
}

const refusal = /\b(?:nsfw|safety (?:checker|filter|system)|content policy|moderat(?:ed|ion))\b/i

/** What went wrong while a workflow ran; undefined when nothing did. Reasons may quote the prompt and are not passed on. */
export const fromFinishedWorkflow = (status: unknown): EngineError | undefined => {
  if (!isObject(status) || status.status_str !== 'error') return undefined
  const messages = Array.isArray(status.messages) ? status.messages : []
  const find = (name: string) =>
    messages.find((message): message is [string, unknown] => Array.isArray(message) && message[0] === name)
  if (find('execution_interrupted')) return new EngineError('unavailable', 'somebody interrupted it at the upstream')
  const failure = find('execution_error')?.[1]
  const { node_type, exception_type, exception_message } = isObject(failure) ? failure : {}
  if (refusal.test(String(exception_message)))
    return new EngineError('refused', `the node ${String(node_type)} refused the content`, {
      said: 'a filter of the model refused the content',
    })
  return new EngineError(
    'unavailable',
    `the node ${String(node_type)} failed at the upstream (${String(exception_type)})`,
  )
}
