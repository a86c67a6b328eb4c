// Measures holds and settlements against plain commits; bench/README.md tells how to read the figures.
import { buildIfNeeded } from './build.mjs'

await buildIfNeeded()
const { main } = await import('../bench/ledger/main.mjs')
try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(`bench: ${error.stack}`)
  process.exitCode = 1
}
