import type { Embed } from '#capabilities/embeddings/embed.js'
import { Shared } from '#contract/common.js'
import { EmbeddingList, EmbeddingRequest } from '#contract/embeddings.js'
import type { Metered } from '#ledger/metered.js'
import { departureOf } from '../event-outlet.js'
import { answerPaid } from '../paid.js'
import type { PaidPost } from '../paid-post.js'
import { refused } from '../refused.js'

type Needs = { paidPost: PaidPost; metered: Metered; embed: Embed }

export const embeddingRoutes = ({ paidPost, metered, embed }: Needs) =>
  paidPost('/embeddings', {
    modelType: 'embedding',
    schema: {
      tags: ['Embeddings'],
      summary: 'Turn texts into vectors',
      body: Shared(EmbeddingRequest),
      response: { 200: Shared(EmbeddingList), 400: refused },
    },
    async answer(exchange, chosen) {
      const prepared = embed.prepare(chosen, exchange.body as EmbeddingRequest)
      const signal = departureOf(exchange.response)
      await answerPaid(metered, exchange, prepared.order, (charge) => embed.run(prepared, charge, signal))
    },
  })
