import type { Binding, Catalog, CatalogModel } from '#catalog/catalog.js'
import type { OperatorConfig } from '#catalog/config/config-file.js'
import type { ModelType } from '#contract/models.js'
import { messageOf } from '#plumbing/message-of.js'
import { createEngines } from '../service/engines.js'

type Needs = { config: OperatorConfig; catalog: Catalog; modelFile: (name: string) => string | undefined }
type Check = { check: string; ok: boolean; detail: string }
type Ask = { model: CatalogModel; binding: Binding }

const patienceMs = 30_000
/** A backend may have to load its model first. */
const picturePatienceMs = 120_000

const checkedTypes: readonly ModelType[] = ['text', 'embedding', 'image', 'inpaint', 'upscale']
/** A size that every backend knows. */
const side = 1024
const smallSide = 256

/** Models for pictures inside this process differ in what they are asked, not in what runs; one of each engine tells. */
const isFirstOfEngine = ({ model, binding }: Ask, index: number, asks: readonly Ask[]): boolean => {
  if (model.type !== 'inpaint' || binding.kind !== 'embedded') return true
  const isSame = (other: Ask) =>
    other.model.type === model.type && other.binding.kind === 'embedded' && other.binding.engine === binding.engine
  return asks.findIndex(isSame) === index
}

/** Asks every engine of every model for the least that it can do: one word, one vector, or one picture. */
export const checkEngines = async ({ config, catalog, modelFile }: Needs): Promise<Check[]> => {
  const engines = createEngines({ config: () => config, modelFile, onTrouble: () => {} })
  const asks = checkedTypes
    .flatMap((type) => catalog.list(type))
    .map(({ id }) => catalog.use(id).model)
    .flatMap((model) => model.bindings.map((binding) => ({ model, binding })))
    .filter(isFirstOfEngine)

  const askForPicture = async ({ model: { type }, binding }: Ask) => {
    const engine = engines.image(binding)
    const call = { model: binding.model, signal: AbortSignal.timeout(picturePatienceMs) }
    const output = { width: side, height: side, format: 'png', seed: 1 } as const
    if (type === 'image') return engine?.generate?.({ ...call, ...output, prompt: 'a red ball', count: 1 })
    const image = { bytes: await plainPicture(), width: smallSide, height: smallSide }
    if (type === 'inpaint')
      return engine?.edit?.({ ...call, ...output, prompt: 'make it brighter', images: [image], hasFixedShape: true })
    return engine?.upscale?.({ ...call, image, width: 2 * smallSide, height: 2 * smallSide, creativity: 0.01 })
  }
  const ask = async ({ model, binding }: Ask): Promise<unknown> => {
    const call = { model: binding.model, signal: AbortSignal.timeout(patienceMs) }
    if (model.type === 'embedding') return engines.embedding(binding)?.embed({ ...call, texts: ['Hi'] })
    if (model.type !== 'text') return askForPicture({ model, binding })
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    return engines.text(binding)?.answer({ ...call, request: { messages, max_completion_tokens: 1 } })
  }
  const check = async (asked: Ask): Promise<Check> => {
    const { model, binding } = asked
    const engine = binding.kind === 'upstream' ? binding.upstream : `${binding.engine} (embedded)`
    const name = `${model.id} answers through ${engine}`
    const startedMs = performance.now()
    try {
      const answer = await ask(asked)
      if (answer === undefined)
        return { check: name, ok: false, detail: `it does nothing for models of type ${model.type}` }
      return { check: name, ok: true, detail: `${Math.round(performance.now() - startedMs)} ms` }
    } catch (error) {
      return { check: name, ok: false, detail: messageOf(error) }
    }
  }
  // One after the other: the models inside this process share its cores.
  const checks: Check[] = []
  for (const asked of asks) checks.push(await check(asked))
  await engines.close()
  return checks
}

const plainPicture = async (): Promise<Uint8Array> => {
  const { sharp } = await import('#engines/pixels/sharp.js')
  const create = { width: smallSide, height: smallSide, channels: 3, background: '#806040' } as const
  return sharp({ create }).png().toBuffer()
}
