import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { script } from '../fakes/upstream.js'
import { fakeVector } from '../fakes/upstream-scripts.js'
import { assertBooks } from '../money.js'
import { collect, startTextService, thrown } from '../text-service.js'

/** LangChain for JavaScript, whose OpenAI classes are told another base URL. */
const service = await startTextService({ after })
const { house, rich, bill, unpaid } = service
const configuration = { baseURL: service.baseURL }
const chatWith = (fields: object = {}) =>
  new ChatOpenAI({ model: 'acme', apiKey: rich.key, configuration, maxRetries: 0, ...fields })
const tiny = (fields: object) => chatWith({ model: 'tessera-tiny', temperature: 0, ...fields })
/** Its declared type is `never` to our compiler. */
const usageOf = (message: object): UsageMetadata => Object(message).usage_metadata

const parameters = {
  type: 'object',
  properties: { place: { type: 'string', enum: ['Bern', 'Oslo'] } },
  required: ['place'],
  additionalProperties: false,
}
const weather = {
  type: 'function' as const,
  function: { name: 'weather', description: 'The weather of a place', parameters },
}

test('invoke: text and usage, and it is paid', async () => {
  const answer = await chatWith().invoke('Hi')
  assert.equal(answer.text, 'Hello from upstream')
  assert.deepEqual([usageOf(answer).input_tokens, usageOf(answer).output_tokens], [7, 3])
  assert.equal(answer.response_metadata.finish_reason, 'stop')
  assert.equal((await bill(answer.id?.replace('chatcmpl-', '')))?.usd, 13_000n)
})

test('stream: pieces add up to the text, and usage comes without being asked for', async () => {
  const chunks = await collect(await chatWith().stream('Hi'))
  const all = chunks.reduce((one, other) => one.concat(other))
  assert.equal(all.text, 'Hello from upstream')
  assert.equal(usageOf(all).total_tokens, 10)
  assert.deepEqual(house.requests.at(-1)?.body.stream_options, { include_usage: true })
})

for (const stream of [false, true])
  test(`bindTools: call, result, answer (${stream ? 'stream' : 'whole'})`, async () => {
    house.next(script.answer({ toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"place":"Bern"}' }] }))
    const chat = chatWith().bindTools([weather])
    const ask = async (messages: BaseMessage[]): Promise<AIMessageChunk> =>
      stream
        ? (await collect(await chat.stream(messages))).reduce((one, other) => one.concat(other))
        : chat.invoke(messages)
    const question = new HumanMessage('Weather?')
    const asked = await ask([question])
    assert.deepEqual(
      asked.tool_calls?.map(({ id, name, args }) => [id, name, args]),
      [['call_1', 'weather', { place: 'Bern' }]],
    )
    const result = new ToolMessage({ content: 'sunny', tool_call_id: 'call_1' })
    assert.equal((await ask([question, asked, result])).text, 'Hello from upstream')
    const turns = house.requests.at(-1)?.body.messages as { role: string; tool_call_id?: string }[]
    assert.deepEqual(
      turns.map(({ role, tool_call_id }) => [role, tool_call_id]),
      [
        ['user', undefined],
        ['assistant', undefined],
        ['tool', 'call_1'],
      ],
    )
  })

test('withStructuredOutput: by schema and by a call', async () => {
  house.next(script.answer({ words: ['{"place":"Bern"}'] }))
  const bySchema = chatWith().withStructuredOutput(parameters, { name: 'place', method: 'jsonSchema' })
  assert.deepEqual(await bySchema.invoke('Where?'), { place: 'Bern' })
  house.next(script.answer({ toolCalls: [{ id: 'call_1', name: 'place', arguments: '{"place":"Oslo"}' }] }))
  const byCall = chatWith().withStructuredOutput(parameters, { name: 'place', method: 'functionCalling' })
  assert.deepEqual(await byCall.invoke('Where?'), { place: 'Oslo' })
})

test('OpenAIEmbeddings: vectors of documents and of a query', async () => {
  const embeddings = new OpenAIEmbeddings({ model: 'acme-embed', apiKey: rich.key, configuration, maxRetries: 0 })
  const texts = ['one', 'three']
  assert.deepEqual(
    await embeddings.embedDocuments(texts),
    texts.map((text) => fakeVector(text)),
  )
  assert.deepEqual(await embeddings.embedQuery('fifteen'), fakeVector('fifteen'))
})

test('what is refused is told with status and our sentence, and costs nothing', async () => {
  const wrong = await thrown(chatWith({ apiKey: 'wrong' }).invoke('Hi'))
  assert.equal(wrong.status, 401)
  assert.match(wrong.message, /not known to the service/)
  const missing = await unpaid(() => thrown(chatWith({ model: 'nope' }).invoke('Hi')))
  assert.equal(missing.status, 404)
  assert.match(missing.message, /There is no model 'nope'/)
})

test('responses: ChatOpenAI can be told to use them', async () => {
  const answer = await chatWith({ useResponsesApi: true }).invoke('Hi')
  assert.equal(answer.text, 'Hello from upstream')
  assert.equal(usageOf(answer).total_tokens, 10)
  const chunks = await collect(await chatWith({ useResponsesApi: true }).stream('Hi'))
  assert.equal(chunks.map(({ text }) => text).join(''), 'Hello from upstream')
})

test('the model inside the box: the same text whole and streamed, a call, an object', async () => {
  const said = await tiny({ maxTokens: 12 }).invoke('Say hello.')
  assert.ok(said.text.length > 0)
  const chunks = await collect(await tiny({ maxTokens: 12 }).stream('Say hello.'))
  assert.equal(chunks.map(({ text }) => text).join(''), said.text)

  const called = await tiny({ maxTokens: 60 })
    .bindTools([weather], { tool_choice: 'required' })
    .invoke('What is the weather in Oslo?')
  assert.ok(called instanceof AIMessage)
  assert.ok(['Bern', 'Oslo'].includes(called.tool_calls?.[0]?.args.place))

  const chosen = await tiny({ maxTokens: 60 })
    .withStructuredOutput<{ place: string }>(parameters, { name: 'place', method: 'jsonSchema' })
    .invoke('Name a place.')
  assert.ok(['Bern', 'Oslo'].includes(chosen.place))
})

test('the books balance', () => assertBooks(service.sql))
