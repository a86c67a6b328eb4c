import { readBuiltin } from '#catalog/builtin.js'
import { type Catalog, type CatalogModelOfType, createCatalog } from '#catalog/catalog.js'
import { parseConfig } from '#catalog/config/config-file.js'

/** A catalog with one text model, `it`, written as the config file writes it on one line. */
export const textCatalog = (fields: string): Catalog =>
  createCatalog({
    config: parseConfig(
      `upstreams: { house: { kind: openai, baseUrl: "http://127.0.0.1" } }
models: [{ id: it, type: text, engine: { upstream: house }, ${fields} }]`,
      { file: 'tessera.yaml', env: {} },
    ),
    builtin: readBuiltin(),
    clock: { nowMs: () => 0 },
    engines: new Set(),
    createdDefault: 0,
  })

export const textModel = (fields: string): CatalogModelOfType<'text'> => textCatalog(fields).use('it', 'text').model
