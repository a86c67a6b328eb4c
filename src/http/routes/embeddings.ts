import type { Embed } from '#capabilities/embeddings/embed.js'
import { Shared } from '#contract/common.js'
import { EmbeddingList, EmbeddingRequest } from '#contract/embeddings.js'
import type { Metered } from '#ledger/metered.js'
import { callerOf } from '../access.js'
import { departureOf } from '../event-outlet.js'
import { answerPaid } from '../paid.js'
import { refused } from '../refused.js'
import type { Server } from '../server.js'

/** 2,048 texts of 8,192 tokens each. */
const bodyBytesMax = 64 * 1024 * 1024

type Needs = { metered: Metered; embed: Embed }

export const embeddingRoutes = (app: Server, { metered, embed }: Needs) => {
  app.post(
    '/embeddings',
    {
      config: { access: 'key', isPaid: true },
      bodyLimit: bodyBytesMax,
      serializerCompiler: () => JSON.stringify,
      schema: {
        tags: ['Embeddings'],
        summary: 'Turn texts into vectors',
        body: Shared(EmbeddingRequest),
        response: { 200: Shared(EmbeddingList), 400: refused },
      },
    },
    async (request, reply) => {
      const prepared = embed.prepare(callerOf(request), request.body)
      const signal = departureOf(reply)
      await answerPaid(metered, request, reply, prepared.order, (charge) => embed.run(prepared, charge, signal))
    },
  )
}
