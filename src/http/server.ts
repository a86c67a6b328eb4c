import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import compress from '@fastify/compress'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { ApiKeyRecord } from '#contract/api-keys.js'
import { ChatCompletion, ChatRequest } from '#contract/chat.js'
import { CompatError, DetailedError, StandardError } from '#contract/common.js'
import { CompletionRequest, TextCompletion } from '#contract/completions.js'
import { EmbeddingList, EmbeddingRequest } from '#contract/embeddings.js'
import { type Failure, fail } from '#contract/errors.js'
import { imageSchemas } from '#contract/images.js'
import { CountTokensRequest, MessagesAnswer, MessagesError, MessagesRequest, TokenCount } from '#contract/messages.js'
import { Model } from '#contract/models.js'
import { ResponsesAnswer, ResponsesRequest } from '#contract/responses.js'
import { rpcSchemas } from '#contract/rpc.js'
import { x402Schemas } from '#contract/x402.js'
import type { Authenticate } from '#guard/authenticate.js'
import type { WalletDoor } from '#guard/wallet-door.js'
import type { BalanceReader } from '#ledger/credit/balance-reader.js'
import type { Others } from '#limits/others.js'
import { newRequestId } from '#plumbing/ids.js'
import { guardRoutes } from './access.js'
import { type CommonHeaders, createCommonHeaders, failureHeaders } from './common-headers.js'
import { createExpressLane } from './express-lane.js'
import { createFailureAnswer } from './failures.js'
import { readJsonBodies } from './json-body.js'
import { answerOtherMethods } from './methods.js'
import { createObserver } from './observe.js'
import { describeInterface } from './openapi.js'
import { brotliQuality, compressFromBytes } from './paid.js'
import { createPaidLane, type HandedOver } from './paid-lane.js'
import type { PaymentRequired } from './payment-required.js'
import { createSerializers } from './serializers.js'
import type { Standings } from './tell-standing.js'
import { createValidators } from './validation.js'

type Needs = {
  version: string
  log: Logger
  /** Takes the line of each request; undefined where requests are not logged. */
  writeLine: ((line: string) => void) | undefined
  registry: Registry
  authenticate: Authenticate
  /** Undefined where wallets are not taken. */
  walletDoor: () => WalletDoor | undefined
  payments: PaymentRequired
  balances: BalanceReader
  others: Others
  standings: Standings
}

/** Named once in the OpenAPI document, and referred to. */
const textSchemas = [
  ChatRequest,
  ChatCompletion,
  CompletionRequest,
  TextCompletion,
  ResponsesRequest,
  ResponsesAnswer,
  MessagesRequest,
  MessagesAnswer,
  MessagesError,
  CountTokensRequest,
  TokenCount,
  EmbeddingRequest,
  EmbeddingList,
]

export type Server = Awaited<ReturnType<typeof createServer>>['app']

/** Longer than the idle time of the usual load balancers, so that they never write into a closing connection. */
const keepAliveTimeout = 75_000

/** Enough for every account route; routes that take pictures or sound set their own. */
const bodyBytesMax = 1024 * 1024

/**
 * The floor that every request walks on: common headers, errors in one shape, authentication, validation, compression,
 * logs and metrics. Routes are added by the caller, who then calls `finish`.
 */
