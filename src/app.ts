import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { createKeyring } from '#accounts/keyring.js'
import { createLastUsed } from '#accounts/last-used.js'
import { createWalletTokens } from '#accounts/wallet-keys/token.js'
import { createWalletKeys } from '#accounts/wallet-keys/wallet-keys.js'
import { createTextExtraction } from '#capabilities/documents/extract-text.js'
import { createEmbed } from '#capabilities/embeddings/embed.js'
import { createImages } from '#capabilities/images/images.js'
import { createChooseModel } from '#capabilities/model-choice.js'
import { createSwitchboard } from '#capabilities/switchboard.js'
import { createCountTokens } from '#capabilities/text/count-tokens.js'
import { createMediaPreparation } from '#capabilities/text/media/prepare-media.js'
import { createPrepare } from '#capabilities/text/prepare.js'
import { createWriteText } from '#capabilities/text/write-text.js'
import type { Catalog } from '#catalog/catalog.js'
import type { OperatorConfig } from '#catalog/config/config-file.js'
import { createRouter } from '#engines/routing/router.js'
import { createAuthenticate } from '#guard/authenticate.js'
import { createKeyCache } from '#guard/key-cache.js'
import { serveDocs } from '#http/docs.js'
import { basePath } from '#http/openapi.js'
import { createPaidPost } from '#http/paid-post.js'
import { createPaymentRequired } from '#http/payment-required.js'
import { apiKeyRoutes } from '#http/routes/api-keys.js'
import { billingRoutes } from '#http/routes/billing.js'
import { embeddingRoutes } from '#http/routes/embeddings.js'
import { imageRoutes } from '#http/routes/images.js'
import { modelRoutes } from '#http/routes/models.js'
import { operationRoutes } from '#http/routes/operations.js'
import { rateLimitRoutes } from '#http/routes/rate-limits.js'
import { rpcRoutes } from '#http/routes/rpc.js'
import { textRoutes } from '#http/routes/text.js'
import { walletKeyRoutes } from '#http/routes/wallet-keys.js'
import { x402Routes } from '#http/routes/x402.js'
import { createRpcAnswering } from '#http/rpc-reply.js'
import { createServer, type Server } from '#http/server.js'
import { createStandings } from '#http/tell-standing.js'
import { createTextReply } from '#http/text-reply.js'
import { readUploads } from '#http/uploads/upload-bodies.js'
import { Sealed } from '#ledger/charge.js'
import { createBalanceReader } from '#ledger/credit/balance-reader.js'
import { createLedger } from '#ledger/ledger.js'
import { createMetered, type Metered } from '#ledger/metered.js'
import { createLedgerMetrics } from '#ledger/metrics.js'
import { createTabs } from '#ledger/tabs.js'
import { createUsage } from '#ledger/usage/usage.js'
import { createBudgets } from '#limits/budgets.js'
import { createFailureNews } from '#limits/failure-news.js'
import { createLimits, type Limited } from '#limits/limits.js'
import { createLimitMetrics } from '#limits/metrics.js'
import { createOthers } from '#limits/others.js'
import { createRefusalLog } from '#limits/refusal-log.js'
import { createLastingTally } from '#limits/rpc/lasting-tally.js'
import { createRpcLimits } from '#limits/rpc/rpc-limits.js'
import { createSharedTally } from '#limits/rpc/shared-tally.js'
import { type LimitType, limitTypeOf } from '#limits/standing.js'
import type { Clock } from '#plumbing/clock.js'
import { createGuardedFetch } from '#plumbing/guarded-fetch/guarded-fetch.js'
import { messageOf } from '#plumbing/message-of.js'
import { createAnnouncements } from '#store/announcements.js'
import { createDatabase } from '#store/sql.js'
import { createEngines } from './service/engines.js'
import { createRpcService } from './service/rpc.js'
import { createWallets } from './service/wallets.js'

type Needs = {
  connection: ClientConfig
  /** Where models that run in this process lie, by their name in the catalog. */
  modelFile: (name: string) => string | undefined
  /** Threads for such models; all cores but one unless given. */
  modelThreads?: number | undefined
  /** What the operator configured and the catalog made of it; both may change while we run. */
  offer: () => { config: OperatorConfig; catalog: Catalog }
  /** Where clients reach us; port 0 stands for the one that we get. */
  publicUrl: string
  version: string
  clock: Clock
  log: Logger
  /** Takes the line of each request; undefined where requests are not logged. */
  writeLine?: ((line: string) => void) | undefined
  /** Fewer where many processes share one database. */
  connectionsMax?: number
  /** Other processes serve from the same database, so limits are counted there. */
  sharesLimits?: boolean
  /** How long a hold outlives the process that took it; see createLedger. */
  holdMs?: number
  /** The same for a payment. */
  paymentLeaseMs?: number
  /** More routes under the base path: a test adds one that charges without an engine. */
  moreRoutes?: (server: Server, parts: { metered: Metered; clock: Clock }) => void
  /** All workers' metrics where there are several; this process's own otherwise. */
  metrics?: () => Promise<string>
  /** Compiles all schemas once it listens, before they are needed; a test needs few of them. */
  warmsUp?: boolean
}

