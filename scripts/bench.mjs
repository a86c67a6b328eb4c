// Measures what requests cost, beside servers that do less; bench/README.md tells how to read the figures.
import { main } from '../bench/compare.mjs'
import { buildIfNeeded } from './build.mjs'

await buildIfNeeded()
try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(`bench: ${error.message}`)
  process.exitCode = 1
}
