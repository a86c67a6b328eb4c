import fc from 'fast-check'
import type { Finished, Opening, Voice } from '#capabilities/text/dialect.js'
import { resolveParameters } from '#capabilities/text/service-parameters.js'
import type { ChatUsage } from '#contract/chat.js'
import type { AnswerChoice, ChoiceDelta, TextPiece } from '#engines/text.js'

/** Answers of engines, whole and in pieces, for the tests of dialects. */
export const opening: Opening = {
  requestId: '0123456789abcdef0123456789abcdef',
  model: 'acme-chat-5-1',
  created: 1_767_225_600,
  echo: resolveParameters({}, undefined),
  estimatePromptTokens: () => 77,
}

export const usage: ChatUsage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60, cache_creation_input_tokens: 10 },
  completion_tokens_details: { reasoning_tokens: 5 },
}

export const cost = { usd: 0.0125, diem: 0 }

export const choiceOf = (
  message: Partial<AnswerChoice['message']>,
  more: Partial<AnswerChoice> = {},
): AnswerChoice => ({
  index: 0,
  finish_reason: message.tool_calls?.length ? 'tool_calls' : 'stop',
  ...more,
  message: { role: 'assistant', content: null, ...message },
})

export const finishedWith = (...choices: AnswerChoice[]): Finished => ({ ...opening, choices, usage, cost })

export const pieceOf = (delta: ChoiceDelta, finish_reason: string | null = null): TextPiece => ({
  chunk: { choices: [{ index: 0, delta, finish_reason }] },
})

/** The pieces of a choice; `cut` decides where texts are cut. */
export const piecesOf = ({ message, finish_reason }: AnswerChoice, cut: (text: string) => string[]): TextPiece[] => {
  const deltas: ChoiceDelta[] = [
    { role: 'assistant', content: '' },
    ...cut(message.reasoning_content ?? '').map((text) => ({ reasoning_content: text })),
    ...(message.reasoning_details ?? []).map((detail) => ({ reasoning_details: [detail] })),
    ...(message.thought_signature ? [{ thought_signature: message.thought_signature }] : []),
    ...cut(message.content ?? '').map((content) => ({ content })),
    ...(message.tool_calls ?? []).flatMap(({ id, type, function: called }, index) => [
      { tool_calls: [{ index, id, type, function: { name: called.name, arguments: '' } }] },
      ...cut(called.arguments).map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })),
    ]),
  ]
  return [...deltas.map((delta) => pieceOf(delta)), pieceOf({}, finish_reason)]
}

/** The whole text of a stream. */
export const speak = (voice: Voice, pieces: TextPiece[]): string =>
  pieces.map((piece) => voice.piece(piece)).join('') + voice.end({ usage, cost })

/** The stream as an SDK gets it, cut into chunks of bytes that respect nothing. */
export const eventStream = (text: string): Response => {
  const bytes = new TextEncoder().encode(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / 61) }, (_, index) =>
    bytes.slice(index * 61, index * 61 + 61),
  )
  return new Response(ReadableStream.from(chunks) as unknown as ReadableStream<Uint8Array>, {
    headers: { 'content-type': 'text/event-stream' },
  })
}

export type StreamEvent = { event: string | undefined; data: Record<string, unknown> }

/** The events of a stream whose data is JSON. */
export const eventsIn = (text: string): StreamEvent[] =>
  text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => ({
      event: /^event: (.*)$/m.exec(block)?.[1],
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null'),
    }))

const anyText = fc.string({ unit: 'grapheme', maxLength: 30 })

/** No fractions: the parser of partial JSON in one of the SDKs reads 5e-7 as 57. */
const anyInput = fc.dictionary(
  fc.string(),
  fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string(), { maxLength: 3 })),
  { maxKeys: 4 },
)

/** Any answer with reasoning, text and calls, each of which may be missing. */
export const anyChoice: fc.Arbitrary<AnswerChoice> = fc
  .record({
    reasoning_content: anyText,
    signature: fc.constantFrom('', 'c2lnbmF0dXJl'),
    redacted: fc.constantFrom('', 'cmVkYWN0ZWQ='),
    thoughtSignature: fc.constantFrom(undefined, 'dGhvdWdodA=='),
    content: anyText,
    calls: fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), anyInput), { maxLength: 3 }),
    finish: fc.constantFrom('stop', 'length', 'content_filter'),
  })
  .map(({ reasoning_content, signature, redacted, thoughtSignature, content, calls, finish }) => {
    const details = [
      ...(signature && reasoning_content ? [{ type: 'thinking', text: reasoning_content, data: signature }] : []),
      ...(redacted ? [{ type: 'redacted_thinking', data: redacted }] : []),
    ]
    return choiceOf(
      {
        content: content || null,
        reasoning_content: reasoning_content || null,
        reasoning_details: details,
        ...(thoughtSignature !== undefined && { thought_signature: thoughtSignature }),
        tool_calls: calls.map(([name, input], index) => ({
          id: `call_${index}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        })),
      },
      { finish_reason: calls.length > 0 ? 'tool_calls' : finish },
    )
  })

/** Any way to cut a text; the pieces are never empty. */
export const anyCut: fc.Arbitrary<(text: string) => string[]> = fc
  .infiniteStream(fc.integer({ min: 1, max: 9 }))
  .map((sizes) => (text) => {
    const pieces: string[] = []
    for (let at = 0; at < text.length; ) {
      const size = sizes.next().value as number
      pieces.push(text.slice(at, at + size))
      at += size
    }
    return pieces
  })
