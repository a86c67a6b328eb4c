import type { EngineRequest } from '../text.js'
import type { Turn } from './messages-api.js'

type Effort = NonNullable<EngineRequest['reasoning_effort']>

const budgets: Record<Effort, number> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
}
/** The least that Anthropic accepts. */
const budgetMin = 1_024

/**
 * How many tokens may be spent on thinking; undefined when it is off. The budget is a part of `max_completion_tokens`,
 * which was paid for and is never raised: where no sensible part is left for thinking, there is none.
 */
export const thinkingBudget = (
  { reasoning, reasoning_effort, max_completion_tokens }: EngineRequest,
  turns: readonly Turn[],
): number | undefined => {
  const effort = reasoning?.effort ?? reasoning_effort ?? (reasoning?.enabled ? 'medium' : 'none')
  if (reasoning?.enabled === false || hasLostThoughts(turns)) return undefined
  const budget = Math.min(budgets[effort], Math.floor(max_completion_tokens * 0.8))
  return budget >= budgetMin ? budget : undefined
}

/**
 * A turn that goes on after the results of its tools must begin with the thoughts that led to them, or Anthropic refuses
 * it. Callers that do not keep them get an answer without thinking instead.
 */
const hasLostThoughts = (turns: readonly Turn[]): boolean => {
  const last = turns.at(-1)
  if (last?.role !== 'user' || last.content[0]?.type !== 'tool_result') return false
  const first = turns.at(-2)?.content[0]
  return first?.type !== 'thinking' && first?.type !== 'redacted_thinking'
}
