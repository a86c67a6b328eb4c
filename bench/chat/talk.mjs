// What is asked and what is answered in the chat scenarios, so that the upstream and those who check it agree.
export const promptTokens = 211

const sentence = 'The quick brown fox jumps over the lazy dog while somebody counts every token that it says. '
const content = sentence.repeat(7).trim()

/** About 1 KB. */
export const chatAnswer = {
  id: 'chatcmpl-bench0000000000000000000000',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'bench-chat',
  choices: [
    { index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' },
  ],
  usage: {
    prompt_tokens: promptTokens,
    completion_tokens: 109,
    total_tokens: promptTokens + 109,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  },
  system_fingerprint: 'fp_bench',
}

/** Ids and details may be another's own; what was said and what it costs may not. */
export const chatExpected = {
  status: 200,
  contains: [`"${content}"`, `"total_tokens":${chatAnswer.usage.total_tokens}`],
}

const question = 'Explain in one paragraph why a service that sells tokens must count them exactly. '

/** About 1 KB, as small requests are. */
export const askChat = ({ baseUrl, headers, isStream }) => ({
  url: `${baseUrl}/chat/completions`,
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    ...(isStream && { accept: 'text/event-stream' }),
    ...headers,
  },
  body: JSON.stringify({
    model: 'bench-chat',
    messages: [
      { role: 'system', content: 'You are a terse assistant.' },
      { role: 'user', content: question.repeat(9) },
    ],
    temperature: 0.2,
    max_tokens: 128,
    ...(isStream ? { stream: true, stream_options: { include_usage: true } } : { stream: false }),
  }),
})
