import type { CatalogModel } from '#catalog/catalog.js'
import { fail } from '#contract/errors.js'
import { EngineError } from '#engines/engine-error.js'
import type { InputPicture, Picture, PictureFormat } from '#engines/image.js'
import type { Routed } from '#engines/routing/router.js'
import type { Answer } from '#ledger/answers.js'
import type { Line } from '#ledger/bill.js'
import type { Charge, Sealed, Settled } from '#ledger/charge.js'
import { goodsOf } from '#ledger/goods.js'
import type { Order } from '#ledger/metered.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import { routeHeaders } from '../answer.js'
import { checkPrompt } from '../content-policy/check-prompt.js'
import type { Switchboard } from '../switchboard.js'
import { engineFailure } from '../text/failures.js'
import type { Enhance } from './enhance.js'
import type { Judge } from './judge.js'

type ImageModel = Pick<CatalogModel, 'id' | 'type' | 'contextTokens' | 'contentPolicies'>

/** A picture to be made, checked and priced: everything is known but the pixels. */
export type ImageJob = {
  model: ImageModel
  /** About the model; every answer carries them. */
  headers: Record<string, string>
  lines: Line[]
  /** Empty where there is nothing to say. */
  prompt: string
  /** What must not be seen. */
  negativePrompt?: string | undefined
  /** Wanted: a better prompt, from these pictures and at most so long, at the price of the moment. */
  enhancement: { images: readonly InputPicture[]; charactersMax: number; line: Line } | undefined
  isSafe: boolean
  format: PictureFormat
  /** What to write into the file, given the prompt that was used. */
  note?: ((prompt: string) => string) | undefined
  make(switchboard: Switchboard, prompt: string, signal: StopSignal): Promise<Routed<Picture[]>>
  answer(made: Made): Pick<Answer, 'headers' | 'body'>
}

export type Made = {
  pictures: Picture[]
  /** Milliseconds: until the engine began, of its work, and in all. */
  timing: { beforeMs: number; engineMs: number; totalMs: number }
}

type Needs = {
  switchboard: Sealed<Switchboard>
  enhance: Enhance
  judge: Judge
}

/** Makes pictures of all kinds: with a better prompt if wanted, looked at before they leave, and paid for once. */
export const createMakeImages = ({ switchboard, enhance, judge }: Needs) => {
  /** The prompt that is used, when it is another than the caller's. */
  const betterPrompt = async (job: ImageJob, charge: Charge, signal: StopSignal): Promise<string | undefined> => {
    const { enhancement, prompt, isSafe, model } = job
    if (enhancement === undefined || !charge.affords([...job.lines, enhancement.line])) return undefined
    const { images, charactersMax } = enhancement
    const better = await enhance({ prompt, isSafe, images, charactersMax }, charge, signal)
    try {
      if (better !== undefined) checkPrompt(model, [better])
      return better
    } catch {
      return undefined
    }
  }

  /** A better prompt must not be the reason why nothing is made. */
  const make = async (job: ImageJob, better: string | undefined, charge: Charge, signal: StopSignal) => {
    const engines = charge.open(switchboard)
    if (better === undefined) return { routed: await job.make(engines, job.prompt, signal), better }
    try {
      return { routed: await job.make(engines, better, signal), better }
    } catch (error) {
      if (!(error instanceof EngineError) || error.mayRetry) throw error
      return { routed: await job.make(engines, job.prompt, signal), better: undefined }
    }
  }

  return {
    /** What to hold. Refuses, before anything is, what the model must not make. */
    admit({ model, lines, prompt, negativePrompt, enhancement }: ImageJob): Pick<Order, 'goods' | 'least' | 'most'> {
      checkPrompt(model, [prompt])
      // Clothes that must not be seen are a way to ask for what a prompt may not say.
      if (negativePrompt !== undefined && namesClothes.test(negativePrompt)) checkPrompt(model, [`naked ${prompt}`])
      const most = enhancement === undefined ? lines : [...lines, enhancement.line]
      return { goods: goodsOf(model), least: lines, most }
    },

    /** Runs in the gate: the charge is taken already. */
    async run(job: ImageJob, charge: Charge, signal: StopSignal): Promise<Settled<Answer>> {
      const { model, format, isSafe } = job
      const startedMs = performance.now()
      if (signal.aborted) throw fail('callerLeft')
      try {
        const wished = await betterPrompt(job, charge, signal)
        const beganMs = performance.now()
        const { routed, better } = await make(job, wished, charge, signal)
        const engineMs = performance.now() - beganMs
        const rules = {
          modelId: model.id,
          isSafe,
          forbidsAdult: model.contentPolicies.some(({ name }) => name === 'sexual'),
          format,
          note: job.note?.(better ?? job.prompt),
        }
        const judged = await judge(routed.answer, rules, signal)
        const timing = { beforeMs: beganMs - startedMs, engineMs, totalMs: performance.now() - startedMs }
        const { headers, body } = job.answer({ pictures: judged.pictures, timing })
        const reply: Answer = {
          status: 200,
          headers: {
            ...headers,
            ...job.headers,
            ...judged.headers,
            ...routeHeaders(routed.target, routed.retries),
            'x-svc-control-instance': `${routed.target}-${charge.requestId.slice(0, 8)}`,
            ...(better !== undefined && { 'x-svc-enhanced-prompt': headerValue(better) }),
          },
          body,
        }
        const extra = better === undefined || job.enhancement === undefined ? [] : [job.enhancement.line]
        return await charge.settle({ lines: [...job.lines, ...extra], countedBy: 'upstream' }, reply)
      } catch (error) {
        // Nothing was made for a caller who has left, so nothing is paid.
        if (signal.aborted) throw fail('callerLeft').because(error)
        throw engineFailure(error, model)
      }
    },
  }
}

const namesClothes = /\b(?:cloth(?:es|ed|ing)|swim(?:suit|wear)|bikini|underwear|lingerie|panties|covered up)\b/i

export type MakeImages = ReturnType<typeof createMakeImages>

/** Header lines longer than this are dropped by common proxies. */
const headerCharactersMax = 6_000

/** URL-encoded, as the specification says, and cut between characters where it would be too long for a header. */
const headerValue = (prompt: string): string => {
  let encoded = ''
  for (const character of prompt) {
    // Half of a character cannot be encoded.
    const next = /^[\ud800-\udfff]$/.test(character) ? '%EF%BF%BD' : encodeURIComponent(character)
    if (encoded.length + next.length > headerCharactersMax) break
    encoded += next
  }
  return encoded
}
