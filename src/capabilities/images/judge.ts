import { fail } from '#contract/errors.js'
import type { Picture, PictureFormat } from '#engines/image.js'
import type { Pixels } from '#engines/pixels/pixels.js'
import type { Safety, Verdict } from '#engines/safety/safety.js'
import type { StopSignal } from '#plumbing/stop-signal.js'

type Needs = {
  safety: Pick<Safety, 'look'>
  pixels: Pick<Pixels, 'finish'>
  /** Pictures could not be looked at. */
  onTrouble: (error: unknown) => void
}

type Rules = {
  modelId: string
  /** The caller wants adult content blurred. */
  isSafe: boolean
  /** The model must not show adult content, whatever the caller wants. */
  forbidsAdult: boolean
  format: PictureFormat
  note?: string | undefined
}

export type Judged = { pictures: Picture[]; headers: Record<string, string> }

/** Looks at what was made, hides what must not be seen, and brings it into the format that was asked for. */
export const createJudge = ({ safety, pixels, onTrouble }: Needs) => {
  const look = async ({ bytes }: Picture, { isSafe, forbidsAdult }: Rules, signal: StopSignal) => {
    try {
      return await safety.look(bytes, signal)
    } catch (error) {
      signal.throwIfAborted()
      onTrouble(error)
      // A promise that cannot be kept is not given.
      if (isSafe || forbidsAdult) throw fail('safetyUnavailable').retryAfterMs(5_000).because(error)
      return undefined
    }
  }

  return async (made: readonly Picture[], rules: Rules, signal: StopSignal): Promise<Judged> => {
    const verdicts = await Promise.all(made.map((picture) => look(picture, rules, signal)))
    const some = (question: (verdict: Verdict) => boolean) => verdicts.some((verdict) => verdict && question(verdict))
    const isAdult = some((verdict) => verdict.isAdult)
    const isNeverAllowed = some((verdict) => verdict.isAdult && verdict.containsMinor)
    const isViolation = isAdult && rules.forbidsAdult
    const hides = (verdict: Verdict | undefined) => verdict?.isAdult === true && (rules.isSafe || rules.forbidsAdult)
    const headers = {
      'x-svc-is-blurred': String(verdicts.some(hides)),
      'x-svc-is-content-violation': String(isViolation || isNeverAllowed),
      'x-svc-is-adult-model-content-violation': String(isNeverAllowed),
      ...(verdicts.every((verdict) => verdict !== undefined) && {
        'x-svc-contains-minor': String(some((verdict) => verdict.containsMinor)),
      }),
    }
    if (isNeverAllowed)
      throw fail('contentPolicyViolation', rules.modelId, 'sexualization of minors').withHeaders(headers)
    const pictures = await Promise.all(
      made.map((picture, index) => finish(picture, hides(verdicts[index]), rules, signal)),
    )
    return { pictures, headers }
  }

  function finish(picture: Picture, isBlurred: boolean, { format, note }: Rules, signal: StopSignal) {
    if (picture.format === format && !isBlurred && note === undefined) return picture
    return pixels.finish(picture, { format, isBlurred, note }, signal)
  }
}

export type Judge = ReturnType<typeof createJudge>
