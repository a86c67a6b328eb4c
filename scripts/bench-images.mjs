// Measures edits of pictures beside sharp alone, and what others feel of them; bench/README.md tells how to read it.
import { buildIfNeeded } from './build.mjs'

await buildIfNeeded()
const { main } = await import('../bench/images/main.mjs')
try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(`bench: ${error.stack}`)
  process.exitCode = 1
}
