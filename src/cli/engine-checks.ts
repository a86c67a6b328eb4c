import type { Binding, Catalog, CatalogModel } from '#catalog/catalog.js'
import type { OperatorConfig } from '#catalog/config/config-file.js'
import { messageOf } from '#plumbing/message-of.js'
import { createEngines } from '../service/engines.js'

type Needs = { config: OperatorConfig; catalog: Catalog; modelFile: (name: string) => string | undefined }
type Check = { check: string; ok: boolean; detail: string }

const patienceMs = 30_000

/** Asks every engine of every model for the least that it can do: one word, or one vector. */
export const checkEngines = async ({ config, catalog, modelFile }: Needs): Promise<Check[]> => {
  const engines = createEngines({ config: () => config, modelFile, onTrouble: () => {} })
  const asks = [...catalog.list('text'), ...catalog.list('embedding')]
    .map(({ id }) => catalog.use(id).model)
    .flatMap((model) => model.bindings.map((binding) => ({ model, binding })))
  const ask = async (model: CatalogModel, binding: Binding) => {
    const call = { model: binding.model, signal: AbortSignal.timeout(patienceMs) }
    if (model.type === 'text') {
      const messages = [{ role: 'user' as const, content: 'Hi' }]
      await engines.text(binding)?.answer({ ...call, request: { messages, max_completion_tokens: 1 } })
    } else await engines.embedding(binding)?.embed({ ...call, texts: ['Hi'] })
  }
  const check = async (model: CatalogModel, binding: Binding): Promise<Check> => {
    const engine = binding.kind === 'upstream' ? binding.upstream : `${binding.engine} (embedded)`
    const name = `${model.id} answers through ${engine}`
    const startedMs = performance.now()
    try {
      await ask(model, binding)
      return { check: name, ok: true, detail: `${Math.round(performance.now() - startedMs)} ms` }
    } catch (error) {
      return { check: name, ok: false, detail: messageOf(error) }
    }
  }
  // One after the other: the models inside this process share its cores.
  const checks: Check[] = []
  for (const { model, binding } of asks) checks.push(await check(model, binding))
  await engines.close()
  return checks
}
