import type { Conversation, Script } from './upstream.js'

/** What the model is to say; everything has a plain default. */
export type Saying = {
  words?: string[]
  reasoning?: string[]
  /** Servers disagree about the name. */
  reasoningField?: 'reasoning_content' | 'reasoning' | 'thinking'
  toolCalls?: { id: string; name: string; arguments: string }[]
  finishReason?: string | null
  /** Null leaves it out. */
  usage?: object | null
  choices?: number
  lineEnd?: '\n' | '\r' | '\r\n'
}

const usual = {
  words: ['Hello', ' from', ' upstream'],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
}
const named = { id: 'chatcmpl-upstream', created: 1_700_000_000, model: 'upstream-model' }

const finishOf = ({ finishReason, toolCalls }: Saying) =>
  finishReason === undefined ? (toolCalls ? 'tool_calls' : 'stop') : finishReason

const wholeCall = ({ id, name, arguments: text }: { id: string; name: string; arguments: string }) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})

const completionOf = (saying: Saying) => {
  const { words = usual.words, reasoning, reasoningField = 'reasoning_content', toolCalls, choices = 1 } = saying
  return {
    ...named,
    object: 'chat.completion',
    choices: Array.from({ length: choices }, (_, index) => ({
      index,
      finish_reason: finishOf(saying),
      logprobs: null,
      message: {
        role: 'assistant',
        content: toolCalls ? null : words.join(''),
        ...(reasoning && { [reasoningField]: reasoning.join('') }),
        ...(toolCalls && { tool_calls: toolCalls.map(wholeCall) }),
      },
    })),
    ...(saying.usage !== null && { usage: saying.usage ?? usual.usage }),
  }
}

const chunkOf = (choices: object[], more: object = {}) =>
  JSON.stringify({ ...named, object: 'chat.completion.chunk', choices, ...more })

/** The data of each event, in the order in which servers send them. */
const chunksOf = (saying: Saying, body: { stream_options?: { include_usage?: boolean } }): string[] => {
  const { words = usual.words, reasoning = [], reasoningField = 'reasoning_content', toolCalls, choices = 1 } = saying
  const indexes = Array.from({ length: choices }, (_, index) => index)
  const each = (delta: object, finish: string | null = null) =>
    indexes.map((index) => chunkOf([{ index, delta, finish_reason: finish, logprobs: null }]))
  const calls = (toolCalls ?? []).flatMap(({ id, name, arguments: text }, index) => {
    const middle = Math.ceil(text.length / 2)
    return [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      { tool_calls: [{ index, function: { arguments: text.slice(0, middle) } }] },
      { tool_calls: [{ index, function: { arguments: text.slice(middle) } }] },
    ]
  })
  const finish = finishOf(saying)
  return [
    ...each({ role: 'assistant', content: '' }),
    ...reasoning.flatMap((text) => each({ [reasoningField]: text })),
    ...(toolCalls ? [] : words).flatMap((content) => each({ content })),
    ...calls.flatMap((delta) => each(delta)),
    ...(finish === null ? [] : each({}, finish)),
    ...(saying.usage !== null && body.stream_options?.include_usage
      ? [chunkOf([], { usage: saying.usage ?? usual.usage })]
      : []),
  ]
}

const eventStream = { 'content-type': 'text/event-stream; charset=utf-8' }
const json = { 'content-type': 'application/json' }

const writeEvents = async (
  { write, end }: Conversation,
  events: string[],
  { lineEnd = '\n' }: Saying,
  isDone = true,
) => {
  for (const data of isDone ? [...events, '[DONE]'] : events)
    if (!(await write(`data: ${data}${lineEnd}${lineEnd}`))) return
  end()
}

const answerChat = async (conversation: Conversation, saying: Saying, isDone = true) => {
  const { request, head, write, end } = conversation
  if (request.body.stream === true) {
    head(200, eventStream)
    return writeEvents(conversation, chunksOf(saying, request.body), saying, isDone)
  }
  head(200, json)
  await write(JSON.stringify(completionOf(saying)))
  end()
}

/** A vector that depends on the text and is exact in 32 bits. */
export const fakeVector = (text: string, dimensions = 4): number[] =>
  Array.from({ length: dimensions }, (_, index) => (text.length + index) / 4)

type Vectors = { asNumbers?: boolean; change?: (data: { index: number; embedding: unknown }[]) => unknown[] }

const answerEmbeddings = async ({ request, head, write, end }: Conversation, { asNumbers, change }: Vectors = {}) => {
  const { input = [], dimensions, encoding_format } = request.body
  const texts = [input].flat()
  const data = texts.map((text, index) => {
    const vector = fakeVector(text, dimensions)
    const isBase64 = encoding_format === 'base64' && !asNumbers
    const embedding = isBase64 ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector
    return { object: 'embedding', index, embedding }
  })
  const tokens = texts.join(' ').length
  head(200, json)
  await write(
    JSON.stringify({
      object: 'list',
      data: change ? change(data) : data,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    }),
  )
  end()
}

const refusal =
  (status: number, error: unknown, headers: Record<string, string> = {}): Script =>
  async ({ head, write, end }) => {
    head(status, { ...json, ...headers })
    await write(JSON.stringify(error))
    end()
  }

