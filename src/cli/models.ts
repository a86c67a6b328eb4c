import type { Command } from 'commander'
import type { ModelFilter } from '#contract/models.js'
import { systemClock } from '#plumbing/clock.js'
import { readSettings } from '../config.js'
import { jsonOption, print } from './output.js'

export const modelsCommand = (program: Command) => {
  program
    .command('models')
    .description('list the models on offer, as the config file and the built-in catalog say')
    .option('--type <type>', 'only these, such as text or image', 'all')
    .option(...jsonOption)
    .action(async ({ type, json }: { type: ModelFilter; json?: boolean }) => {
      const { readOffer } = await import('../service/offer.js')
      const records = (await readOffer(readSettings(), systemClock)).catalog.list(type)
      const rows = records.map(({ id, type, model_spec: { name, privacy, offline, traits } }) => ({
        id,
        type,
        name,
        privacy,
        state: offline ? 'offline' : 'online',
        traits: traits.join(', '),
      }))
      print(json ? records : rows, json, 'No models of this type are on offer.')
    })
}
