import type { LlamaGrammar, LlamaModel } from 'node-llama-cpp'
import { contextTokensMax } from './gguf-facts.js'
import type { Native } from './native.js'
import { makePlan } from './plan.js'
import { createPromptWriter } from './prompt.js'
import { createSequencePool } from './sequence-pool.js'
import { readThoughtTags, readToolSyntax } from './tool-syntax.js'

/** How many requests are worked on side by side; fewer when their contexts would need too much memory. */
const sequencesMax = 4
const contextBytesMax = 2 ** 30

/** Loads the weights, and everything else that requests for a model share. */
export const loadModel = async ({ library, llama, compileTemplate }: Native, path: string) => {
  const model = await llama.loadModel({ modelPath: path })
  try {
    const templateText = model.fileInfo.metadata.tokenizer.chat_template
    if (templateText === undefined) throw new Error('the file has no chat template')
    const contextTokens = Math.min(model.trainContextSize, contextTokensMax)
    const openPool = async (sequences: number) => {
      const context = await model.createContext({ contextSize: contextTokens, sequences })
      return createSequencePool(Array.from({ length: sequences }, () => context.getSequence()))
    }
    const pool = await openPool(await countSequences(model, contextTokens))
    let seededPool: ReturnType<typeof openPool> | undefined
    const wrapper = new library.JinjaTemplateChatWrapper({ template: templateText, tokenizer: model.tokenizer })
    const syntax = readToolSyntax(wrapper)
    const thought = readThoughtTags(wrapper)
    return {
      model,
      contextTokens,
      syntax,
      thought,
      pool,
      /**
       * For requests with a seed. Tokens that are worked on together change each other's last digits, and so, now and
       * then, a choice; here a request is alone, and gives the same text whatever else is going on.
       */
      seededPool: (): ReturnType<typeof openPool> => {
        seededPool ??= openPool(1).catch((error) => {
          seededPool = undefined
          throw error
        })
        return seededPool
      },
      writePrompt: createPromptWriter({
        model,
        template: compileTemplate(templateText),
        rendersTools: wrapper.usingJinjaFunctionCallTemplate,
        // A template that knows the tags belongs to a model that thinks by itself.
        thinksWhenTold: thought?.open === '<think>' && !templateText.includes(thought.open),
        contextTokens,
      }),
      plan: (request: Parameters<typeof makePlan>[0]) =>
        makePlan(request, { syntax, compile: (grammar) => llama.createGrammar({ grammar }) }),
      startGrammar: (grammar: LlamaGrammar) => new library.LlamaGrammarEvaluationState({ model, grammar }),
      dispose: () => model.dispose(),
    }
  } catch (error) {
    await model.dispose()
    throw error
  }
}
export type LoadedModel = Awaited<ReturnType<typeof loadModel>>

const countSequences = async (model: LlamaModel, contextSize: number): Promise<number> => {
  for (let sequences = sequencesMax; sequences > 1; sequences--) {
    const needs = await model.fileInsights.estimateContextResourceRequirementsV2({
      contextSize,
      sequences,
      modelGpuLayers: model.gpuLayers,
    })
    if (needs.cpuRam + needs.gpuVram <= contextBytesMax) return sequences
  }
  return 1
}
