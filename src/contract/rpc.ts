import { type Static, Type } from 'typebox'

/** docs/specification.md, GET /crypto/rpc/networks. */
export const RpcNetworks = Type.Object(
  {
    networks: Type.Array(Type.String(), {
      description: 'The values of {network} in POST /crypto/rpc/{network}, sorted',
      example: ['base-mainnet', 'ethereum-mainnet', 'solana-mainnet'],
    }),
  },
  { $id: 'RpcNetworks' },
)
export type RpcNetworks = Static<typeof RpcNetworks>

const Id = Type.Unsafe<string | number | null>({
  type: ['string', 'number', 'null'],
  description: 'Echoed exactly as it was sent. A call without one is a notification: it is dropped, and costs nothing',
})

/** Bodies are taken apart by hand, so that their bytes stay what they are; these are for people to read. */
export const RpcCall = Type.Object(
  {
    jsonrpc: Type.Optional(Type.Unsafe<'2.0'>({ type: 'string', enum: ['2.0'] })),
    method: Type.String({ minLength: 1, example: 'eth_blockNumber' }),
    params: Type.Optional(
      Type.Unsafe<unknown[] | object>({ type: ['array', 'object'], description: 'By name only on Starknet' }),
    ),
    id: Type.Optional(Id),
  },
  { $id: 'RpcCall' },
)

export const rpcBatchMax = 100

export const RpcRequest = Type.Unsafe<object>({
  $id: 'RpcRequest',
  anyOf: [{ $ref: 'RpcCall#' }, { type: 'array', items: { $ref: 'RpcCall#' }, minItems: 1, maxItems: rpcBatchMax }],
})

export const RpcAnswer = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Id,
    result: Type.Optional(Type.Unsafe<unknown>({ description: 'What the node answered, byte for byte' })),
    error: Type.Optional(
      Type.Object(
        { code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unsafe<unknown>({})) },
        { additionalProperties: true },
      ),
    ),
  },
  { $id: 'RpcAnswer' },
)

export const RpcReply = Type.Unsafe<object>({
  $id: 'RpcReply',
  anyOf: [{ $ref: 'RpcAnswer#' }, { type: 'array', items: { $ref: 'RpcAnswer#' } }],
})

export const rpcSchemas = [RpcNetworks, RpcCall, RpcRequest, RpcAnswer, RpcReply]
