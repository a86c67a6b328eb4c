import type { StopSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type { ImageEngine, Picture } from '../image.js'
import type { UpstreamClient } from '../upstream/client.js'
import { pictureAnswerBytesMax as answerBytesMax, fromBase64, toPicture } from '../upstream/pictures.js'
import { toExactSize } from '../upstream/reshape.js'
import { isParameterRefused } from '../upstream/trouble.js'
import { isFailure } from './chunks.js'
import { droppable, type Fields, toEditFields, toEditForm, toGenerateFields } from './image-request.js'
import { isOpenAi } from './is-openai.js'

const seedsMax = 2 ** 31
const broken = (what: string) => new EngineError('broken', `the upstream sent ${what}`)

/** Pictures from anything that speaks like OpenAI: vLLM-Omni, SGLang, LocalAI, OpenAI itself. */
export const createOpenAiImages = (client: UpstreamClient): ImageEngine => {
  const isOriginal = isOpenAi(client.host)
  /** Model -> fields that it was found not to take. */
  const refusedFields = new Map<string, Set<string>>()

  /** Asks; and asks again without a field that is refused though nobody needs it. That is remembered. */
  const ask = async (fields: Fields, send: (fields: Fields) => Promise<unknown>): Promise<unknown> => {
    const model = String(fields.model)
    const refused = refusedFields.get(model) ?? new Set()
    const sent = Object.fromEntries(Object.entries(fields).filter(([name]) => !refused.has(name)))
    try {
      return await send(sent)
    } catch (error) {
      const name = droppable.find((field) => field in sent && isParameterRefused(error, field))
      if (name === undefined) throw error
      refusedFields.set(model, refused.add(name))
      return ask(fields, send)
    }
  }

  const readPicture = async (item: unknown, signal: StopSignal): Promise<Picture> => {
    const { b64_json, url } = (item ?? {}) as { b64_json?: unknown; url?: unknown }
    if (b64_json !== undefined && b64_json !== null && b64_json !== '') return fromBase64(b64_json)
    if (typeof url !== 'string' || url === '') throw broken('an item without a picture')
    if (url.startsWith('data:')) return fromBase64(url)
    return toPicture(await client.download(url, { signal, answerBytesMax }))
  }

  /** At least one. */
  const readPictures = async (answer: unknown, count: number, signal: StopSignal): Promise<Picture[]> => {
    if (typeof answer !== 'object' || answer === null) throw broken('no object')
    const body = answer as Record<string, unknown>
    if (isFailure(body)) throw client.errorFromEvent(body)
    if (!Array.isArray(body.data) || body.data.length === 0) throw broken('no pictures')
    const pictures: Picture[] = []
    for (const item of body.data.slice(0, count)) pictures.push(await readPicture(item, signal))
    return pictures
  }

  return {
    /** Some servers make one at a time, whatever they are asked for; they are asked again for the rest. */
    async generate(call) {
      const { signal, count } = call
      const pictures: Picture[] = []
      while (pictures.length < count) {
        const rest = { ...call, count: count - pictures.length, seed: (call.seed + pictures.length) % seedsMax }
        const answer = await ask(toGenerateFields(rest, isOriginal), (fields) =>
          client.postForJson('/images/generations', JSON.stringify(fields), { signal, answerBytesMax }),
        )
        pictures.push(...(await readPictures(answer, rest.count, signal)))
      }
      return Promise.all(pictures.map((picture) => toExactSize(picture, call)))
    },

    async edit(call) {
      const { signal } = call
      const answer = await ask(toEditFields(call, isOriginal), (fields) =>
        client.postFormForJson('/images/edits', toEditForm(fields, call), { signal, answerBytesMax }),
      )
      const [picture] = await readPictures(answer, 1, signal)
      if (picture === undefined) throw broken('no picture')
      return call.hasFixedShape ? toExactSize(picture, call) : picture
    },
  }
}
