import { pino } from 'pino'
import { describe } from '#http/docs.js'
import { systemClock } from '#plumbing/clock.js'
import { createApp } from '../app.js'
import { readBuildVersion, readSettings } from '../config.js'
import { modelFileIn, readOffer } from './offer.js'

/** The OpenAPI document of this build, made without a database: describing the service does not need one. */
export const describeApi = async () => {
  const settings = { ...readSettings({}), configPath: undefined }
  const offer = await readOffer(settings, systemClock)
  const app = await createApp({
    publicUrl: 'http://127.0.0.1:8080',
    connection: { host: 'nowhere.invalid' },
    modelFile: modelFileIn(settings),
    offer: () => offer,
    version: readBuildVersion(),
    clock: systemClock,
    log: pino({ level: 'silent' }),
  })
  const description = describe(app.server, offer.catalog)
  await app.close()
  return JSON.parse(JSON.stringify(description)) as typeof description
}
