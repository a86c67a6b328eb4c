// Clients that always have pictures being made, in a process of their own: sending megabytes must not delay those who
// measure streams. Told to begin and to end; what is under way is awaited.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawing, photo, small } from './jobs.mjs'
import { createClient, formRequest, jsonRequest } from './service.mjs'

const kindsOf = (folder) => {
  const fileOf = ({ file }) => ({ name: file, bytes: readFileSync(join(folder, file)) })
  const edit = { model: 'picture-editor', prompt: 'black and white', safe_mode: true }
  return {
    'edit, form': formRequest('/image/edit', edit, fileOf(photo)),
    'edit, base64': jsonRequest('/image/edit', { ...edit, image: fileOf(photo).bytes.toString('base64') }),
    'make, 1024x1024': jsonRequest('/image/generate', {
      model: 'scene-composer',
      prompt: 'a fox under a tree by a lake at sunset',
      width: 1024,
      height: 1024,
      seed: 7,
    }),
    'enlarge, 512 to 1024': formRequest('/image/upscale', { scale: 2 }, fileOf(small)),
    'cut out, 1 MP': formRequest('/image/background-remove', {}, fileOf(drawing)),
  }
}

let client
let kinds
let isGoing = false
let running
const done = {}
const troubles = []

const sendOne = async (name) => {
  try {
    await client.send(kinds[name])
    done[name] = (done[name] ?? 0) + 1
  } catch (error) {
    troubles.push(`${name}: ${error.message}`)
    isGoing = false
  }
}

/** One job after the other; each of those who do this begins with another kind. */
const goOn = async (start) => {
  const names = Object.keys(kinds)
  for (let turn = start; isGoing; turn++) await sendOne(names[turn % names.length])
}

const orders = {
  async open({ service, folder }) {
    client = createClient(service)
    kinds = kindsOf(folder)
    // Threads start and models are loaded with the first job of each kind.
    for (const name of Object.keys(kinds)) await sendOne(name)
  },
  begin({ atOnce }) {
    isGoing = true
    running = Promise.all(Array.from({ length: atOnce }, (_, at) => goOn(at)))
  },
  async end() {
    isGoing = false
    await running
  },
}

process.on('message', async ({ order, ...details }) => {
  await orders[order](details)
  process.send({ done, troubles })
})
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
