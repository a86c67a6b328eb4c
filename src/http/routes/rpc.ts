import { Type } from 'typebox'
import { DetailedError, Shared, StandardError } from '#contract/common.js'
import { RpcNetworks, RpcReply, RpcRequest } from '#contract/rpc.js'
import { exchangeOf } from '../exchange.js'
import { jsonTypes } from '../json-body.js'
import { basePath } from '../openapi.js'
import type { PaidLane } from '../paid-lane.js'
import type { RpcAnswering } from '../rpc-reply.js'
import type { Server } from '../server.js'

type Needs = {
  lane: PaidLane
  networks: () => string[]
  answer: RpcAnswering
}

/** A hundred transactions with blobs are less. */
const bodyBytesMax = 10 * 1024 * 1024

const tags = ['Blockchain RPC']

const Text = (description: string) => ({ type: 'string', description })
const headers = {
  'X-Svc-RPC-Credits': Text('The credits that were charged'),
  'X-Svc-RPC-Cost-USD': Text('The same in USD, with 8 decimals'),
  'X-Svc-RPC-Cache': Text('HIT, MISS, or PARTIAL for a batch of which some were kept'),
  'Idempotent-Replayed': Text('`true` when this is the answer to an earlier request with the same Idempotency-Key'),
}

const limits = {
  'X-RateLimit-Limit': Text('How much may be used: requests in a minute, or credits in 24 hours'),
  'X-RateLimit-Remaining': Text('How much of it is left'),
  'X-RateLimit-Reset': Text('When there is more, in Unix seconds'),
}

export const rpcRoutes = (app: Server, { lane, networks, answer }: Needs) => {
  const prefix = `${basePath}/crypto/rpc/`
  lane.serve({ prefix, route: `${prefix}:network`, otherRoutes: ['networks'], answer })

  app.get(
    '/crypto/rpc/networks',
    {
      config: { access: 'open' },
      schema: { tags, summary: 'List the networks whose nodes can be called', response: { 200: Shared(RpcNetworks) } },
    },
    async () => ({ networks: networks() }),
  )

  void app.register(async (scope) => {
    // What is sent to a node, and what it answers, stays byte for byte what it is.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser<Buffer>(jsonTypes, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post(
      '/crypto/rpc/:network',
      {
        config: { access: 'key', isPaid: true, hasOwnLimits: true },
        bodyLimit: bodyBytesMax,
        validatorCompiler: () => () => true,
        serializerCompiler: () => JSON.stringify,
        schema: {
          tags,
          summary: 'Call a blockchain node',
          description:
            'One JSON-RPC call, or a batch of up to 100. Costs credits for each call: see the guide about blockchain RPC.',
          params: Type.Object({ network: Type.String({ description: 'As GET /crypto/rpc/networks lists them' }) }),
          headers: Type.Object({
            'idempotency-key': Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,255}$' })),
          }),
          body: Shared(RpcRequest),
          response: {
            200: { ...Shared(RpcReply), headers },
            204: { description: 'The request held only notifications: nothing was asked', type: 'null' },
            400: {
              description: 'The network, the body, a method or the Idempotency-Key is refused; nothing was run',
              anyOf: [Shared(DetailedError), Shared(StandardError)],
            },
            429: {
              description: 'A limit of calls of blockchain nodes is reached',
              ...Shared(StandardError),
              headers: limits,
            },
          },
        },
      },
      (request, reply) => {
        const { network } = request.params as { network: string }
        return answer(exchangeOf(request, reply), network)
      },
    )
  })
}
