import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '#plumbing/operator-error.js'
import { checkBuiltin } from '../builtin.js'
import { type OperatorConfig, parseConfig, readConfigFile, redactedConfig, watchConfigFile } from './config-file.js'

const folderFor = (context: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-config-'))
  context.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a file that is not there is one sentence and what to do', () => {
  assert.throws(
    () => readConfigFile('/nowhere/tessera.yaml', {}),
    (error) => error instanceof OperatorError && error.message === 'There is no config file /nowhere/tessera.yaml',
  )
})

test('the example config is valid', () => {
  const path = fileURLToPath(new URL('../../../../tessera.example.yaml', import.meta.url))
  const config = readConfigFile(path, { HOUSE_KEY: 'x', CLOUD_KEY: 'y' }, checkBuiltin())
  assert.deepEqual(Object.keys(config.upstreams), ['house', 'house-two', 'cloud', 'painter', 'studio'])
  assert.equal(config.models.length, 6)
})

test('a printed config shows no credential', () => {
  const text = `
upstreams:
  house: { kind: openai, baseUrl: "https://me:hush@example.com/v1", apiKey: hush, headers: { x-token: hush } }
rpc:
  networks:
    base-mainnet: { family: evm, upstreams: ["https://rpc.example.com/v2/hushhushhushhushhushhush", "https://x.com/?key=hush"] }
x402:
  evm:
    rpcUrl: https://rpc.example.com
    payTo: "0x2222222222222222222222222222222222222222"
    feeWalletKey: "${'ab'.repeat(32)}"
`
  const shown = redactedConfig(parseConfig(text, { file: 'tessera.yaml', env: {} }))
  assert.doesNotMatch(JSON.stringify(shown), /hush|abab/)
  assert.equal(shown.upstreams.house?.baseUrl, 'https://me:•••@example.com/v1')
  assert.deepEqual(shown.upstreams.house?.headers, { 'x-token': '•••' })
  assert.deepEqual(shown.rpc?.networks['base-mainnet']?.upstreams, [
    'https://rpc.example.com/v2/•••',
    'https://x.com/?key=•••',
  ])
  assert.equal(shown.x402?.evm?.payTo, '0x2222222222222222222222222222222222222222')
})

/** Watches a real file, and hands out what is reported one report at a time. */
const watch = (context: TestContext, path: string, current?: OperatorConfig, env = {}) => {
  const reports: string[] = []
  let wake = () => {}
  const report = (text: string) => {
    reports.push(text)
    wake()
  }
  const stop = watchConfigFile({
    path,
    env,
    intervalMs: 5,
    ...(current && { current }),
    onChange: (config) => report(`styles ${config.styles}`),
    onRefused: (error) => report(`refused ${error.message.replace(path, 'file')}`),
  })
  // The timer does not keep a process alive, so the test holds one of its own while it waits.
  const hold = setInterval(() => {}, 1000)
  context.after(() => {
    stop()
    clearInterval(hold)
  })
  return async () => {
    while (reports.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return reports.shift()
  }
}

const before = parseConfig('styles: [before]', { file: '', env: {} })

test('a changed file is taken over, a bad one is refused, and the next good one counts again', async (context) => {
  const path = join(folderFor(context), 'tessera.yaml')
  writeFileSync(path, 'styles: [one]')
  const next = watch(context, path, before)
  assert.equal(await next(), 'styles one')
  writeFileSync(path, 'styles: [two, three]')
  assert.equal(await next(), 'styles two,three')
  writeFileSync(path, 'stiles: [four]')
  assert.equal(await next(), "refused file:1: stiles: unknown key, did you mean 'styles'?")
  writeFileSync(path, 'styles: [five]')
  assert.equal(await next(), 'styles five')
  unlinkSync(path)
  assert.equal(await next(), 'refused There is no config file file')
  writeFileSync(path, 'styles: [six]')
  assert.equal(await next(), 'styles six')
})

test('a file that says what is in use already is nothing new', async (context) => {
  const path = join(folderFor(context), 'tessera.yaml')
  // The variable tells the test when the file has been read.
  let whenRead = () => {}
  const read = new Promise<void>((resolve) => (whenRead = resolve))
  const env = {
    get STYLE() {
      whenRead()
      return 'before'
    },
  }
  writeFileSync(path, `styles: ["\${STYLE}"] # in other words`)
  const next = watch(context, path, before, env)
  await read
  writeFileSync(path, 'styles: [after]')
  assert.equal(await next(), 'styles after')
})

test('without knowing what is in use, only what changes after the start is reported', async (context) => {
  const path = join(folderFor(context), 'tessera.yaml')
  writeFileSync(path, 'styles: [one]')
  const next = watch(context, path)
  writeFileSync(path, 'styles: [two, three]')
  assert.equal(await next(), 'styles two,three')
})

test('a file that is replaced, as many editors do, is noticed', async (context) => {
  const folder = folderFor(context)
  const path = join(folder, 'tessera.yaml')
  writeFileSync(path, 'styles: [one]')
  const next = watch(context, path, before)
  assert.equal(await next(), 'styles one')
  writeFileSync(join(folder, 'new'), 'styles: [two]')
  renameSync(join(folder, 'new'), path)
  assert.equal(await next(), 'styles two')
})

test('a symbolic link that is pointed elsewhere, as Kubernetes does, is noticed', async (context) => {
  const folder = folderFor(context)
  const path = join(folder, 'tessera.yaml')
  writeFileSync(join(folder, 'one.yaml'), 'styles: [one]')
  writeFileSync(join(folder, 'two.yaml'), 'styles: [two]')
  symlinkSync('one.yaml', path)
  const next = watch(context, path, before)
  assert.equal(await next(), 'styles one')
  symlinkSync('two.yaml', join(folder, 'link'))
  renameSync(join(folder, 'link'), path)
  assert.equal(await next(), 'styles two')
})

test('a picture that could be asked for has a price', () => {
  const problems = (fields: string) => {
    const text = `upstreams: { house: { kind: openai, baseUrl: "http://127.0.0.1" } }
models: [{ id: it, engine: { upstream: house }, ${fields} }]`
    try {
      parseConfig(text, { file: 'tessera.yaml', env: {} })
      return ''
    } catch (error) {
      return String(error)
    }
  }
  const wrong = {
    'type: image, pricing: { resolutions: { 2K: "1" } }': /no price for the resolution 1K/,
    'type: image, pricing: { quality: { 1K: { low: "1" } } }': /no price for the resolution 1K/,
    'type: image, constraints: { qualities: [low, medium] }, pricing: { generation: "1" }':
      /must name one of low, medium/,
    'type: inpaint, constraints: { resolutions: [1K, 4K], qualities: [low, high] }, pricing: { inpaint: "1", quality: { 4K: { low: "2" } } }':
      /no price for the resolution 4K/,
    'type: inpaint, constraints: { resolutions: [1K, 4K] }, pricing: { inpaint: "1", resolutions: { 4k: "2" } }':
      /'4k' must be written as/,
  }
  for (const [fields, message] of Object.entries(wrong)) assert.match(problems(fields), message, fields)
  const right = [
    'type: image, pricing: { generation: "1" }',
    'type: image, constraints: { resolutions: [2K] }, pricing: { resolutions: { 2K: "1" } }',
    'type: inpaint, constraints: { resolutions: [1K, 2K], qualities: [low], defaultQuality: low }, pricing: { inpaint: "1", quality: { 2K: { low: "2" } } }',
  ]
  for (const fields of right) assert.equal(problems(fields), '', fields)
})
