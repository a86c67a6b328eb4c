import type { Embed } from '#capabilities/embeddings/embed.js'
import type { ChooseModel } from '#capabilities/model-choice.js'
import { Shared } from '#contract/common.js'
import { EmbeddingList, EmbeddingRequest } from '#contract/embeddings.js'
import type { Metered } from '#ledger/metered.js'
import type { Budgets } from '#limits/budgets.js'
import { departureOf } from '../event-outlet.js'
import { answerPaid } from '../paid.js'
import type { PaidPost } from '../paid-post.js'
import { refused } from '../refused.js'

type Needs = { paidPost: PaidPost; metered: Metered; chooseModel: ChooseModel; budgets: Budgets; embed: Embed }

export const embeddingRoutes = ({ paidPost, metered, chooseModel, budgets, embed }: Needs) =>
  paidPost('/embeddings', {
    config: { modelType: 'embedding' },
    schema: {
      tags: ['Embeddings'],
      summary: 'Turn texts into vectors',
      body: Shared(EmbeddingRequest),
      response: { 200: Shared(EmbeddingList), 400: refused },
    },
    async answer(exchange) {
      const body = exchange.body as EmbeddingRequest
      const chosen = chooseModel(exchange.caller, body.model, 'embedding')
      return budgets.watch(exchange.caller, chosen.model.id, async () => {
        const prepared = embed.prepare(chosen, body)
        const signal = departureOf(exchange.response)
        await answerPaid(metered, exchange, prepared.order, (charge) => embed.run(prepared, charge, signal))
      })
    },
  })
