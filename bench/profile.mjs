// Where the CPU goes: puts the load of a scenario on one of its contenders under the profiler, and prints microseconds per
// request, or per chunk of a stream, by layer and by function.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildRequest } from './load.mjs'
import { readUsage } from './processes.mjs'

/** Under the profiler, so many times as much as in a slice: a sample is taken only now and then. */
const slices = 5
const limitMs = 120_000
const profilerUrl = new URL('./profiler.mjs', import.meta.url).href
const functionsShown = 25

/** Whose code a function is. Native code that it calls counts as its own where the profiler cannot tell. */
const layerOf = ({ functionName, url }) => {
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (functionName === '(program)') return 'native code outside JavaScript'
  const inPackage = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)
  if (inPackage) return inPackage[1]
  if (url.includes('/dist/src/')) return `ours: ${/\/dist\/src\/([^/]+)/.exec(url)[1]}`
  if (url.includes('/bench/')) return 'the bench itself'
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
    const caller = /^(node|native)/.test(layer) ? asker : place(callFrame)
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

const print = (title, figures, count, shown = figures.size) => {
  console.log(`\n  ${title}`)
  for (const [name, us] of [...figures].sort((a, b) => b[1] - a[1]).slice(0, shown))
    if (us / count >= 0.1) console.log(`  ${(us / count).toFixed(1).padStart(7)} us  ${name}`)
}

/** Whether it was started with our profiler: to others its signal means something else. */
const isUnderProfiler = (pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(profilerUrl)

const startOne = async (scenario, stage, { name, ...options }) => {
  const nodeArgs = ['--import', profilerUrl]
  const { contenders } = await scenario.start(stage, { ...options, nodeArgs, only: [name] })
  const able = contenders.filter(({ pid }) => isUnderProfiler(pid))
  const found = able.find((contender) => contender.name === name)
  if (found === undefined)
    throw new Error(`'${name}' cannot be profiled; of these try: ${able.map((each) => each.name).join(', ')}.`)
  return { ...found, request: buildRequest(found.request), readUsage: () => readUsage(found.pid) }
}

/** The load of a slice, but longer. */
const lengthen = ({ requests, streams, ...load }) => ({
  ...load,
  ...(requests === undefined ? { streams: slices * streams } : { requests: slices * requests }),
})

export const profileScenario = async (scenario, { name, keep, newStage, ...options }) => {
  const [load] = scenario.loads
  if ((load.requests ?? load.streams) === undefined)
    throw new Error(`${scenario.title} is about memory: there is nothing to profile.`)
  const stage = newStage()
  try {
    const folder = stage.folder()
    process.env.BENCH_PROFILE_FOLDER = folder
    const contender = await startOne(scenario, stage, { name, ...options })
    const { pid } = contender
    const measure = (wanted) => wanted.measure({ ...contender, ...wanted, limitMs })
    await measure(scenario.warmUp)
    const plain = await measure(lengthen(load))
    process.kill(pid, 'SIGUSR2')
    await sleep(500)
    const { chunks, answers, cpuUs, errors } = await measure(lengthen(load))
    process.kill(pid, 'SIGUSR2')
    const file = join(folder, `${pid}.cpuprofile`)
    for (let waits = 0; !existsSync(file) && waits < 200; waits++) await sleep(50)
    const { layers, functions, callers } = summarise(JSON.parse(readFileSync(file, 'utf8')))
    const unit = chunks === undefined ? 'a request' : 'a chunk'
    console.log(
      `\n${scenario.title}, ${name}: ${plain.cpuUs.toFixed(0)} us CPU ${unit}, ${cpuUs.toFixed(0)} under the profiler, ${errors} errors`,
    )
    const count = chunks ?? answers
    print('by layer, own time', layers, count)
    print('by function, own time', functions, count, functionsShown)
    print('by caller, with the time of Node that it causes', callers, count, 2 * functionsShown)
    if (keep !== undefined) {
      mkdirSync(keep, { recursive: true })
      copyFileSync(file, join(keep, `${name.replaceAll(/\W+/g, '-')}.cpuprofile`))
    }
    rmSync(file)
  } finally {
    await stage.stop()
  }
}
