import type { Command } from 'commander'
import { systemClock } from '#plumbing/clock.js'
import { readSettings } from '../config.js'
import { jsonOption } from './output.js'

export const checkCommand = (program: Command) => {
  program
    .command('check')
    .description('validate the settings and the config file, and print what they amount to, without secrets')
    .option(...jsonOption)
    .action(async ({ json }: { json?: boolean }) => {
      const { stringify } = await import('yaml')
      const { readOffer } = await import('../service/offer.js')
      const { redactedConfig } = await import('#catalog/config/config-file.js')
      const { env: _env, adminKey, databaseUrl, ...plain } = readSettings()
      const { config, catalog } = await readOffer(readSettings(), systemClock)
      const resolved = {
        settings: {
          ...plain,
          configPath: plain.configPath ?? null,
          adminKey: adminKey === undefined ? 'generated at the first start' : '•••',
          database: databaseUrl === undefined ? 'built in, in the data folder' : 'DATABASE_URL',
        },
        config: redactedConfig(config),
        limits: catalog.limits(),
        models: catalog.list('all').map(({ id }) => id),
      }
      console.log(json ? JSON.stringify(resolved, null, 2) : `${stringify(resolved)}\nThe configuration is valid.`)
    })
}
