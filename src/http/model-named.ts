import { modelNameIn } from '#capabilities/text/service-parameters.js'
import type { ModelType } from '#contract/models.js'

/** The name of a model in a body that may be anything, without the settings that may follow the name of a text model. */
export const modelNamed = (body: unknown, type: ModelType): string | undefined => {
  const named = (body as { model?: unknown } | null | undefined)?.model
  if (typeof named !== 'string') return undefined
  return type === 'text' ? modelNameIn(named) : named
}
