import type { Command } from 'commander'
import { listAccounts } from '#accounts/accounts.js'
import type { Catalog } from '#catalog/catalog.js'
import { auditLedger } from '#ledger/audit/audit.js'
import { systemClock } from '#plumbing/clock.js'
import type { Sql } from '#store/sql.js'
import { jsonOption } from './output.js'
import { withDatabase } from './with-database.js'

type Check = { check: string; ok: boolean; detail: string; problems?: number; examples?: string[] }

/** The proof reads every entry and every request there ever was, however long that takes. */
const auditIsSlow = { queryTimeoutMs: 0 }

export const doctorCommand = (program: Command) => {
  program
    .command('doctor')
    .description('prove that config, engines, database and books are in order; exit code 1 if something is not')
    .option(...jsonOption)
    .action(({ json }: { json?: boolean }) =>
      withDatabase(async (sql, settings) => {
        const { modelFileIn, readOffer } = await import('../service/offer.js')
        const { checkEngines } = await import('./engine-checks.js')
        const { checkWallets } = await import('./wallet-checks.js')
        const { checkNodes } = await import('./rpc-checks.js')
        const { config, catalog } = await readOffer(settings, systemClock)
        const models = catalog.list('all')
        const offline = models.filter(({ model_spec }) => model_spec.offline).length
        const { version } = await sql.one<{ version: string }>`select current_setting('server_version') version`
        const { durable } = await sql.one<{ durable: boolean }>`
          select current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' durable`
        const checks: Check[] = [
          { check: 'the config file is valid', ok: true, detail: settings.configPath ?? 'none, built-in catalog' },
          { check: 'the catalog has models', ok: models.length > 0, detail: `${models.length}, ${offline} offline` },
          ...(await checkEngines({ config, catalog, modelFile: modelFileIn(settings) })),
          ...(await checkWallets(sql, config)),
          ...(await checkNodes(config)),
          await checkTiers(sql, catalog),
          checkLimitedModels(catalog),
          { check: 'the database answers and is migrated', ok: true, detail: `PostgreSQL ${version}` },
          { check: 'commits are durable', ok: durable, detail: durable ? 'yes' : 'fsync or synchronous_commit is off' },
          ...(await auditLedger(sql)).map(({ check, problems, examples }) => ({
            check,
            ok: problems === 0,
            detail: problems === 0 ? 'yes' : `${problems} broken: ${examples.join('; ')}`,
            problems,
            examples,
          })),
        ]
        const isWell = checks.every(({ ok }) => ok)
        if (json) console.log(JSON.stringify({ ok: isWell, checks }, null, 2))
        else {
          for (const { check, ok, detail } of checks) console.log(`${ok ? '✓' : '✗'} ${check} (${detail})`)
          console.log(isWell ? '\nEverything is in order.' : '\nSomething is wrong: see the lines with ✗.')
        }
        if (!isWell) process.exitCode = 1
      }, auditIsSlow),
    )
}

/** Accounts on a tier that has left the config file have the limits of the usual one, which may surprise somebody. */
const checkTiers = async (sql: Sql, catalog: Catalog): Promise<Check> => {
  const { tiers } = catalog.limits()
  const lost = (await listAccounts(sql)).filter(({ tier }) => !Object.hasOwn(tiers, tier))
  return {
    check: 'every account is on a tier of limits that there is',
    ok: lost.length === 0,
    detail:
      lost.length === 0
        ? Object.keys(tiers).join(', ')
        : `${lost.length} are not: ${lost
            .slice(0, 3)
            .map(({ id, tier }) => `${id} on '${tier}'`)
            .join('; ')}; tessera accounts tier <account> <tier>`,
  }
}

/** A limit of a model that is not there is a slip: nobody would notice that it does nothing. */
const checkLimitedModels = (catalog: Catalog): Check => {
  const { tiers, accounts } = catalog.limits()
  const named = [...Object.values(tiers), ...Object.values(accounts)].flatMap(({ models }) => Object.keys(models))
  const missing = [...new Set(named)].filter((id) => catalog.model(id) === undefined)
  return {
    check: 'every model that limits name is there',
    ok: missing.length === 0,
    detail: missing.length === 0 ? 'yes' : `not there: ${missing.join(', ')}`,
  }
}
