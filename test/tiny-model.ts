import assert from 'node:assert/strict'
import type { ChatMessage } from '#contract/text-parts.js'
import { createLlamaEngine } from '#engines/llama/engine.js'
import type { EngineRequest, TextCall, TextPiece } from '#engines/text.js'

/** The model that ships with the service, to be asked without the rest of it. Ends with the test. */
export const openTinyModel = (
  test: { after(work: () => Promise<void>): void },
  modelFile = (name: string) => (name === 'absent' ? undefined : `models/${name}`),
) => {
  const engine = createLlamaEngine({ modelFile })
  test.after(() => engine.close())
  return {
    engine,
    ask: async (request: Partial<EngineRequest>) => {
      const { choices, usage } = await engine.text.answer(toCall(request))
      const [choice] = choices
      assert.ok(choice !== undefined && usage !== undefined)
      return { ...choice, text: choice.message.content ?? '', choices, usage }
    },
    collect: async (call: TextCall): Promise<TextPiece[]> => {
      const pieces: TextPiece[] = []
      for await (const some of engine.text.stream(call)) pieces.push(...some)
      return pieces
    },
  }
}

export const say = (content: string): ChatMessage[] => [{ role: 'user', content }]

export const toCall = (request: Partial<EngineRequest>, more: Partial<TextCall> = {}): TextCall => ({
  model: 'tessera-tiny-57m-q5.gguf',
  request: { messages: say('Hello!'), temperature: 0, max_completion_tokens: 80, ...request },
  signal: new AbortController().signal,
  ...more,
})

export const deltas = (pieces: TextPiece[]) => pieces.flatMap(({ chunk }) => chunk.choices)
