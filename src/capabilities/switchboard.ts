import type { Binding, CatalogModel } from '#catalog/catalog.js'
import type { EmbeddingCall, EmbeddingEngine } from '#engines/embedding.js'
import type { CutOutCall, EditCall, GenerateCall, ImageEngine, Picture, UpscaleCall } from '#engines/image.js'
import type { Routed, Router } from '#engines/routing/router.js'
import type { Target } from '#engines/routing/target.js'
import type { TextCall, TextEngine } from '#engines/text.js'
import type { StopSignal } from '#plumbing/stop-signal.js'

/** Who runs what: from the bindings of a model in the catalog to engines that are asked. */
export type Engines = {
  /** Undefined when the engine of a binding does not write text. */
  text(binding: Binding): TextEngine | undefined
  embedding(binding: Binding): EmbeddingEngine | undefined
  image(binding: Binding): ImageEngine | undefined
}

type Skill<Call, Made> = (call: Call & { model: string }) => Promise<Made>

type Model = Pick<CatalogModel, 'bindings'>

/**
 * Connects requests with the engines of a model. Asking costs money, so the service hands it out only sealed: a request
 * opens it with its charge.
 */
export const createSwitchboard = ({ engines, router }: { engines: Engines; router: Router }) => {
  const targets = <Engine>({ bindings }: Model, engineOf: (binding: Binding) => Engine | undefined) =>
    bindings.flatMap((binding): Target<Engine>[] => {
      const engine = engineOf(binding)
      if (engine === undefined) return []
      const name = binding.kind === 'upstream' ? binding.upstream : binding.engine
      return [{ name, model: binding.model, weight: binding.weight, isLocal: binding.kind === 'embedded', engine }]
    })

  /** Asks an engine that has this skill with pictures. */
  const ask =
    <Call extends { signal: StopSignal }, Made>(skillOf: (engine: ImageEngine) => Skill<Call, Made> | undefined) =>
    (model: Model, call: Call): Promise<Routed<Made>> => {
      const able = targets(model, (binding) => {
        const engine = engines.image(binding)
        return engine && skillOf(engine)
      })
      return router.attempt(able, undefined, (target) => target.engine({ ...call, model: target.model }), call.signal)
    }

  return {
    generate: ask<Omit<GenerateCall, 'model'>, Picture[]>((engine) => engine.generate),
    edit: ask<Omit<EditCall, 'model'>, Picture>((engine) => engine.edit),
    upscale: ask<Omit<UpscaleCall, 'model'>, Picture>((engine) => engine.upscale),
    cutOut: ask<Omit<CutOutCall, 'model'>, Picture>((engine) => engine.cutOut),
    answer: (model: Model, call: Omit<TextCall, 'model'>) => router.answer(targets(model, engines.text), call),
    stream: (model: Model, call: Omit<TextCall, 'model'>) => router.stream(targets(model, engines.text), call),
    embed: (model: Model, call: Omit<EmbeddingCall, 'model'>) =>
      router.attempt(
        targets(model, engines.embedding),
        undefined,
        (target) => target.engine.embed({ ...call, model: target.model }),
        call.signal,
      ),
  }
}

export type Switchboard = ReturnType<typeof createSwitchboard>