/** The stream of a saying whose events leave one by one, when the test releases them. */
const paced = (saying: Saying = {}) => {
  let released = 0
  let wake: (() => void) | undefined
  const run: Script = async (conversation) => {
    const { head, write, end, request } = conversation
    head(200, eventStream)
    let sent = 0
    for (const data of [...chunksOf(saying, request.body), '[DONE]']) {
      while (sent === released)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      sent++
      if (!(await write(`data: ${data}\n\n`))) return
    }
    end()
  }
  const release = (events = 1) => {
    released += events
    wake?.()
  }
  return Object.assign(run, {
    /** Lets so many more events go. The first has only a role. */
    release,
    releaseAll: () => release(Number.POSITIVE_INFINITY),
  })
}

/** Everything that an upstream may do, good and bad. */
export const script = {
  /** A correct answer to whatever was asked. */
  answer:
    (saying: Saying = {}): Script =>
    (conversation) =>
      conversation.request.path.includes('/embeddings')
        ? answerEmbeddings(conversation)
        : answerChat(conversation, saying),
  embeddings:
    (vectors: Vectors): Script =>
    (conversation) =>
      answerEmbeddings(conversation, vectors),
  paced,

  /** Any status, body and headers. */
  refuse: refusal,
  tooManyRequests: (headers: Record<string, string> = { 'retry-after': '7' }) =>
    refusal(429, { error: { message: 'Rate limit reached', type: 'rate_limit_error' } }, headers),
  fail: (status = 500) => refusal(status, { error: { message: 'CUDA out of memory', type: 'server_error' } }),
  contextLengthExceeded: () =>
    refusal(400, {
      error: {
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
      },
    }),

  /** Takes the request and never says anything. */
  stall: (): Script => () => {},
  stallAfterHeaders:
    (): Script =>
    ({ head }) =>
      head(200, eventStream),
  stallAfterFirstToken:
    (saying: Saying = {}): Script =>
    async (conversation) => {
      conversation.head(200, eventStream)
      for (const data of chunksOf(saying, conversation.request.body).slice(0, 2))
        await conversation.write(`data: ${data}\n\n`)
    },

  cutBeforeHeaders:
    (): Script =>
    ({ cut }) =>
      cut(),
  cutBeforeFirstToken:
    (): Script =>
    async ({ head, write, cut }) => {
      head(200, eventStream)
      await write(': thinking\n\n')
      cut()
    },
  cutAfterFirstToken:
    (saying: Saying = {}): Script =>
    async ({ head, write, cut, request }) => {
      head(200, eventStream)
      const [role = '', token = ''] = chunksOf(saying, request.body)
      await write(`data: ${role}\n\ndata: ${token}\n\n`)
      cut()
    },
  /** A whole answer that is shorter than it promised. */
  cutWholeAnswer:
    (): Script =>
    async ({ head, write, cut }) => {
      head(200, { ...json, 'content-length': '1000' })
      await write('{"choices":')
      cut()
    },

  /** 200, and then something that is neither JSON nor an event of chat. */
  garbage:
    (): Script =>
    async ({ head, write, end, request }) => {
      head(200, request.body.stream === true ? eventStream : json)
      await write('data: \u0000<<<garbage>>>\n\n')
      end()
    },
  webPage:
    (): Script =>
    async ({ head, write, end }) => {
      head(200, { 'content-type': 'text/html' })
      await write('<html>Sign in</html>')
      end()
    },
  notHttp:
    (): Script =>
    ({ writeRaw }) =>
      writeRaw('SSH-2.0-OpenSSH_9.6\r\n\r\n'),

  withoutDone:
    (saying: Saying = {}): Script =>
    (conversation) =>
      answerChat(conversation, saying, false),
  /** A stream with exactly these data lines, and `[DONE]`. */
  events:
    (...data: string[]): Script =>
    (conversation) => {
      conversation.head(200, eventStream)
      return writeEvents(conversation, data, {})
    },
  /** Exactly these bytes, each in a write of its own. */
  writes:
    (...parts: (string | Buffer)[]): Script =>
    async ({ head, write, end }) => {
      head(200, eventStream)
      for (const part of parts) {
        await write(part)
        // Lets the part leave alone, so that the next one does not join it.
        await new Promise((resolve) => setImmediate(resolve))
      }
      end()
    },
  errorAfterFirstToken:
    (error: object = { message: 'The engine died', type: 'server_error', code: 500 }): Script =>
    async ({ head, write, end, request }) => {
      head(200, eventStream)
      const [role = '', token = ''] = chunksOf({}, request.body)
      await write(`data: ${role}\n\ndata: ${token}\n\ndata: ${JSON.stringify({ error })}\n\n`)
      end()
    },
  /** One token of so many characters. */
  largeEvent: (characters = 5_000_000) => script.answer({ words: ['x'.repeat(characters)] }),
  /** So many events of about 8 KB, as fast as they are taken. */
  flood:
    (events: number): Script =>
    async (conversation) => {
      const { head, write, end } = conversation
      const data = chunkOf([{ index: 0, delta: { content: 'x'.repeat(8000) }, finish_reason: null }])
      head(200, eventStream)
      for (let sent = 0; sent < events; sent++) if (!(await write(`data: ${data}\n\n`))) return
      await write('data: [DONE]\n\n')
      end()
    },
}
