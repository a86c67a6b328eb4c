import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Logger } from 'pino'
import { readBuiltin } from '#catalog/builtin.js'
import { type Catalog, createCatalog } from '#catalog/catalog.js'
import { emptyConfig, type OperatorConfig, readConfigFile, watchConfigFile } from '#catalog/config/config-file.js'
import type { ModelEntry } from '#catalog/config/model-entry.js'
import type { Clock } from '#plumbing/clock.js'
import { installFolder, type Settings } from '../config.js'
import { embeddedEngines } from './engines.js'
import { fingerprintOf, readLocalModels } from './local-models.js'

/** What the operator configured and what it means. Replaced as a whole when something in it changes. */
export type Offer = { config: OperatorConfig; catalog: Catalog }

const builtin = readBuiltin()

export const localModelFolder = ({ dataDir }: Pick<Settings, 'dataDir'>) => join(dataDir, 'models')

/** Where a model that runs in this process lies: the operator's folder goes before our own. */
export const modelFileIn =
  (settings: Pick<Settings, 'dataDir'>) =>
  (name: string): string | undefined =>
    [localModelFolder(settings), join(installFolder, 'models')]
      .map((folder) => join(folder, basename(name)))
      .find((path) => existsSync(path))

export const readOffer = async (
  settings: Settings,
  clock: Clock,
  onRefused: (file: string, reason: string) => void = () => {},
): Promise<Offer> => {
  const { configPath, env } = settings
  const config = configPath === undefined ? emptyConfig : readConfigFile(configPath, env, builtin)
  const local = await readLocalModels({ folder: localModelFolder(settings), onRefused })
  return toOffer(config, local, configPath, clock)
}

const toOffer = (config: OperatorConfig, local: ModelEntry[], configPath: string | undefined, clock: Clock): Offer => ({
  config,
  catalog: createCatalog({
    config,
    builtin,
    local,
    clock,
    engines: embeddedEngines,
    // A model that does not say when it was released counts as new since the operator wrote it down.
    createdDefault: configPath === undefined ? 0 : Math.floor(statSync(configPath).mtimeMs / 1000),
  }),
})

/** A model file is large and takes its time to be copied, so this need not be faster. */
const modelsIntervalMs = 2_000

/** Follows the config file and the folder of models while the service runs; what is bad is reported and left out. */
export const createLiveOffer = async (settings: Settings, clock: Clock, log: Logger) => {
  const { configPath: path, env } = settings
  const folder = localModelFolder(settings)
  const readLocal = () =>
    readLocalModels({ folder, onRefused: (file, reason) => log.warn({ file, reason }, 'model file left out') })

  let config = path === undefined ? emptyConfig : readConfigFile(path, env, builtin)
  let seen = fingerprintOf(folder)
  let local = await readLocal()
  let current = toOffer(config, local, path, clock)
  const renew = () => {
    current = toOffer(config, local, path, clock)
  }

  const stopWatching =
    path === undefined
      ? () => {}
      : watchConfigFile({
          path,
          env,
          builtin,
          current: config,
          intervalMs: 500,
          onChange: (changed) => {
            config = changed
            renew()
            log.info({ path }, 'config file changed and taken over')
          },
          onRefused: (error) => log.error({ path, reason: error.message }, 'config file refused; the former one stays'),
        })

  let handled = seen
  const look = async () => {
    const now = fingerprintOf(folder)
    // A file that is still being copied changes from one look to the next: wait until it rests.
    const rests = now === seen
    seen = now
    if (!rests || now === handled) return
    handled = now
    local = await readLocal()
    renew()
    log.info({ folder, models: local.map(({ id }) => id) }, 'model files changed and taken over')
  }
  const timer = setInterval(() => {
    look().catch((error) => log.warn({ folder, reason: error.message }, 'the folder of models cannot be read'))
  }, modelsIntervalMs)
  timer.unref()

  return {
    offer: () => current,
    stop: () => {
      stopWatching()
      clearInterval(timer)
    },
  }
}
