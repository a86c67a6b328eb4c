import { randomUUID } from 'node:crypto'
import { FormData } from 'undici'
import { type StopSignal, toAbortSignal } from '#plumbing/stop-signal.js'
import { EngineError } from '../engine-error.js'
import type { ImageEngine, InputPicture, Picture, Quality } from '../image.js'
import type { UpstreamClient } from '../upstream/client.js'
import { pictureAnswerBytesMax as answerBytesMax, fileNameOf, mediaTypeOf, toPicture } from '../upstream/pictures.js'
import { unsupported, withStyle } from '../upstream/prompt-words.js'
import { checkMask, toExactSize } from '../upstream/reshape.js'
import { createJobs, type OutputFile } from './jobs.js'
import { usualEdit, usualGenerate, usualInpaint, usualUpscale } from './usual-workflows.js'
import { fillWorkflow, placeholdersIn, readWorkflow, type Values, type Workflow } from './workflow.js'

/** Where the workflows of a model lie, in API format; the usual ones where there is none. */
export type WorkflowFiles = {
  generate?: string | undefined
  edit?: string | undefined
  upscale?: string | undefined
}

type Needs = {
  /** By the engine's name for the model. */
  workflows?: Record<string, WorkflowFiles> | undefined
  /** How often to ask whether a workflow is finished when the server does not say so. */
  pollMs?: number
}

const stepsFor: Record<Quality, number> = { low: 12, medium: 20, high: 30 }
const usualValues = (quality: Quality = 'medium'): Values => ({
  negative_prompt: '',
  steps: stepsFor[quality],
  cfg: 7,
  lora_strength: 1,
  count: 1,
})

/** Its latents have one value for 8 x 8 pixels, and a rest would be cut off. */
const rounded = (pixels: number) => Math.ceil(pixels / 8) * 8
const seedsMax = 2 ** 31

/** What a workflow must have a place for when a caller asks for it. */
const wishes: Record<string, string> = {
  negative_prompt: 'a negative prompt',
  steps: 'a number of steps',
  cfg: 'a guidance scale',
  mask: 'a mask',
  image2: 'more than one image',
  image3: 'more than two images',
}

const checkWishes = (names: ReadonlySet<string>, asked: Readonly<Record<string, unknown>>) => {
  for (const [name, words] of Object.entries(wishes))
    if (asked[name] !== undefined && !names.has(name)) throw unsupported(words)
}

