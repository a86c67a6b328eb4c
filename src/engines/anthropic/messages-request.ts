import { EngineError } from '../engine-error.js'
import type { EngineRequest, TextCall } from '../text.js'
import type { MessagesRequest } from './messages-api.js'
import { thinkingBudget } from './thinking.js'
import { toTools } from './tools.js'
import { toTurns } from './turns.js'

/**
 * A chat request in the words of the Messages API. What Anthropic has no word for is left out where that only changes how
 * an answer is found (seeds, penalties), and is an error where the answer would lack what was asked for.
 */
export const toMessagesRequest = ({ model, request }: Pick<TextCall, 'model' | 'request'>): MessagesRequest => {
  refuseUnsupported(request)
  const { system, turns } = toTurns(request.messages)
  const { instruction, ...tools } = toTools(request)
  if (instruction !== undefined) system.push({ type: 'text', text: instruction })
  const isToolForced = tools.tool_choice?.type === 'any' || tools.tool_choice?.type === 'tool'
  // Anthropic has either a forced tool or thinking. What was forced was asked for more plainly.
  const budget = isToolForced ? undefined : thinkingBudget(request, turns)
  return {
    model,
    max_tokens: request.max_completion_tokens,
    ...(system.length > 0 && { system }),
    messages: turns,
    ...tools,
    ...toStops(request.stop),
    // While it thinks, Anthropic refuses to be told how to choose words.
    ...(budget === undefined ? toSampling(request) : { thinking: { type: 'enabled', budget_tokens: budget } }),
  }
}

const refuseUnsupported = ({ n, logprobs, top_logprobs }: EngineRequest) => {
  const lacking = (n ?? 1) > 1 ? 'n' : logprobs || top_logprobs ? 'logprobs' : undefined
  if (lacking) throw new EngineError('unsupported', `the Messages API has no ${lacking}`, { said: lacking })
}

const toStops = (stop: EngineRequest['stop']) => stop && { stop_sequences: typeof stop === 'string' ? [stop] : stop }

/** Newer models refuse `temperature` and `top_p` together; then the temperature counts. */
const toSampling = ({ temperature, top_p, top_k }: EngineRequest): Partial<MessagesRequest> => ({
  ...(typeof temperature === 'number'
    ? { temperature: Math.min(temperature, 1) }
    : typeof top_p === 'number' && { top_p }),
  // 0 is off, which Anthropic says by leaving it out.
  ...(top_k && { top_k }),
})
