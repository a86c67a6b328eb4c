import type { StopSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type { ImageEngine, Picture } from '../image.js'
import type { UpstreamClient } from '../upstream/client.js'
import { pictureAnswerBytesMax as answerBytesMax, fromBase64 } from '../upstream/pictures.js'
import { toExactSize } from '../upstream/reshape.js'
import { parseJson } from '../upstream/trouble.js'
import { createCheckpoints } from './checkpoints.js'
import { toExtras, toImageToImage, toTextToImage } from './request.js'
import { createTasks } from './tasks.js'

const broken = (what: string) => new EngineError('broken', `the upstream sent ${what}`)

const toFields = (value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw broken('no object')
  return value as Record<string, unknown>
}

/** The server may put a grid of all pictures before them; `info` says where they begin. */
const readPictures = (answer: unknown, count: number): Picture[] => {
  const { images, info } = toFields(answer)
  if (!Array.isArray(images)) throw broken('no pictures')
  const about = typeof info === 'string' ? (parseJson(info) as { index_of_first_image?: unknown } | null) : undefined
  const first = Number.isSafeInteger(about?.index_of_first_image) ? Number(about?.index_of_first_image) : 0
  const pictures = images.slice(first, first + count)
  if (pictures.length < count) throw broken(`not ${count} pictures`)
  return pictures.map(fromBase64)
}

type Options = {
  /** How often a task that waits in the server's queue is looked for when it is to be stopped. */
  pollMs?: number
  /** Draw with the checkpoint that the server has loaded, whatever the model is called. */
  usesLoaded?: boolean
}

/**
 * Pictures from AUTOMATIC1111's web UI and from those that kept its API: Forge, reForge, SD.Next. The model is the name of
 * a checkpoint (or of an upscaler) as the server lists them.
 */
export const createAutomatic1111 = (
  client: UpstreamClient,
  { pollMs = 1_000, usesLoaded = false }: Options = {},
): ImageEngine => {
  const tasks = createTasks(client, pollMs)
  const checkpoints = createCheckpoints(client)
  const post = (path: string, body: object, signal: StopSignal) =>
    client.postForJson(path, JSON.stringify(body), { signal, answerBytesMax })

  const checkpointOf = async ({
    model,
    signal,
  }: {
    model: string
    signal: StopSignal
  }): Promise<string | undefined> => {
    if (usesLoaded) return undefined
    await checkpoints.check(model, signal)
    return model
  }

  return {
    async generate(call) {
      const { signal, count } = call
      const checkpoint = await checkpointOf(call)
      const answer = await tasks.run(
        async (taskId) => post('/sdapi/v1/txt2img', toTextToImage(call, { taskId, checkpoint }), signal),
        () => signal.aborted,
      )
      return Promise.all(readPictures(answer, count).map((picture) => toExactSize(picture, call)))
    },

    async edit(call) {
      const { signal } = call
      const checkpoint = await checkpointOf(call)
      const answer = await tasks.run(
        async (taskId) => post('/sdapi/v1/img2img', await toImageToImage(call, { taskId, checkpoint }), signal),
        () => signal.aborted,
      )
      const [picture] = readPictures(answer, 1)
      if (picture === undefined) throw broken('no picture')
      return toExactSize(picture, call)
    },

    async upscale(call) {
      const answer = await post('/sdapi/v1/extra-single-image', toExtras(call), call.signal)
      return toExactSize(fromBase64(toFields(answer).image), { ...call, format: 'png' })
    },
  }
}
