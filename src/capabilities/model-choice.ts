import type { Caller } from '#accounts/caller.js'
import type { Catalog, CatalogModelOfType } from '#catalog/catalog.js'
import { fail } from '#contract/errors.js'
import type { ModelType } from '#contract/models.js'

/** A model that this caller may use now, and what every answer of it says about it. */
export type ChosenModel<T extends ModelType> = {
  model: CatalogModelOfType<T>
  headers: Record<string, string>
}

export type ChooseModel = <T extends ModelType>(caller: Caller, name: string, type: T) => ChosenModel<T>

/** Finds the model that a request names, and refuses one that is offline or that the caller's key must not use. */
export const createChooseModel =
  (catalog: () => Catalog): ChooseModel =>
  (caller, name, type) => {
    const { model, headers } = catalog().use(name, type)
    if (!isAllowed(caller, model)) throw fail('modelNotPrivate', model.id)
    if (model.offline) throw fail('modelOffline', model.id).withoutRetry()
    return {
      model: model as CatalogModelOfType<typeof type>,
      headers: { 'x-svc-model-id': model.id, 'x-svc-model-name': headerText(model.name), ...headers },
    }
  }

/** docs/specification.md, modelPrivacy: tee and e2ee models are private, too. */
const isAllowed = ({ modelPrivacy }: Caller, { type, privacy }: { type: ModelType; privacy: string }): boolean => {
  if (modelPrivacy === 'ALL' || privacy !== 'anonymized') return true
  return modelPrivacy === 'PRIVATE_TEXT' && type !== 'text' && type !== 'embedding'
}

/** Names may hold any character; headers may not. */
const headerText = (text: string) => (/^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text))
