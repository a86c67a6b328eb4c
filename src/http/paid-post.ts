import type { FastifyContextConfig } from 'fastify'
import type { TSchema } from 'typebox'
import type { ChooseModel, ChosenModel } from '#capabilities/model-choice.js'
import type { ModelType } from '#contract/models.js'
import type { Budgets } from '#limits/budgets.js'
import { type Exchange, exchangeOf } from './exchange.js'
import { modelNamed } from './model-named.js'
import type { Server } from './server.js'
import { uploadBytesMax } from './uploads/upload-bodies.js'

type Needs = { chooseModel: ChooseModel; budgets: Budgets }

type PaidRoute<T extends ModelType> = {
  modelType: T
  config?: Omit<FastifyContextConfig, 'access' | 'isPaid' | 'modelType'>
  /** Which model a body means, where that is not simply its `model`. */
  nameOf?: (body: unknown) => string
  schema: { tags: string[]; summary: string; body: TSchema; response: object }
  answer(exchange: Exchange, chosen: ChosenModel<T>): Promise<void>
}

/** A file of 25 MB takes a third more in base64, and there may be several. */
export const bodyBytesMax = 64 * 1024 * 1024

/**
 * Declares a paid route that takes a body with the name of a model. What answers it knows the model and the `Exchange`, and
 * nothing of the framework. Callers who have failed with the model too often do not get that far.
 */
export const createPaidPost =
  (app: Server, { chooseModel, budgets }: Needs) =>
  <T extends ModelType>(path: string, { modelType, config = {}, nameOf, schema, answer }: PaidRoute<T>) =>
    app.post(
      path,
      {
        config: { ...config, access: 'key', isPaid: true, modelType, ...(nameOf && { modelNameOf: nameOf }) },
        bodyLimit: config.takesForms ? uploadBytesMax : bodyBytesMax,
        // Answers are finished bytes, so no serialiser is built for them.
        serializerCompiler: () => JSON.stringify,
        schema,
      },
      (request, reply) => {
        const exchange = exchangeOf(request, reply)
        const name = nameOf ? nameOf(exchange.body) : modelNamed(exchange.body, modelType)
        if (name === undefined) throw new Error('the schema of a paid body must ask for a model')
        const chosen = chooseModel(exchange.caller, name, modelType)
        return budgets.watch(exchange.caller, chosen.model.id, () => answer(exchange, chosen))
      },
    )

export type PaidPost = ReturnType<typeof createPaidPost>
