import type { CatalogModelOfType } from '#catalog/catalog.js'
import type { ChatUsage } from '#contract/chat.js'
import type { TokenUsage } from '#engines/text.js'
import type { Line } from '#ledger/bill.js'

type TextModel = CatalogModelOfType<'text'>
type ExactPrice = TextModel['prices']['input']

/** A long prompt makes the whole request dearer, where the model has such prices. */
const ratesFor = ({ prices }: TextModel, promptTokens: number) =>
  prices.extended && promptTokens > prices.extended.contextTokenThreshold ? prices.extended : prices

const line = (model: string, name: string, part: string, tokens: number, price: ExactPrice): Line => ({
  sku: `${model}-llm-${name}-mtoken`,
  part,
  quantity: BigInt(tokens),
  usdPerMillion: price.usdNanos,
  diemPerMillion: price.diemNanos,
  per: 'million',
})

/** What a request costs: each token once, at the price of its part. */
export const textLines = (model: TextModel, usage: TokenUsage): Line[] => {
  const { fresh, cacheRead, cacheWrite, completion } = usage
  const rates = ratesFor(model, fresh + cacheRead + cacheWrite)
  const lines = [line(model.id, 'input', 'Input', fresh, rates.input)]
  if (cacheRead > 0) lines.push(line(model.id, 'cache-read', 'Cache Read', cacheRead, rates.cacheInput ?? rates.input))
  if (cacheWrite > 0)
    lines.push(line(model.id, 'cache-write', 'Cache Write', cacheWrite, rates.cacheWrite ?? rates.input))
  lines.push(line(model.id, 'output', 'Output', completion, rates.output))
  return lines
}

/** The most that a prompt can cost, whatever part of it is cached. */
export const promptLines = (model: TextModel, tokensMost: number): Line[] => {
  const rates = ratesFor(model, tokensMost)
  const { input, cacheWrite = input } = rates
  return [line(model.id, 'input', 'Input', tokensMost, cacheWrite.usdNanos > input.usdNanos ? cacheWrite : input)]
}

export const outputLine = (model: TextModel, promptTokensMost: number, tokens: number): Line =>
  line(model.id, 'output', 'Output', tokens, ratesFor(model, promptTokensMost).output)

export const promptTokensOf = ({ fresh, cacheRead, cacheWrite }: TokenUsage) => fresh + cacheRead + cacheWrite

/** The parts as clients of the chat API know them: cached tokens count as prompt, reasoning as completion. */
export const chatUsage = (usage: TokenUsage): ChatUsage => {
  const prompt = promptTokensOf(usage)
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.completion,
    total_tokens: prompt + usage.completion,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_creation_input_tokens: usage.cacheWrite },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}