/** Pictures from ComfyUI. A model is a workflow of the operator, or a checkpoint that the usual workflows load. */
export const createComfyUi = (client: UpstreamClient, { workflows = {}, pollMs = 1_000 }: Needs = {}): ImageEngine => {
  const jobs = createJobs(client, { pollMs })

  const fileFor = (model: string, work: keyof WorkflowFiles): string | undefined =>
    Object.hasOwn(workflows, model) ? workflows[model]?.[work] : undefined
  const workflowFor = async (model: string, work: keyof WorkflowFiles, usual: Workflow): Promise<Workflow> => {
    const file = fileFor(model, work)
    return file === undefined ? usual : readWorkflow(file)
  }

  /** A picture of the work takes many calls; all of them together have the time that one call may take. */
  const limited = async <T>(caller: StopSignal, work: (signal: StopSignal) => Promise<T>): Promise<T> => {
    const deadline = AbortSignal.timeout(client.totalMs)
    try {
      return await work(AbortSignal.any([toAbortSignal(caller), deadline]))
    } catch (error) {
      if (caller.aborted || !deadline.aborted) throw error
      throw new EngineError('timeout', `the upstream was not finished after ${client.totalMs} ms`)
    }
  }

  /** Gives the name by which a LoadImage node finds it. Kept where the server cleans up by itself. */
  const upload = async ({ bytes }: InputPicture, signal: StopSignal): Promise<string> => {
    const form = new FormData()
    const blob = new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mediaTypeOf(bytes) })
    form.append('image', blob, fileNameOf(`tessera-${randomUUID()}`, bytes))
    form.append('type', 'temp')
    const answer = await client.postFormForJson('/upload/image', form, { signal })
    const { name, subfolder = '', type = 'input' } = (answer ?? {}) as Record<string, unknown>
    if (typeof name !== 'string') throw new EngineError('broken', 'the upstream sent no name for an upload')
    const path = subfolder === '' ? name : `${String(subfolder)}/${name}`
    return type === 'input' ? path : `${path} [${String(type)}]`
  }

  const view = async ({ filename, subfolder, type }: OutputFile, signal: StopSignal): Promise<Picture> => {
    const query = new URLSearchParams({ filename, subfolder, type })
    return toPicture(await client.getForBytes(`/view?${query}`, { signal, answerBytesMax }))
  }

  /** As many pictures as wanted, from one run or from one run for each. */
  const draw = async (workflow: Workflow, asked: Values, usual: Values, signal: StopSignal): Promise<Picture[]> => {
    const count = Number(asked.count ?? 1)
    const isTogether = placeholdersIn(workflow).has('count')
    const pictures: Picture[] = []
    while (pictures.length < count) {
      const seed = (Number(asked.seed ?? 0) + pictures.length) % seedsMax
      const files = await jobs.run(fillWorkflow(workflow, { ...asked, seed }, usual), signal)
      const wanted = files.slice(0, isTogether ? count : 1)
      if (wanted.length < (isTogether ? count : 1))
        throw new EngineError('broken', 'the workflow gave too few pictures')
      for (const file of wanted) pictures.push(await view(file, signal))
    }
    return pictures
  }

  return {
    generate: (call) =>
      limited(call.signal, async (signal) => {
        const { model, width, height, seed, count, steps, guidance, negativePrompt, loraStrength, quality } = call
        if (call.styleReferences?.length) throw unsupported('style references')
        const workflow = await workflowFor(model, 'generate', usualGenerate)
        const asked = {
          ...{ model, seed, count, steps, cfg: guidance, negative_prompt: negativePrompt || undefined },
          ...{ prompt: withStyle(call.prompt, call.style), width: rounded(width), height: rounded(height) },
          lora_strength: loraStrength === undefined ? undefined : loraStrength / 100,
        }
        checkWishes(placeholdersIn(workflow), asked)
        const pictures = await draw(workflow, asked, usualValues(quality), signal)
        return Promise.all(pictures.map((picture) => toExactSize(picture, call)))
      }),

    edit: (call) =>
      limited(call.signal, async (signal) => {
        const { model, prompt, seed, width, height, images, mask, quality } = call
        const workflow = await workflowFor(model, 'edit', mask ? usualInpaint : usualEdit)
        const [image, image2, image3, ...more] = images
        checkWishes(placeholdersIn(workflow), { mask, image2, image3 })
        if (more.length > 0) throw unsupported('more than three images')
        if (mask) await checkMask(mask)
        const names: Record<string, string> = {}
        for (const [name, picture] of Object.entries({ image, image2, image3, mask }))
          if (picture) names[name] = await upload(picture, signal)
        const asked = { ...names, model, prompt, seed, width: rounded(width), height: rounded(height) }
        const [picture] = await draw(workflow, asked, usualValues(quality), signal)
        if (picture === undefined) throw new EngineError('broken', 'the workflow gave no picture')
        const isUsual = fileFor(model, 'edit') === undefined
        return call.hasFixedShape || isUsual ? toExactSize(picture, call) : picture
      }),

    upscale: (call) =>
      limited(call.signal, async (signal) => {
        const { model, width, height, creativity } = call
        const workflow = await workflowFor(model, 'upscale', usualUpscale)
        const image = await upload(call.image, signal)
        const asked = { model, image, width, height, creativity, prompt: '', seed: 0 }
        const [picture] = await draw(workflow, asked, usualValues(), signal)
        if (picture === undefined) throw new EngineError('broken', 'the workflow gave no picture')
        return toExactSize(picture, { width, height, format: 'png' })
      }),
  }
}
