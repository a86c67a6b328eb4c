import type { StopSignal } from '#plumbing/stop-signal.js'

export const pictureFormats = ['png', 'jpeg', 'webp'] as const
export type PictureFormat = (typeof pictureFormats)[number]

/** A picture that an engine made, encoded. */
export type Picture = { bytes: Uint8Array; format: PictureFormat }

/**
 * A picture that a caller sent. Its size is the one a viewer sees, so a photograph that was taken upright is taller than
 * wide. Only its head was read until now: an engine that finds the rest unreadable throws `EngineError('unreadable')`.
 */
export type InputPicture = { bytes: Uint8Array; width: number; height: number }

export type Quality = 'low' | 'medium' | 'high'

/**
 * An engine that makes or changes pictures. What it cannot do it does not have; the catalog says which models are for what.
 * All of them throw `EngineError`, and stop soon after the signal fires.
 */
export type ImageEngine = {
  /** As many pictures as were asked for. */
  generate?(call: GenerateCall): Promise<Picture[]>
  edit?(call: EditCall): Promise<Picture>
  upscale?(call: UpscaleCall): Promise<Picture>
  /** The picture as PNG, with what is not its subject made transparent. */
  cutOut?(call: CutOutCall): Promise<Picture>
}

type EveryCall = {
  /** The engine's own name for the model. */
  model: string
  signal: StopSignal
}

/** The format is a wish: what comes in another one is converted afterwards. Sizes are an order. */
type OutputWish = { width: number; height: number; format: PictureFormat }

export type GenerateCall = EveryCall &
  OutputWish & {
    prompt: string
    negativePrompt?: string | undefined
    /** How many pictures; each differs from the others. */
    count: number
    /** The same seed gives the same pictures, where the engine can do that. Not negative, below 2^31. */
    seed: number
    steps?: number | undefined
    guidance?: number | undefined
    /** A name of GET /image/styles. */
    style?: string | undefined
    styleReferences?: { image: InputPicture; strength: number }[] | undefined
    quality?: Quality | undefined
    /** 0 to 100. */
    loraStrength?: number | undefined
    /** Nothing behind the subject, where the engine can do that. */
    isTransparent?: boolean | undefined
    isWatermarkHidden?: boolean | undefined
  }

export type EditCall = EveryCall &
  OutputWish & {
    prompt: string
    /** At least one: first the base image, then layers or masks. */
    images: InputPicture[]
    /** Transparent where the base image is to be changed, as clients of OpenAI send it. */
    mask?: InputPicture | undefined
    /** The shape was asked for; otherwise it follows the base image, and an edit that changes the shape may change it. */
    hasFixedShape: boolean
    quality?: Quality | undefined
    seed: number
    /** Skip the step in which some models think about the prompt; undefined for the model's own way. */
    skipsPromptThinking?: boolean | undefined
  }

export type UpscaleCall = EveryCall & {
  image: InputPicture
  /** The size of the result. */
  width: number
  height: number
  /** 0 to 0.02: how much detail may be made up. */
  creativity: number
}

export type CutOutCall = EveryCall & { image: InputPicture }
