import { Type } from 'typebox'
import { type ApiKey, activeKeysMax } from '#accounts/api-keys.js'
import type { Keyring } from '#accounts/keyring.js'
import {
  ApiKeyAnswer,
  ApiKeyList,
  CreateApiKey,
  CreatedApiKey,
  DeletedApiKey,
  UpdateApiKey,
  UpdatedApiKey,
} from '#contract/api-keys.js'
import { Shared, StandardError } from '#contract/common.js'
import { fail, failField } from '#contract/errors.js'
import type { Usage } from '#ledger/usage/usage.js'
import type { Clock } from '#plumbing/clock.js'
import { callerOf } from '../access.js'
import { paginationHeaders } from '../common-headers.js'
import type { Server } from '../server.js'
import { createdKey, keyRecord, limitsFromRequest, newKeyFromRequest, readExpiry, usageRecord } from './key-payloads.js'

type Needs = { keyring: Keyring; usage: Usage; clock: Clock }

const admin = { access: 'admin' } as const
const tags = ['API Keys']
const notFound = { description: 'There is no such key', ...Shared(StandardError) }

export const apiKeyRoutes = (app: Server, { keyring, usage, clock }: Needs) => {
  const withUsage = async (accountId: string, keys: ApiKey[]) => {
    const usageOf = await usage.ofKeys(
      accountId,
      keys.map(({ id }) => id),
    )
    return keys.map((key) => ({ ...keyRecord(key), ...usageRecord(key, usageOf.get(key.id)!) }))
  }

  app.get(
    '/api_keys',
    {
      config: admin,
      schema: {
        tags,
        summary: 'List the active keys of the account',
        querystring: Type.Object({
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: activeKeysMax, default: activeKeysMax })),
          page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
        }),
        response: { 200: ApiKeyList },
      },
    },
    async (request, reply) => {
      const { limit = activeKeysMax, page = 1 } = request.query
      const { keys, total } = await keyring.list(callerOf(request).accountId, { limit, offset: (page - 1) * limit })
      reply.headers(paginationHeaders({ limit, page, total }))
      return { object: 'list' as const, data: await withUsage(callerOf(request).accountId, keys) }
    },
  )

  app.get(
    '/api_keys/:id',
    {
      config: admin,
      schema: {
        tags,
        summary: 'One key',
        params: Type.Object({ id: Type.String({ description: 'The id of the key' }) }),
        response: { 200: ApiKeyAnswer, 404: notFound },
      },
    },
    async (request) => {
      const { accountId } = callerOf(request)
      const [record] = await withUsage(accountId, [found(await keyring.find(accountId, request.params.id))])
      return { data: record! }
    },
  )

  app.post(
    '/api_keys',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Make a key',
        description:
          'The secret is in this answer and nowhere else. At most 500 keys are active, and 20 are made in a minute unless the operator allows more.',
        body: CreateApiKey,
        response: { 200: CreatedApiKey },
      },
    },
    async (request) => {
      const key = newKeyFromRequest(request.body, clock.nowMs())
      const { accountId } = callerOf(request)
      return createdKey(await keyring.create({ ...key, accountId, description: request.body.description }))
    },
  )

  app.patch(
    '/api_keys',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Change a key',
        description: 'Fields that are left out stay as they are.',
        body: UpdateApiKey,
        response: { 200: UpdatedApiKey },
      },
    },
    async (request) => {
      const { id, description, consumptionLimit, limitPeriod, modelPrivacy, expiresAt } = request.body
      const key = await keyring.update(callerOf(request).accountId, id, {
        ...(description !== undefined && { description }),
        ...(consumptionLimit !== undefined && { limits: limitsFromRequest(consumptionLimit) }),
        ...(limitPeriod !== undefined && { limitPeriod }),
        ...(modelPrivacy !== undefined && { modelPrivacy }),
        ...(expiresAt !== undefined && { expiresAt: readExpiry(expiresAt, clock.nowMs()) }),
      })
      return { success: true as const, data: keyRecord(key ?? unknownId()) }
    },
  )

  app.delete(
    '/api_keys',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Revoke a key',
        description: 'It stops working everywhere within a second.',
        querystring: Type.Object({ id: Type.String({ minLength: 1, description: 'The id of the key' }) }),
        response: { 200: DeletedApiKey },
      },
    },
    async (request) => {
      if (!(await keyring.revoke(callerOf(request).accountId, request.query.id))) unknownId()
      return { success: true }
    },
  )
}

const found = (key: ApiKey | undefined): ApiKey => {
  if (!key) throw fail('keyNotFound')
  return key
}

/** Where the id is a field of the request, a wrong one is a wrong field. */
const unknownId = (): never => {
  throw failField('id', 'does not name an active API key of your account')
}
