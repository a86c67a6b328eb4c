import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { usualEdit, usualGenerate, usualInpaint, usualUpscale } from '#engines/comfyui/usual-workflows.js'
import { ConfigError } from './config-problems.js'
import { parseConfig } from './parse-config.js'

const node = (inputs: object) => ({ 1: { class_type: 'Any', inputs } })

/** A folder with these files, and what a config file in it says or is told. */
const folderWith = (context: TestContext, files: Record<string, unknown>) => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-workflows-'))
  context.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'workflows'))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, 'workflows', name), typeof content === 'string' ? content : JSON.stringify(content))
  const read = (workflows: string, kind = 'comfyui') =>
    parseConfig(`upstreams:\n  painter:\n    kind: ${kind}\n    baseUrl: http://x\n    workflows:\n${workflows}`, {
      file: join(folder, 'tessera.yaml'),
      env: {},
    })
  return {
    folder,
    read,
    refusal(workflows: string, kind?: string): string[] {
      try {
        read(workflows, kind)
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error))
        return error.problems.map(({ line, path, reason }) => `${line}: ${path}: ${reason.replaceAll(folder, '.')}`)
      }
      return []
    },
  }
}

test('workflows lie relative to the config file, and their places are known afterwards', (test) => {
  const { folder, read } = folderWith(test, { 'flux.json': node({ text: '{{prompt}}', steps: '{{steps=8}}' }) })
  const config = read(
    `      flux.1-dev: { generate: workflows/flux.json }\n      b: { generate: ${folder}/workflows/flux.json }\n`,
  )
  const path = join(folder, 'workflows', 'flux.json')
  assert.deepEqual(config.upstreams.painter?.workflows, { 'flux.1-dev': { generate: path }, b: { generate: path } })
})

test('the workflows that are usual could be given as files', (test) => {
  const files = { generate: usualGenerate, edit: usualEdit, inpaint: usualInpaint, upscale: usualUpscale }
  const { refusal } = folderWith(test, files)
  assert.deepEqual(
    refusal('      a: { generate: workflows/generate, edit: workflows/edit, upscale: workflows/upscale }\n'),
    [],
  )
  assert.deepEqual(refusal('      a: { edit: workflows/inpaint }\n'), [])
})

// Each: what is wrong, the file, and exactly what is said.
const badFiles: [string, unknown, string[]][] = [
  [
    'was saved for the canvas',
    { last_node_id: 9, nodes: [], links: [] },
    ['the file ./workflows/a.json is not a workflow in API format; in ComfyUI, export it with Workflow > Export (API)'],
  ],
  [
    'is empty',
    {},
    ['the file ./workflows/a.json is not a workflow in API format; in ComfyUI, export it with Workflow > Export (API)'],
  ],
  [
    'has placeholders that are misspelled, of other work, or unheard of',
    node({ a: '{{promt}} {{mask}} {{mood=calm}}' }),
    [
      'there is no placeholder {{promt}}, did you mean {{prompt}}?',
      'there is no placeholder {{mask}} for generate; there are: prompt, negative_prompt, width, height, seed, steps, cfg, count, model, lora_strength',
      'there is no placeholder {{mood}} for generate; there are: prompt, negative_prompt, width, height, seed, steps, cfg, count, model, lora_strength',
      'the placeholder {{prompt}} is missing, so what is asked for would never arrive',
    ],
  ],
]
for (const [name, content, reasons] of badFiles)
  test(`a workflow that ${name} is refused`, (test) => {
    const { refusal } = folderWith(test, { 'a.json': content })
    const expected = reasons.map((reason) => `6: upstreams.painter.workflows.m.generate: ${reason}`)
    assert.deepEqual(refusal('      m: { generate: workflows/a.json }\n'), expected)
  })

test('files that are not there, entries without one and other kinds of upstreams are refused', (test) => {
  const { refusal } = folderWith(test, { 'a.json': node({ text: '{{prompt}}' }), 'half.json': '{' })
  const [half = ''] = refusal('      m: { generate: workflows/half.json }\n')
  assert.match(half, /^6: upstreams.painter.workflows.m.generate: the file .\/workflows\/half.json is not JSON: /)
  assert.deepEqual(refusal('      m:\n        edit: b.json\n        upscale: workflows\n'), [
    '7: upstreams.painter.workflows.m.edit: there is no file ./b.json',
    '8: upstreams.painter.workflows.m.upscale: the file ./workflows cannot be read: EISDIR: illegal operation on a directory, read',
  ])
  assert.deepEqual(refusal('      m: {}\n'), ['6: upstreams.painter.workflows.m: needs one of generate, edit, upscale'])
  assert.deepEqual(refusal('      m: { generation: a.json }\n'), [
    "6: upstreams.painter.workflows.m.generation: unknown key, did you mean 'generate'?",
  ])
  assert.deepEqual(refusal('      m: { generate: workflows/a.json }\n', 'automatic1111'), [
    '5: upstreams.painter.workflows: is only for the kind comfyui, not automatic1111',
  ])
})
