import { modelNameIn } from '#capabilities/text/service-parameters.js'

/** The name of a model in a body that may be anything, without settings that may follow it. */
export const modelNamed = (body: unknown): string | undefined => {
  const named = (body as { model?: unknown } | null | undefined)?.model
  return typeof named === 'string' ? modelNameIn(named) : undefined
}
