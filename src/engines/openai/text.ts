import type { ServerSentEvent } from '#plumbing/event-stream.js'
import { EngineError } from '../engine-error.js'
import type { TextCall, TextEngine, TextPiece } from '../text.js'
import type { UpstreamClient } from '../upstream/client.js'
import { isFailure, parseObject, readAnswer, readPiece } from './chunks.js'
import { createFamiliarChunks } from './familiar-chunk.js'
import { isOpenAi } from './is-openai.js'

type LimitField = 'max_tokens' | 'max_completion_tokens'

const isLast = ({ data }: ServerSentEvent) => data === '[DONE]'

/**
 * Text from anything that speaks like OpenAI: vLLM, SGLang, TGI, llama.cpp, Ollama, OpenAI itself.
 *
 * The limit of tokens has two names, and no name works everywhere. All these servers know `max_tokens`; Ollama, TGI and
 * older llama.cpp know nothing else. OpenAI's reasoning models know only `max_completion_tokens`, and OpenAI refuses
 * both together. So one is sent: the old name, except to OpenAI. `limitField` is for what stands in front of OpenAI.
 */
export const createOpenAiText = (
  client: UpstreamClient,
  { limitField = isOpenAi(client.host) ? 'max_completion_tokens' : 'max_tokens' }: { limitField?: LimitField } = {},
): TextEngine => {
  const bodyOf = ({ model, request, isLimitLoose }: TextCall, isStream: boolean): string => {
    const { max_completion_tokens, tools, ...rest } = request
    const body: Record<string, unknown> = { model, ...rest }
    // Null means "not set" to us, but not to every server; and several refuse an empty list of tools.
    for (const name in body) if (body[name] === null) delete body[name]
    if (tools && tools.length > 0) body.tools = tools
    if (!isLimitLoose) body[limitField] = max_completion_tokens
    body.stream = isStream
    if (isStream) body.stream_options = { include_usage: true }
    return JSON.stringify(body)
  }

  const readEvents = (
    events: ServerSentEvent[],
    familiar: ReturnType<typeof createFamiliarChunks>,
  ): { pieces: TextPiece[]; error?: unknown } => {
    const pieces: TextPiece[] = []
    try {
      for (const event of events) {
        if (isLast(event)) break
        const known = familiar.recognise(event.data)
        if (known !== undefined) {
          pieces.push(known)
          continue
        }
        const chunk = parseObject(event.data)
        if (isFailure(chunk)) throw client.errorFromEvent(chunk)
        const piece = readPiece(chunk, event.data)
        if (piece === undefined) continue
        familiar.learn(event.data, piece)
        pieces.push(piece)
      }
    } catch (error) {
      return { pieces, error }
    }
    return { pieces }
  }

  return {
    async answer(call) {
      const body = await client.postForJson('/chat/completions', bodyOf(call, false), { signal: call.signal })
      if (typeof body !== 'object' || body === null) throw new EngineError('broken', 'the upstream sent no object')
      const fields = body as Record<string, unknown>
      if (isFailure(fields)) throw client.errorFromEvent(fields)
      return readAnswer(fields)
    },

    async *stream(call) {
      const body = bodyOf(call, true)
      const familiar = createFamiliarChunks()
      for await (const events of client.postForEvents('/chat/completions', body, { signal: call.signal, isLast })) {
        const { pieces, error } = readEvents(events, familiar)
        // What came before the error was written, and somebody pays for it.
        if (pieces.length > 0) yield pieces
        if (error !== undefined) throw error
      }
    },
  }
}
