import type { InputPicture } from '#engines/image.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import type { ChosenModel } from '../model-choice.js'
import { editLines } from './image-bill.js'
import type { ImageJob } from './make-images.js'
import type { PictureInput, PictureSource } from './picture-input.js'
import { binary } from './replies.js'

/** The trait of the model that POST /image/background-remove uses; callers cannot choose one. */
export const cutOutTrait = 'background_removal'

/** Makes everything but the subject of a picture transparent. */
export const createCutOut =
  ({ pictureInput }: { pictureInput: PictureInput }) =>
  async ({ model, headers }: ChosenModel<'inpaint'>, source: PictureSource, signal: StopSignal): Promise<ImageJob> => {
    const [image] = (await pictureInput([source], signal, { pixelsMin: 1 })) as [InputPicture]
    const tier = model.constraints.defaultResolution ?? '1K'
    return {
      model,
      headers,
      lines: editLines(model, { tier, quality: 'high', inputs: 1 }),
      prompt: '',
      enhancement: undefined,
      isSafe: false,
      format: 'png',
      async make(switchboard, _prompt, stop) {
        const { answer, ...routed } = await switchboard.cutOut(model, { image, signal: stop })
        return { ...routed, answer: [answer] }
      },
      answer: ({ pictures }) => binary(pictures),
    }
  }

export type CutOut = ReturnType<typeof createCutOut>
