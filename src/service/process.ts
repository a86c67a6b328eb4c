import { availableParallelism } from 'node:os'
import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import type { Clock } from '#plumbing/clock.js'
import { createApp } from '../app.js'
import type { Settings } from '../config.js'
import { createLiveOffer, modelFileIn } from './offer.js'

export type StartNeeds = {
  settings: Settings
  connection: ClientConfig
  version: string
  clock: Clock
  log: Logger
  writeLine: ((line: string) => void) | undefined
  metrics?: () => Promise<string>
}

export type RunningService = { port: number; stop(): Promise<void> }

/** All workers together stay well below what the built-in database and most others allow. */
const connectionsFor = (workers: number) => Math.max(2, Math.min(10, Math.floor(100 / workers)))

/** Workers share the cores; one alone leaves a core to the rest of the service. */
const threadsFor = (workers: number) =>
  workers > 1 ? Math.max(1, Math.floor(availableParallelism() / workers)) : undefined

/** Serves in this very process. */
export const startHere = async ({ settings, ...needs }: StartNeeds) => {
  const { offer, stop: stopWatching } = await createLiveOffer(settings, needs.clock, needs.log)
  const app = await createApp({
    ...needs,
    modelFile: modelFileIn(settings),
    modelThreads: threadsFor(settings.workers),
    offer,
    publicUrl: settings.publicUrl,
    connectionsMax: connectionsFor(settings.workers),
    // An own database may be on other machines, too.
    sharesLimits: settings.workers > 1 || settings.databaseUrl !== undefined,
  })
  const stop = async () => {
    stopWatching()
    await app.close()
  }
  try {
    return { port: await app.listen(settings.host, settings.port), stop, registry: app.registry }
  } catch (error) {
    await stop()
    throw error
  }
}
