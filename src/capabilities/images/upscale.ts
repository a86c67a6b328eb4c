import { fail, failField } from '#contract/errors.js'
import type { ImageUpscaleRequest } from '#contract/images.js'
import type { InputPicture } from '#engines/image.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import type { ChosenModel } from '../model-choice.js'
import { upscaleLines } from './image-bill.js'
import type { ImageJob } from './make-images.js'
import type { PictureInput, PictureSource } from './picture-input.js'
import { binary } from './replies.js'
import type { Size } from './sizes.js'

/** Of the result. */
const pixelsMax = 16_777_216
const usualCreativity = 0.01
const creativityMax = 0.02

/** As large as was asked for, or as large as it may be. */
const enlarged = ({ width, height }: InputPicture, scale: number): Size => {
  const most = Math.sqrt(pixelsMax / (width * height))
  // Only 4 is lowered; who asks for 2 and cannot have it is told so.
  const factor = scale === 4 ? Math.min(4, most) : most < scale ? 0 : scale
  const side = (length: number) => (factor === scale ? length * scale : Math.floor(length * factor))
  return { width: side(width), height: side(height) }
}

/** Enlarges pictures. */
export const createUpscale =
  ({ pictureInput }: { pictureInput: PictureInput }) =>
  async (
    { model, headers }: ChosenModel<'upscale'>,
    body: ImageUpscaleRequest,
    source: PictureSource,
    signal: StopSignal,
  ): Promise<ImageJob> => {
    const { scale = 2 } = body
    if (scale !== 2 && scale !== 4) throw failField('scale', 'must be 2 or 4')
    const [image] = (await pictureInput([source], signal)) as [InputPicture]
    const size = enlarged(image, scale)
    if (size.width <= image.width) {
      const most = scale === 2 ? pixelsMax / 4 : pixelsMax - 1
      throw fail('pictureTooLarge', source.place, String(image.width), String(image.height), String(most))
    }
    const creativity = Math.min(creativityMax, Math.max(0, body.creativity ?? usualCreativity))
    return {
      model,
      headers,
      // What had to be lowered to twice the size or less costs as much as that.
      lines: upscaleLines(model, size.width > image.width * 2 ? 4 : 2),
      prompt: '',
      enhancement: undefined,
      isSafe: false,
      format: 'png',
      async make(switchboard, _prompt, stop) {
        const { answer, ...routed } = await switchboard.upscale(model, { image, ...size, creativity, signal: stop })
        return { ...routed, answer: [answer] }
      },
      answer: ({ pictures }) => binary(pictures),
    }
  }

export type Upscale = ReturnType<typeof createUpscale>
