import type { Registry } from 'prom-client'
import type { Server } from '../server.js'

/** Named checks that are true when the part can be used. */
export type Readiness = () => Promise<Record<string, boolean>>

type Needs = { readiness: Readiness; metrics: () => Promise<string>; registry: Registry }

const open = { config: { access: 'open' as const } }

/** For those who run the service. Outside of the interface's path, without credentials. */
export const operationRoutes = (app: Server, { readiness, metrics, registry }: Needs) => {
  app.get('/health', open, async () => ({ status: 'ok' }))

  app.get('/ready', open, async (_request, reply) => {
    const checks = await readiness()
    const isReady = Object.values(checks).every(Boolean)
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', checks })
  })

  app.get('/metrics', open, async (_request, reply) => reply.type(registry.contentType).send(await metrics()))
}
