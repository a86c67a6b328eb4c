import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { systemClock } from '#plumbing/clock.js'
import { startFakeUpstream } from './fakes/upstream.js'
import { createPayer } from './money.js'
import { startService } from './service.js'

type Test = { after(work: () => void | Promise<void>): void }

/** One token of prompt costs 1,000 nanos, one from the cache 100, one of the answer 2,000. */
export const prices = '{ input: "1", cache_input: "0.1", output: "2" }'

/** A service with a fake upstream called `house`, and with models of its own if wanted. */
export const startTextService = async (
  test: Test,
  {
    models = '',
    upstreams = '',
    sections = '',
    timeoutMs = 600_000,
    clock = systemClock,
    logLines = [] as string[],
  } = {},
) => {
  const house = await startFakeUpstream(test)
  const service = await startService(test as { after(work: () => Promise<void>): void }, {
    logLines,
    clock,
    config: `
${sections}
systemPrompt: ""
upstreams:
  house: { kind: openai, baseUrl: "${house.baseUrl}", apiKey: house-secret-key, timeoutMs: ${timeoutMs} }
${upstreams}
models:
  - { id: acme, type: text, name: Acme Chat, engine: { upstream: house, model: acme/chat }, privacy: private,
      contextTokens: 4000, maxCompletionTokens: 1000, pricing: ${prices},
      capabilities: { supportsFunctionCalling: true, supportsResponseSchema: true, supportsLogProbs: true,
                      supportsReasoning: true, supportsVision: true } }
  - { id: acme-plain, type: text, engine: { upstream: house }, contextTokens: 4000, pricing: ${prices} }
  - { id: acme-embed, type: embedding, engine: { upstream: house }, maxInputTokens: 100, pricing: { input: "1" } }
${models}`,
  })
  const rich = await createPayer(service.sql, { usd: 100_000_000_000n })
  /** The bill of a request, as its owner sees it. */
  const bill = async (requestId: unknown) => {
    const row = await service.sql.maybeOne<Bill>`
      select outcome, counted_by "countedBy", prompt_tokens "promptTokens", completion_tokens "completionTokens",
             usd + bundled "usd"
      from usage_record where request_id = ${String(requestId)}`
    return row && { ...row, promptTokens: Number(row.promptTokens), completionTokens: Number(row.completionTokens) }
  }
  /** What the work gives, which must not have cost anything. */
  const unpaid = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = await rich.balances()
    const result = await work()
    assert.deepEqual(await rich.balances(), before, 'something was charged')
    return result
  }
  const baseURL = `${service.origin}/api/v1`
  return { ...service, house, rich, caller: service.as(rich.key), bill, unpaid, baseURL }
}

export type Bill = {
  outcome: string
  countedBy: string | null
  promptTokens: number
  completionTokens: number
  usd: bigint
}

/** The events of a stream, as text after `data: `. */
export const eventsOf = (text: string): string[] =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice(6))

// biome-ignore lint/suspicious/noExplicitAny: tests look into chunks of every shape
export const chunksOf = (text: string): any[] =>
  eventsOf(text)
    .filter((event) => event !== '[DONE]')
    .map((event) => JSON.parse(event))

/** Opens a stream without reading it to its end. */
export const openStream = async (url: string, key: string, body: object) => {
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ stream: true, ...body }),
  })
  assert.equal(answer.statusCode, 200)
  return answer
}

/** Looks again and again until there is something to see. */
export const until = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    await wait(20)
  }
}

/** What a client throws when it should. */
// biome-ignore lint/suspicious/noExplicitAny: every client has its own errors
export const thrown = async (work: PromiseLike<unknown>): Promise<any> => {
  try {
    await work
  } catch (error) {
    return error
  }
  return assert.fail('nothing was thrown')
}

/** Everything that a stream gives. */
export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}
