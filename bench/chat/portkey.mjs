// Another gateway to compare with. It is no dependency of ours, so it is fetched when it is asked for.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const version = '1.15.2'
/** What a fresh install resolves instead answers every stream with 500. */
const overrides = { hono: '4.9.7', '@hono/node-server': '1.14.0' }
const fetchWithinMs = 180_000

/** The file to start, or why there is none. */
export const fetchPortkey = async (stage) => {
  const folder = stage.folder()
  const dependencies = { '@portkey-ai/gateway': version }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }))
  const flags = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--prefix', folder]
  const child = stage.launch('npm', ['install', ...flags])
  const isOver = await Promise.race([child.isOver.then(() => true), sleep(fetchWithinMs, false, { ref: false })])
  if (!isOver) child.kill('SIGTERM')
  if (child.exitCode !== 0)
    return { leftOut: `npm could not fetch it${isOver ? '' : ' in time'}: ${child.said.trim()}` }
  return { file: join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js') }
}