/** Builds a whole service from its parts. This is the map: every part is made here and given what it needs. */
export const createApp = async ({
  connection,
  modelFile,
  modelThreads,
  offer,
  publicUrl,
  version,
  clock,
  log,
  writeLine,
  connectionsMax = 10,
  sharesLimits = false,
  holdMs,
  paymentLeaseMs,
  moreRoutes,
  metrics,
  warmsUp = true,
}: Needs) => {
  const registry = new Registry()
  const database = createDatabase(connection, { connectionsMax })
  const { sql } = database
  const announcements = createAnnouncements({ connection })
  const lastUsed = createLastUsed(sql)
  const authenticate = createAuthenticate({ cache: createKeyCache({ sql, announcements }), lastUsed, clock })
  const balances = createBalanceReader({ sql, clock, announcements })
  const catalog = () => offer().catalog

  let reachedAt = publicUrl
  const config = () => offer().config
  const wallets = createWallets({
    sql,
    clock,
    config,
    publicUrl: () => reachedAt,
    registry,
    log,
    leaseMs: paymentLeaseMs,
  })
  const paymentRequired = createPaymentRequired(wallets.terms)

  const limits = createLimits({ catalog, clock })
  const limitMetrics = createLimitMetrics(registry)
  const refusals = createRefusalLog({ sql, clock, onLost: limitMetrics.onLost })
  const noteRefusal = (who: Limited, modelId: string, type: LimitType, scope = 'api_key') => {
    limitMetrics.onRefused(type, scope)
    refusals.note(who, modelId, type)
  }
  let warnedMs = Number.NEGATIVE_INFINITY
  const onLimitTrouble = (reason: string) => {
    limitMetrics.onTrouble()
    // Every request may have this trouble; the log need not hear it from each.
    if (performance.now() - warnedMs < 10_000) return
    warnedMs = performance.now()
    log.warn({ reason }, 'rate limits cannot be counted; requests are let in without')
  }
  const others = createOthers({
    limits,
    clock,
    onLimited: (who, refusal) => noteRefusal(who, '', limitTypeOf(refusal)),
  })
  const news = sharesLimits ? createFailureNews({ sql, announcements }) : undefined
  const budgets = createBudgets({
    budget: () => catalog().limits().errorBudget,
    clock,
    onUsedUp: noteRefusal,
    announce: news?.announce,
  })
  news?.onNews(budgets.hear)

  const ledgerMetrics = createLedgerMetrics(registry)
  const ledger = createLedger({
    connection,
    clock,
    ...ledgerMetrics,
    sharesLimits,
    onLimitTrouble,
    ...(holdMs !== undefined && { holdMs }),
    onSweepFailed: (error) => log.warn({ reason: messageOf(error) }, 'holds could not be swept; trying again'),
  })
  const metered = createMetered({
    ledger,
    sql,
    clock,
    countOf: limits.countOf,
    walletMinimum: () => wallets.terms()?.minimumBalanceNanos ?? 0n,
    onLimited: (who, modelId, refusal) => noteRefusal(who, modelId, limitTypeOf(refusal), refusal.reading.limit.scope),
    onLimitTrouble,
    onShortfall: (requestId) => {
      ledgerMetrics.onShortfall()
      log.error({ requestId }, 'a request used more than was held for it; the rest is lost')
    },
    onReleaseFailed: (requestId, error) =>
      log.warn({ requestId, reason: messageOf(error) }, 'a hold could not be released; it expires by itself'),
  })
  const keyring = createKeyring({
    sql,
    clock,
    creationsPerMinuteMax: () => catalog().limits().keyCreationsPerMinute,
  })
  const walletKeys = createWalletKeys({
    tokens: createWalletTokens({ sql, clock }),
    keyring,
    staking: () => config().staking,
  })

  const usage = createUsage({ sql, clock })
  const engines = createEngines({
    config,
    modelFile,
    modelThreads,
    onTrouble: (what, cause) => log.warn({ reason: cause === undefined ? undefined : messageOf(cause) }, what),
  })
  const router = createRouter({
    onTrouble: (target, { trouble, message }) => log.warn({ target, trouble, reason: message }, 'an engine failed'),
  })
  // From here on, nobody reaches an engine without a charge.
  const switchboard = Sealed.seal(createSwitchboard({ engines, router }))
  const guardedFetch = createGuardedFetch()
  const prepareMedia = createMediaPreparation({
    guardedFetch,
    extractText: createTextExtraction(),
  })
  const chooseModel = createChooseModel(catalog)
  const textReply = createTextReply({
    metered,
    budgets,
    prepare: createPrepare({ catalog, prepareMedia }),
    writeText: createWriteText({ metered, switchboard, clock }),
    log,
  })
  const embed = createEmbed({ switchboard })
  const images = createImages({
    ...{ catalog, switchboard, guardedFetch, pixels: engines.pixels, safety: engines.safety },
    onTrouble: (what, cause) => log.warn({ reason: messageOf(cause) }, what),
  })

  const chainCalls = createRpcService({ config, sql, clock, registry, log })
  const lastingTally = sharesLimits
    ? undefined
    : createLastingTally({
        sql,
        onWriteFailed: (error) =>
          log.warn({ reason: messageOf(error) }, 'used RPC credits could not be written down; trying again'),
      })
  const rpcLimits = createRpcLimits({
    tally: lastingTally ?? createSharedTally(sql),
    allowanceOf: chainCalls.allowanceOf,
    clock,
    onLimited: (who, unit) => noteRefusal(who, '', unit === 'requests' ? 'RPM' : 'RPD'),
    onTrouble: onLimitTrouble,
  })

  let isDraining = false
  const readiness = async () => ({
    accepting: !isDraining,
    database: await sql`select 1`.then(
      () => true,
      () => false,
    ),
  })

  const { app, lane, paidLane, finish, warmUp } = await createServer({
    version,
    log,
    writeLine,
    registry,
    authenticate,
    walletDoor: wallets.door,
    payments: paymentRequired,
    balances,
    others,
    standings: createStandings({ limits, others, look: ledger.look, clock }),
  })
  operationRoutes(app, { readiness, registry, metrics: metrics ?? (() => registry.metrics()) })
  await serveDocs(app, catalog)
  await app.register(
    async (api) => {
      const server = api as typeof app
      modelRoutes(server, { catalog, clock, lane })
      const paidPost = createPaidPost(server, { chooseModel, budgets })
      const countTokens = createCountTokens({ catalog, chooseModel })
      textRoutes(server, { paidPost, answer: textReply, countTokens, others })
      embeddingRoutes({ paidPost, metered, embed })
      await server.register(async (scope) => {
        readUploads(scope)
        const imagePost = createPaidPost(scope as typeof app, { chooseModel, budgets })
        imageRoutes({ paidPost: imagePost, metered, catalog, ...images })
      })
      walletKeyRoutes(server, { walletKeys, clock })
      await x402Routes(server, { payments: wallets.payments, terms: wallets.terms, paymentRequired, usage })
      rpcRoutes(server, {
        lane: paidLane,
        networks: chainCalls.rpc.networks,
        answer: createRpcAnswering({
          rpc: chainCalls.rpc,
          room: chainCalls.room,
          limits: rpcLimits,
          tabs: createTabs({ metered }),
          metered,
        }),
      })
      rateLimitRoutes(server, { limits, refusals, usage, clock })
      apiKeyRoutes(server, { keyring, usage, clock })
      billingRoutes(server, { usage, clock })
      moreRoutes?.(server, { metered, clock })
    },
    { prefix: basePath },
  )
  finish()
  await app.ready()

  let closing: Promise<void> | undefined
  const close = async (drainMs: number) => {
    isDraining = true
    const force = setTimeout(() => app.server.closeAllConnections(), drainMs)
    // Connections that are kept alive would keep us alive, too, once their last answer is out.
    const idle = setInterval(() => app.server.closeIdleConnections(), 100)
    await app.close()
    clearTimeout(force)
    clearInterval(idle)
    await wallets.stop()
    await engines.close()
    await chainCalls.close()
    await ledger.stop()
    await lastUsed.stop()
    await lastingTally?.stop()
    await refusals.stop()
    await announcements.stop()
    await database.close()
  }

  return {
    server: app,
    registry,
    /** Writes down when keys were last used, instead of waiting for the next round. */
    flushLastUsed: () => lastUsed.flush(),
    async listen(host: string, port: number): Promise<number> {
      await announcements.start()
      ledger.start()
      await wallets.start()
      await app.listen({ host, port })
      if (warmsUp) setImmediate(warmUp)
      const address = app.server.address()
      const actual = typeof address === 'object' && address !== null ? address.port : port
      reachedAt = publicUrl.replace(/:0$/, `:${actual}`)
      return actual
    },
    /** Finishes what runs, within a bound, and lets go of everything. Once, however often it is called. */
    close(drainMs = 25_000): Promise<void> {
      closing ??= close(drainMs)
      return closing
    },
  }
}
