import type { Catalog, CatalogModelOfType } from '#catalog/catalog.js'
import type { InputPicture } from '#engines/image.js'
import type { Pixels } from '#engines/pixels/pixels.js'
import type { Charge, Sealed } from '#ledger/charge.js'
import { type StopSignal, toAbortSignal } from '#plumbing/stop-signal.js'
import type { Switchboard } from '../switchboard.js'
import { enhanceEdit, enhanceScene } from './enhance-by-rules.js'

type Needs = {
  catalog: () => Catalog
  switchboard: Sealed<Switchboard>
  pixels: Pick<Pixels, 'measure' | 'thumbnail'>
  /** Why a prompt stayed as it was, although better was asked for. */
  onFailed: (reason: unknown) => void
}

export type Wish = {
  prompt: string
  /** Empty when a picture is made from nothing. */
  images: readonly InputPicture[]
  charactersMax: number
  isSafe: boolean
}

/** docs/specification.md, enhance_prompt: it adds up to about 30 seconds. */
const patienceMs = 30_000
const tokensMax = 500
const thumbnailSide = 768

/**
 * Rewrites prompts before a picture is made. It fails open: whatever goes wrong, the prompt stays as it was, and nothing is
 * charged for it. With a connected text model, that model writes; on a bare machine a few rules do.
 */
export const createEnhance = ({ catalog, switchboard, pixels, onFailed }: Needs) => {
  const writer = (): CatalogModelOfType<'text'> | undefined => {
    const { model: chosen } = catalog().promptEnhancement()
    const { model } = catalog().use(chosen ?? 'default', 'text')
    // The small model that ships with us chats; it would spoil a prompt.
    const isOurs = chosen === undefined && model.bindings.every(({ kind }) => kind === 'embedded')
    return model.offline || isOurs ? undefined : model
  }

  const byModel = async (model: CatalogModelOfType<'text'>, wish: Wish, charge: Charge, signal: StopSignal) => {
    const sees = model.capabilities.supportsVision
    const shown = sees ? wish.images.slice(0, model.capabilities.supportsMultipleImages ? 4 : 1) : []
    const pictures = await Promise.all(shown.map((image) => pixels.thumbnail(image, thumbnailSide, signal)))
    const content = [
      { type: 'text' as const, text: wish.prompt },
      ...pictures.map(({ bytes }) => ({
        type: 'image_url' as const,
        image_url: { url: `data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}` },
      })),
    ]
    const request = {
      messages: [
        { role: 'system' as const, content: instructions(wish) },
        { role: 'user' as const, content: pictures.length > 0 ? content : wish.prompt },
      ],
      max_completion_tokens: Math.min(tokensMax, model.maxCompletionTokens ?? tokensMax),
      n: 1,
    }
    const { answer } = await charge.open(switchboard).answer(model, { request, signal })
    return answer.choices[0]?.message.content ?? ''
  }

  const byRules = async ({ prompt, images: [image] }: Wish, signal: StopSignal) =>
    image === undefined ? enhanceScene(prompt) : enhanceEdit(prompt, await pixels.measure(image, signal))

  /** The better prompt, or undefined when there is none. */
  return async (wish: Wish, charge: Charge, signal: StopSignal): Promise<string | undefined> => {
    const late = AbortSignal.any([toAbortSignal(signal), AbortSignal.timeout(patienceMs)])
    try {
      const model = writer()
      const written = model ? await byModel(model, wish, charge, late) : await byRules(wish, late)
      const better = tidy(written ?? '', wish.charactersMax)
      return better === '' || better === wish.prompt ? undefined : better
    } catch (error) {
      signal.throwIfAborted()
      onFailed(error)
      return undefined
    }
  }
}

export type Enhance = ReturnType<typeof createEnhance>

const instructions = ({ images, isSafe, charactersMax }: Wish): string =>
  [
    images.length > 0
      ? 'You improve instructions for a model that edits pictures. Look at the pictures if you are shown any.'
      : 'You improve descriptions for a model that draws pictures.',
    'Keep everything the user asks for, in the language of the user. Make it clearer and add fitting detail.',
    ...(isSafe ? ['The result must be suitable for everybody.'] : []),
    `Answer with the new text alone, in at most ${Math.min(charactersMax, 1500)} characters.`,
  ].join(' ')

/** Models like to wrap what they write; only the prompt itself is wanted. */
const tidy = (text: string, charactersMax: number): string => {
  const bare = text
    .replace(/<think>[\s\S]*?(<\/think>|$)/g, '')
    .trim()
    .replace(/^(?:(?:new|improved|enhanced|better)\s+)?prompt\s*:\s*/i, '')
    .replace(/^"([^"]*)"$/s, '$1')
    .trim()
  if (bare.length <= charactersMax) return bare
  const cut = bare.slice(0, charactersMax)
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), cut.lastIndexOf('\n'), 1)).trimEnd()
}
