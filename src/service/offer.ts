import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import { readBuiltin } from '#catalog/builtin.js'
import { type Catalog, createCatalog } from '#catalog/catalog.js'
import { emptyConfig, type OperatorConfig, readConfigFile, watchConfigFile } from '#catalog/config/config-file.js'
import type { Clock } from '#plumbing/clock.js'
import type { Settings } from '../config.js'

/** What the operator configured and what it means. Replaced as a whole when the config file changes. */
export type Offer = { config: OperatorConfig; catalog: Catalog }

/** Embedded engines that this build has; catalog models of others are listed as offline. */
const embeddedEngines: ReadonlySet<string> = new Set()

const builtin = readBuiltin()
const builtinIds = builtin.models.map(({ id }) => id)

export const readOffer = ({ configPath, env }: Settings, clock: Clock): Offer =>
  toOffer(configPath === undefined ? emptyConfig : readConfigFile(configPath, env, builtinIds), configPath, clock)

const toOffer = (config: OperatorConfig, configPath: string | undefined, clock: Clock): Offer => ({
  config,
  catalog: createCatalog({
    config,
    builtin,
    clock,
    engines: embeddedEngines,
    // A model that does not say when it was released counts as new since the operator wrote it down.
    createdDefault: configPath === undefined ? 0 : Math.floor(statSync(configPath).mtimeMs / 1000),
  }),
})

/** Follows the config file while the service runs; a bad file is reported and the old offer stays. */
export const createLiveOffer = (settings: Settings, clock: Clock, log: Logger) => {
  let current = readOffer(settings, clock)
  const { configPath: path, env } = settings
  const stop =
    path === undefined
      ? () => {}
      : watchConfigFile({
          path,
          env,
          builtinIds,
          current: current.config,
          intervalMs: 500,
          onChange: (config) => {
            current = toOffer(config, path, clock)
            log.info({ path }, 'config file changed and taken over')
          },
          onRefused: (error) => log.error({ path, reason: error.message }, 'config file refused; the former one stays'),
        })
  return { offer: () => current, stop }
}
