import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Catalog } from '#catalog/catalog.js'
import { Shared, StandardError } from '#contract/common.js'
import {
  CompatibilityMapping,
  Model,
  ModelList,
  ModelListQuery,
  type ModelType,
  ModelTypeQuery,
  StyleList,
  TraitList,
} from '#contract/models.js'
import type { Clock } from '#plumbing/clock.js'
import type { ExpressLane } from '../express-lane.js'
import { type Prebuilt, prebuild, sendPrebuilt } from '../prebuilt.js'
import type { Server } from '../server.js'

/** Answers are sent as finished bytes, so no serialisers are built for these large schemas: that takes 0.2 s. */
const finished = { config: { access: 'readable' }, serializerCompiler: () => JSON.stringify } as const

type Needs = { catalog: () => Catalog; clock: Clock; lane: ExpressLane }

/** What we offer. Answers are built once per catalog and per name, and again when a model comes to its end. */
export const modelRoutes = (app: Server, { catalog, clock, lane }: Needs) => {
  let built = new Map<string, Prebuilt>()
  let builtFrom: Catalog | undefined
  let validUntilMs = 0
  const answer = (name: string, make: (catalog: Catalog) => unknown): Prebuilt => {
    const current = catalog()
    if (current !== builtFrom || clock.nowMs() >= validUntilMs) {
      built = new Map()
      builtFrom = current
      validUntilMs = current.nextChangeMs()
    }
    let prebuilt = built.get(name)
    if (!prebuilt) {
      prebuilt = prebuild(make(current))
      built.set(name, prebuilt)
    }
    return prebuilt
  }
  /** Sends an answer and lets the express lane give it from now on. */
  const send = (request: FastifyRequest, reply: FastifyReply, name: string, make: (catalog: Catalog) => unknown) => {
    const current = () => answer(name, make)
    sendPrebuilt(request, reply, current())
    lane.remember(request.raw.url ?? '', request.routeOptions.url ?? '', current)
  }

  app.get(
    '/models',
    {
      ...finished,
      schema: {
        tags: ['Models'],
        summary: 'List models with their abilities and prices',
        querystring: ModelListQuery,
        response: { 200: ModelList },
      },
    },
    (request, reply) => {
      const { type = 'text' } = request.query
      send(request, reply, `models ${type}`, (catalog) => ({ object: 'list', type, data: catalog.list(type) }))
    },
  )

  const byType = (
    path: string,
    summary: string,
    schema: typeof TraitList | typeof CompatibilityMapping,
    read: (catalog: Catalog, type: ModelType) => Record<string, string>,
  ) =>
    app.get(
      path,
      {
        ...finished,
        schema: {
          tags: ['Models'],
          summary,
          querystring: ModelTypeQuery,
          response: { 200: schema },
        },
      },
      (request, reply) => {
        const { type = 'text' } = request.query
        send(request, reply, `${path} ${type}`, (catalog) => ({ object: 'list', type, data: read(catalog, type) }))
      },
    )
  byType('/models/traits', 'Which model holds which trait', TraitList, (catalog, type) => catalog.traits(type))
  byType(
    '/models/compatibility_mapping',
    'Names of other services and what they mean here',
    CompatibilityMapping,
    (catalog, type) => catalog.compatibilityMapping(type),
  )

  app.get(
    // A wildcard, because ids may contain slashes.
    '/models/*',
    {
      ...finished,
      schema: {
        tags: ['Models'],
        summary: 'One model, by id, trait or alias',
        params: Type.Object({ '*': Type.String({ description: 'The id of the model' }) }),
        response: {
          200: Shared(Model),
          404: { description: 'There is no such model', ...Shared(StandardError) },
          410: { description: 'The model was retired; the text names its replacement', ...Shared(StandardError) },
        },
      },
    },
    (request, reply) => {
      const { model, headers } = catalog().use(request.params['*'])
      reply.headers(headers)
      return sendPrebuilt(request, reply, prebuild(model.record))
    },
  )

  app.get(
    '/image/styles',
    {
      ...finished,
      schema: { tags: ['Images'], summary: 'Style presets for images', response: { 200: StyleList } },
    },
    (request, reply) => send(request, reply, 'styles', (catalog) => ({ object: 'list', data: catalog.styles() })),
  )
}