export const createServer = async (needs: Needs) => {
  const { version, log, writeLine, registry, authenticate, balances, others } = needs
  const commonHeaders = createCommonHeaders(version)
  const observer = createObserver({ registry, writeLine })
  const lane = createExpressLane({ authenticate, balances, others, commonHeaders, observer })
  const handedOver = new WeakMap<IncomingMessage, HandedOver>()
  let answerUsually: RequestListener = () => {}
  const paidLane = createPaidLane({
    authenticate,
    commonHeaders,
    observer,
    handOver(request, response, why) {
      handedOver.set(request, why)
      answerUsually(request, response)
    },
  })
  const answerFailure = createFailureAnswer(log, needs.payments.complete)

  const app = Fastify({
    bodyLimit: bodyBytesMax,
    genReqId: (raw) => handedOver.get(raw as IncomingMessage)?.id ?? newRequestId(),
    // Ids are ours alone: bills are found by them, so a caller cannot choose one.
    requestIdHeader: false,
    serverFactory: (usualWay) => {
      answerUsually = usualWay
      return createHttpServer({ keepAliveTimeout }, (request, response) => {
        if (!lane.handle(request, response) && !paidLane.handle(request, response)) usualWay(request, response)
      })
    },
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    // The router can do this as well, but looks at every request as if it had them.
    rewriteUrl: ({ url = '/' }) => (url.includes('//') ? singleSlashes(url) : url),
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders.record(request.id, request.headers))
      answerFailure(error, request, reply)
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, commonHeaders),
  }).withTypeProvider<TypeBoxTypeProvider>()

  const sharedSchemas = [
    StandardError,
    DetailedError,
    CompatError,
    ApiKeyRecord,
    Model,
    ...textSchemas,
    ...imageSchemas,
    ...x402Schemas,
    ...rpcSchemas,
  ]
  for (const schema of sharedSchemas) app.addSchema(schema)
  const validators = createValidators(sharedSchemas)
  app.setValidatorCompiler(validators.compiler)
  app.setSerializerCompiler(createSerializers(sharedSchemas))
  app.setErrorHandler(answerFailure)
  app.setNotFoundHandler((request) => {
    throw fail('notFound', request.method, request.url.split('?', 1)[0]?.slice(0, 200) ?? '')
  })

  app.addHook('onRequest', (request, reply, done) => {
    const { id, method, routeOptions } = request
    const handed = handedOver.get(request.raw)
    // Who hands over watches it already: perhaps its caller has left meanwhile, and is counted.
    if (handed === undefined)
      observer.watch({
        response: reply.raw,
        requestId: id,
        method,
        route: routeOptions.url ?? 'unknown',
        startedMs: performance.now(),
        keyId: () => request.caller?.keyId ?? undefined,
      })
    reply.headers(commonHeaders.record(id, request.headers))
    const { requestIdHeader } = routeOptions.config
    if (requestIdHeader !== undefined) reply.header(requestIdHeader, id)
    if (handed === undefined) return done()
    request.caller = handed.caller
    done(handed.error as Error)
  })
  app.addHook('preClose', (done) => {
    lane.close()
    paidLane.close()
    done()
  })
  guardRoutes(app, needs)
  readJsonBodies(app)
  const answerRest = answerOtherMethods(app)
  await app.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: compressFromBytes,
    // Event streams must leave chunk by chunk; a compressor would hold them back.
    customTypes: /^(?!text\/event-stream)(text\/|application\/(json|[\w.+-]+\+json|javascript))/,
    brotliOptions: brotliQuality,
  })
  await describeInterface(app, version)
  return { app, lane, paidLane, finish: answerRest, warmUp: validators.warmUp }
}

/** Doubled slashes in the path are a slip; behind the question mark they may mean something. */
const singleSlashes = (url: string): string => {
  const [path = '', ...query] = url.split('?')
  return [path.replace(/\/{2,}/g, '/'), ...query].join('?')
}

/** Bytes that Node could not read as HTTP never become a request, but get the same kind of answer. */
const answerUnreadable = (error: NodeJS.ErrnoException, socket: Socket, commonHeaders: CommonHeaders) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const failure = unreadable(error.code)
  const body = JSON.stringify({ error: failure.message, code: failure.code })
  const headers: Record<string, string> = {
    date: new Date().toUTCString(),
    ...commonHeaders.record(newRequestId(), {}),
    ...failureHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${failure.status} Refused\r\n${lines.join('')}\r\n${body}`)
}

const unreadable = (code: string | undefined): Failure => {
  if (code === 'HPE_HEADER_OVERFLOW') return fail('headersTooLarge')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fail('requestTimeout')
  return fail('invalidRequest', 'This is not a readable HTTP/1.1 request')
}
