import type { Catalog, CatalogModelOfType } from '#catalog/catalog.js'
import { failField } from '#contract/errors.js'

export type EditKind = 'edit' | 'multi-edit'

const isFor = (kind: EditKind, { constraints, capabilities }: CatalogModelOfType<'inpaint'>) =>
  kind === 'edit' || (constraints.combineImages && capabilities.maxInputImages > 1)

/** The enumeration of `modelId`: the edit models in the order of the catalog. */
export const editModelIds = (catalog: Catalog, kind: EditKind): string[] =>
  catalog.list('inpaint').flatMap(({ id }) => {
    const model = catalog.model(id)
    return model?.type === 'inpaint' && isFor(kind, model) ? [id] : []
  })

type Named = { model?: string | undefined; modelId?: string | undefined }

/** Which model an edit means: `model`, or its former name `modelId`, or the first of the enumeration. */
export const editModelNamed = (catalog: Catalog, kind: EditKind, { model, modelId }: Named): string => {
  const ids = editModelIds(catalog, kind)
  if (modelId !== undefined && ids.length > 0 && !ids.includes(modelId) && modelId !== model)
    throw failField('modelId', `must be one of ${ids.join(', ')}`)
  if (model !== undefined && modelId !== undefined && model !== modelId)
    throw failField('modelId', 'must be the same as model, or left out')
  // Without any edit model the catalog says so when it is asked for its default.
  return model ?? modelId ?? ids.find((id) => catalog.model(id)?.offline === false) ?? ids[0] ?? 'default'
}
