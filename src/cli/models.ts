import { type Command, Option } from 'commander'
import { type ModelFilter, modelTypes } from '#contract/models.js'
import { systemClock } from '#plumbing/clock.js'
import { readSettings } from '../config.js'
import { readOffer } from '../service/offer.js'
import { jsonOption, print } from './output.js'

export const modelsCommand = (program: Command) => {
  program
    .command('models')
    .description('list the models on offer, as the config file and the built-in catalog say')
    .addOption(new Option('--type <type>', 'only these').choices([...modelTypes, 'all', 'code']).default('all'))
    .option(...jsonOption)
    .action(({ type, json }: { type: ModelFilter; json?: boolean }) => {
      const records = readOffer(readSettings(), systemClock).catalog.list(type)
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
