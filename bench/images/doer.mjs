// A process that does one kind of work with pictures, as often as it is told, so that its CPU can be metered from outside.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEditor } from '../../dist/src/engines/editor/editor.js'
import { createSafety } from '../../dist/src/engines/safety/safety.js'
import { neverStops } from '../../dist/src/plumbing/stop-signal.js'
import { jobNamed } from './jobs.mjs'

/** As somebody would write it who has nothing but sharp. */
const startSharp = async () => {
  const { default: sharp } = await import('sharp')
  const encoders = {
    png: (picture) => picture.png({ compressionLevel: 6 }),
    jpeg: (picture) => picture.jpeg({ quality: 92 }),
  }
  return async (bytes, { made, change, format }) => {
    return encoders[format](
      change(
        sharp(bytes)
          .autoOrient()
          .resize({ ...made, fit: 'fill' }),
      ),
    ).toBuffer()
  }
}

const startEditor = () => {
  const editor = createEditor()
  return async (bytes, { input, prompt, size, format }) => {
    const images = [{ bytes, width: input.width, height: input.height }]
    const call = { model: 'general', prompt, images, ...size, hasFixedShape: false, format, seed: 1 }
    return (await editor.edit({ ...call, signal: neverStops })).bytes
  }
}

/** What the service does with every picture before it leaves, whoever asks. */
const startLook = () => {
  const safety = createSafety()
  return (bytes) => safety.look(bytes, neverStops)
}

const starters = { sharp: startSharp, editor: startEditor, look: startLook }

let work
process.on('message', async ({ start, folder, name, input, count, output }) => {
  if (start !== undefined) {
    work = await starters[start]()
    return process.send({})
  }
  const job = jobNamed(name)
  const bytes = readFileSync(join(folder, input ?? job.input.file))
  const wallMs = []
  try {
    let made
    for (let turn = 0; turn < count; turn++) {
      const startedMs = performance.now()
      made = await work(bytes, job)
      wallMs.push(performance.now() - startedMs)
    }
    if (output !== undefined) writeFileSync(join(folder, output), made)
    process.send({ wallMs })
  } catch (error) {
    process.send({ wallMs, error: error.message })
  }
})
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
