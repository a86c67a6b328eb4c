import { Command } from 'commander'
import { OperatorError } from '#plumbing/operator-error.js'
import { readSettings } from '../config.js'
import { accountCommands } from './accounts.js'
import { checkCommand } from './check.js'
import { creditCommands } from './credits.js'
import { doctorCommand } from './doctor.js'
import { keyCommands } from './keys.js'
import { modelsCommand } from './models.js'
import { rpcCommands } from './rpc.js'
import { stakeCommands } from './stake.js'
import { walletCommands } from './wallets.js'

/** The operator's commands. Each prints for a person, or with --json for a program. */
const createProgram = () => {
  const program = new Command('tessera')
    .description('A complete inference API on your own machine.')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      `
Settings come from the environment: TESSERA_PORT, TESSERA_DATA, TESSERA_CONFIG, DATABASE_URL and others (see README.md).

Examples:
  tessera serve                              start the service
  tessera keys create --description laptop   make an INFERENCE key
  tessera credits grant --usd 25             give the account 25 USD
  tessera doctor                             prove that everything is in order`,
    )
  program
    .command('serve')
    .description('start the service; stop it with Ctrl-C or SIGTERM')
    .action(async () => (await import('../main.js')).serve(readSettings()))
  checkCommand(program)
  accountCommands(program)
  keyCommands(program)
  creditCommands(program)
  stakeCommands(program)
  walletCommands(program)
  rpcCommands(program)
  modelsCommand(program)
  doctorCommand(program)
  return program
}

/** One clear sentence for what an operator can mend; a stack trace only for our own bugs. */
export const run = async (argv: string[]) => {
  try {
    await createProgram().parseAsync(argv)
  } catch (error) {
    if (error instanceof OperatorError)
      console.error(`tessera: ${sentence(error.message)}${error.hint ? `\n  ${sentence(error.hint)}` : ''}`)
    else console.error('tessera: this is a bug, please report it.\n', error)
    process.exitCode = 1
  }
  // What is still open (a watched file, an idle connection) must not keep a finished command alive.
  process.exit()
}

/** Parts write their messages without a full stop where they may be quoted; alone on a line they get one. */
const sentence = (text: string) => (/[.:\n]$/.test(text) || text.includes('\n') ? text : `${text}.`)
