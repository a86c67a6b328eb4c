import swagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { DetailedError, Shared, StandardError } from '#contract/common.js'
import { imageSchemas } from '#contract/images.js'
import { PaymentOffer, WalletPaymentRequired } from '#contract/x402.js'

/** Where the interface lives. Paths in the OpenAPI document are relative to it, as in the specification. */
export const basePath = '/api/v1'

/** Failures that follow from what a route is, so that no route has to repeat them. */
const usualFailures = (
  { access = 'open', isPaid = false, modelType, refusal }: FastifyContextConfig,
  hasBody: boolean,
  hasInput: boolean,
) => {
  const error = (description: string) => ({ description, ...Shared(refusal?.shape ?? StandardError) })
  const detailed = { description: 'The request is not valid; `issues` names field and rule', ...Shared(DetailedError) }
  return {
    ...(hasInput && { 400: refusal ? error('The request is not valid') : detailed }),
    ...(access !== 'open' && { 401: error('The credentials are missing or wrong') }),
    ...(access !== 'open' && {
      429: error(
        `A limit is reached${modelType ? ', or the model has too much to do' : ''}; retry after \`retry-after\``,
      ),
    }),
    ...(isPaid && {
      402: refusal
        ? error('The credit, or what the key may spend, is used up')
        : {
            description: 'The credit, or what the key may spend, is used up; wallets are told how to top up',
            anyOf: [Shared(StandardError), Shared(WalletPaymentRequired), Shared(PaymentOffer)],
          },
      409: error('The first request with this Idempotency-Key is still running'),
    }),
    ...(modelType && {
      403: error('The key may not use this model'),
      404: error('There is no such model'),
      410: error('The model was retired'),
      504: error('The model took too long'),
    }),
    ...(hasBody && {
      413: error('The body is too large'),
      415: error('The content type is not accepted'),
    }),
    500: error('Something went wrong on our side'),
    503: error('The service is not available; retry after `retry-after`'),
  }
}

const security = ({ access = 'open', isPaid = false, takesApiKeyHeader = false }: FastifyContextConfig) => {
  if (access === 'open') return []
  if (access === 'wallet') return [{ wallet: [] }]
  if (access === 'readable') return [{}, { bearer: [] }]
  return [{ bearer: [] }, ...(takesApiKeyHeader ? [{ apiKey: [] }] : []), ...(isPaid ? [{ wallet: [] }] : [])]
}

/** A body that may also come as a form, where pictures are files. */
const withForm = (json: { $ref: string }) => {
  const named = imageSchemas.find((schema) => `${(schema as { $id?: string }).$id}#` === json.$ref)
  if (!named) throw new Error(`the schema ${json.$ref} of a form is not known`)
  const { $id, ...form } = named as { $id?: string; properties: Record<string, Described> }
  const properties = Object.fromEntries(Object.entries(form.properties).map(([name, field]) => [name, inForm(field)]))
  return {
    content: { 'application/json': { schema: json }, 'multipart/form-data': { schema: { ...form, properties } } },
  }
}

type Described = { contentMediaType?: string; items?: Described; description?: string; type?: unknown }

const inForm = (field: Described): Described => {
  const { contentMediaType, items, description, ...rest } = field
  if (items?.contentMediaType && field.type === 'array')
    return { ...rest, items: inForm(items), ...(field.description && { description }) }
  return contentMediaType === undefined ? field : ({ type: 'string', format: 'binary', description } as Described)
}

/** Writes the names of models into the places that list them; they change with the catalog, schemas do not. */
export const withEnumerations = <T>(value: T, idsOf: (among: string) => string[]): T => {
  if (Array.isArray(value)) return value.map((item) => withEnumerations(item, idsOf)) as T
  if (typeof value !== 'object' || value === null) return value
  const { enumOf, ...rest } = value as { enumOf?: unknown }
  const filled = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, withEnumerations(inner, idsOf)]))
  if (typeof enumOf !== 'string') return filled as T
  const ids = idsOf(enumOf)
  return (ids.length > 0 ? { ...filled, enum: ids, default: ids[0] } : filled) as T
}

export const describeInterface = async (app: FastifyInstance, version: string) => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tessera',
        version,
        description:
          'Inference API: text, embeddings, images, audio, video. Clients of the OpenAI API work when their base URL and key are changed.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: basePath }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
          wallet: {
            type: 'apiKey',
            in: 'header',
            name: 'SIGN-IN-WITH-X',
            description: 'base64 of a signed EIP-4361 or Solana sign-in; see the guide about wallets',
          },
        },
      },
    },
    hideUntagged: true,
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `schema-${index}`) },
    transform: ({ schema, url, route }) => {
      const { takesForms = false } = route.config ?? {}
      const { response = {}, body, querystring, params } = schema ?? {}
      const usual = usualFailures(route.config ?? {}, body !== undefined, Boolean(body ?? querystring ?? params))
      const described = {
        ...schema,
        ...(takesForms && { body: withForm(body as { $ref: string }) }),
        security: security(route.config ?? {}),
        response: { ...usual, ...(response as object) },
      }
      // To the router the rest of a path is `*`; a reader wants to know what it is.
      const rest = (params as { properties?: Record<string, object> } | undefined)?.properties?.['*']
      return rest
        ? {
            url: url.replace('*', ':id'),
            schema: { ...described, params: { type: 'object', properties: { id: rest } } },
          }
        : { url, schema: described }
    },
  })
}
