import type { FastifyContextConfig } from 'fastify'
import type { TSchema } from 'typebox'
import type { ModelType } from '#contract/models.js'
import { type Exchange, exchangeOf } from './exchange.js'
import type { Server } from './server.js'

type PaidRoute = {
  config: Omit<FastifyContextConfig, 'access' | 'isPaid'> & { modelType: ModelType }
  schema: { tags: string[]; summary: string; body: TSchema; response: object }
  answer(exchange: Exchange): Promise<void>
}

/** A file of 25 MB takes a third more in base64, and there may be several. */
export const bodyBytesMax = 64 * 1024 * 1024

/** Declares a paid route that takes JSON. What answers it knows the `Exchange`, and nothing of the framework. */
export const createPaidPost =
  (app: Server) =>
  (path: string, { config, schema, answer }: PaidRoute) =>
    app.post(
      path,
      {
        config: { ...config, access: 'key', isPaid: true },
        bodyLimit: bodyBytesMax,
        // Answers are finished bytes, so no serialiser is built for them.
        serializerCompiler: () => JSON.stringify,
        schema,
      },
      (request, reply) => answer(exchangeOf(request, reply)),
    )

export type PaidPost = ReturnType<typeof createPaidPost>
