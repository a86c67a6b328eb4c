import { mkdirSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import type { ModelFilter } from '#contract/models.js'
import { systemClock } from '#plumbing/clock.js'
import { messageOf } from '#plumbing/message-of.js'
import { OperatorError } from '#plumbing/operator-error.js'
import { readSettings } from '../config.js'
import { jsonOption, print } from './output.js'

export const modelsCommand = (program: Command) => {
  const models = program
    .command('models')
    .description('list the models on offer, as the config file, the built-in catalog and the model folder say')
    .option('--type <type>', 'only these, such as text or image', 'all')
    .option(...jsonOption)
    .action(async ({ type, json }: { type: ModelFilter; json?: boolean }) => {
      const { readOffer } = await import('../service/offer.js')
      const say = (file: string, reason: string) => console.error(`tessera: left out ${file}: ${reason}`)
      const records = (await readOffer(readSettings(), systemClock, say)).catalog.list(type)
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

  models
    .command('pull <name>')
    .description('fetch a GGUF model to run inside the service: user/model[:quantisation] of the hub, or a URL')
    .option('--token <token>', 'for models of the hub that ask for one')
    .option(...jsonOption)
    .action((name: string, _options, command: Command) => pull(name, command.optsWithGlobals()))
}

type PullOptions = { token?: string; json?: boolean }

const pull = async (name: string, { token, json }: PullOptions) => {
  const { localModelFolder } = await import('../service/offer.js')
  const { readLocalModels } = await import('../service/local-models.js')
  const folder = localModelFolder(readSettings())
  mkdirSync(folder, { recursive: true })
  const file = await download(name, folder, { token, isTold: json !== true })
  let problem: string | undefined
  const offered = await readLocalModels({
    folder,
    onRefused: (refused, reason) => {
      if (refused === file) problem = reason
    },
  })
  if (problem !== undefined)
    throw new OperatorError(`The file was fetched, but it cannot be offered: ${problem}`, `Delete it from ${folder}`)
  const rows = offered
    .filter(({ engine }) => engine?.model === file)
    .map(({ id, name: called }) => ({ id, name: called, file }))
  print(rows, json, 'Nothing was fetched.')
  if (!json) console.log('\nA running service lists it within seconds; a new one does so at once.')
}

/** Fetches into the folder and gives the name of the file. It appears there only when it is complete. */
const download = async (
  name: string,
  folder: string,
  { token, isTold }: { token: string | undefined; isTold: boolean },
): Promise<string> => {
  const { createModelDownloader } = await import('node-llama-cpp')
  const modelUri = /^(https?:\/\/|hf:)/.test(name) ? name : `hf:${name}`
  try {
    const downloader = await createModelDownloader({
      modelUri,
      dirPath: folder,
      showCliProgress: isTold,
      ...(token !== undefined && { tokens: { huggingFace: token } }),
    })
    return basename(await downloader.download())
  } catch (error) {
    throw new OperatorError(
      `'${name}' could not be fetched: ${messageOf(error)}`,
      `Check the name and the connection, or copy a GGUF file into ${folder} yourself`,
      { cause: error },
    )
  }
}
