import { availableParallelism } from 'node:os'
import type { Llama } from 'node-llama-cpp'

/** Told about what no caller is told: why the native library could not load a model, or why one could not be unloaded. */
export type OnTrouble = (what: string, cause?: unknown) => void

export type ChatTemplate = { render(values: Record<string, unknown>): string }

export type Native = {
  library: typeof import('node-llama-cpp')
  llama: Llama
  compileTemplate(text: string): ChatTemplate
}

/**
 * Loads the native library. It costs half a second and 40 MB, so it is imported when the first request needs it and not
 * before. It never downloads or compiles anything.
 */
export const openNative = async (threads: number | undefined, onTrouble: OnTrouble): Promise<Native> => {
  const [library, { Template }] = await Promise.all([import('node-llama-cpp'), import('@huggingface/jinja')])
  const llama = await library.getLlama({
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    gpu: 'auto',
    // Its threads wait for each other by spinning. If they do not find a core each, they are many times slower than one
    // alone; so one core is left to the rest of the service, and there are never more threads than cores.
    maxThreads: Math.min(threads ?? Math.max(1, availableParallelism() - 1), availableParallelism()),
    logLevel: library.LlamaLogLevel.error,
    // What it says about grammars quotes them, and a grammar holds words of the caller.
    logger: (_level, message) => {
      if (/^(llama_(model|init|context|kv)|ggml|load_)/.test(message)) onTrouble(message.trim())
    },
  })
  return { library, llama, compileTemplate: (text) => new Template(text) }
}
