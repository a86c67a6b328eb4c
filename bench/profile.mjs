// Where the CPU goes: puts the load of a scenario on each of its contenders under the profiler, and prints microseconds
// per request by layer and by function.
//   node bench/profile.mjs [scenario] [--keep <folder>]     (default: models; --keep saves the .cpuprofile files)
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { buildIfNeeded } from '../scripts/build.mjs'
import { buildRequest, measure } from './load.mjs'
import { cpuSeconds, createStage, splitTree } from './processes.mjs'

const requests = 20_000
const functionsShown = 25

/** Whose code a function is. Native code that it calls counts as its own where the profiler cannot tell. */
const layerOf = ({ functionName, url }) => {
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'native code outside JavaScript'
  const inPackage = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)
  if (inPackage) return inPackage[1]
  if (url.includes('/dist/src/')) return `ours: ${url.slice(url.indexOf('/dist/src/') + 10)}`
  if (url.includes('/bench/')) return 'bare-server.mjs'
  if (/^node:_http|^node:internal\/http/.test(url)) return 'node: http'
  if (/^node:net|stream_base|internal\/net/.test(url)) return 'node: net'
  if (/stream/.test(url)) return 'node: streams'
  if (/timers|task_queue|async_hooks|events|process/.test(url)) return 'node: events, timers, ticks'
  if (url.startsWith('node:')) return `node: ${url.slice(5)}`
  return url === '' ? `native: ${functionName}` : url
}

const place = ({ functionName, url, lineNumber }) =>
  `${functionName || '(anonymous)'}  ${url.replace(/^.*\/(node_modules|dist\/src)\//, '')}${url ? `:${lineNumber + 1}` : ''}`

/** Microseconds by layer and by function; and by caller, where Node's own and native time goes to whoever asked for it. */
const summarise = ({ nodes, samples, timeDeltas }) => {
  const byId = new Map(nodes.map((node) => [node.id, { ...node, us: 0 }]))
  samples.forEach((id, at) => {
    byId.get(id).us += timeDeltas[at]
  })
  const layers = new Map()
  const functions = new Map()
  const callers = new Map()
  const add = (map, key, us) => map.set(key, (map.get(key) ?? 0) + us)
  const walk = ({ callFrame, us, children = [] }, asker) => {
    const layer = layerOf(callFrame)
    const caller = /^(node|native)/.test(layer) ? asker : `${layer}: ${callFrame.functionName || '(anonymous)'}`
    if (callFrame.functionName !== '(idle)') {
      add(layers, layer, us)
      add(functions, place(callFrame), us)
      add(callers, caller, us)
    }
    for (const child of children) walk(byId.get(child), caller)
  }
  walk(byId.get(nodes[0].id), 'node alone')
  return { layers, functions, callers }
}

const print = (title, figures, answers, shown = figures.size) => {
  console.log(`\n  ${title}`)
  for (const [name, us] of [...figures].sort((a, b) => b[1] - a[1]).slice(0, shown))
    if (us / answers >= 0.1) console.log(`  ${(us / answers).toFixed(1).padStart(7)} us  ${name}`)
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { keep: { type: 'string' } } })
buildIfNeeded()
const scenario = await import(`./scenarios/${positionals[0] ?? 'models'}.mjs`)
const stage = createStage()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stage.stop().then(() => process.exit(1)))
try {
  const folder = stage.folder()
  process.env.BENCH_PROFILE_FOLDER = folder
  const nodeArgs = ['--import', new URL('./profiler.mjs', import.meta.url).href]
  for (const { name, pid, request, expected } of await scenario.start(stage, { nodeArgs })) {
    const { node } = splitTree(pid)
    const load = { request: buildRequest(request), expected, connections: 32, readCpu: () => cpuSeconds(node) }
    await measure({ ...load, requests: 12_000 })
    const plain = await measure({ ...load, requests })
    process.kill(pid, 'SIGUSR2')
    await sleep(500)
    const { answers, cpuUs, errors } = await measure({ ...load, requests })
    process.kill(pid, 'SIGUSR2')
    const file = join(folder, `${pid}.cpuprofile`)
    for (let waits = 0; !existsSync(file) && waits < 200; waits++) await sleep(50)
    const { layers, functions, callers } = summarise(JSON.parse(readFileSync(file, 'utf8')))
    console.log(
      `\n${name}: ${plain.cpuUs.toFixed(0)} us CPU a request, ${cpuUs.toFixed(0)} under the profiler, ${errors} errors`,
    )
    print('by layer, own time', layers, answers)
    print('by function, own time', functions, answers, functionsShown)
    print('by caller, with the time of Node that it causes', callers, answers, 2 * functionsShown)
    if (values.keep !== undefined) {
      mkdirSync(values.keep, { recursive: true })
      copyFileSync(file, join(values.keep, `${name.replaceAll(/\W+/g, '-')}.cpuprofile`))
    }
    rmSync(file)
  }
} finally {
  await stage.stop()
}
