import type { Catalog } from '#catalog/catalog.js'
import type { Pixels } from '#engines/pixels/pixels.js'
import type { Safety } from '#engines/safety/safety.js'
import type { Sealed } from '#ledger/charge.js'
import type { GuardedFetch } from '#plumbing/guarded-fetch/guarded-fetch.js'
import type { Switchboard } from '../switchboard.js'
import { createCutOut } from './cut-out.js'
import { createEdit } from './edit.js'
import { createEnhance } from './enhance.js'
import { createGenerate } from './generate.js'
import { createJudge } from './judge.js'
import { createMakeImages } from './make-images.js'
import { createPictureInput } from './picture-input.js'
import { createUpscale } from './upscale.js'

type Needs = {
  catalog: () => Catalog
  switchboard: Sealed<Switchboard>
  guardedFetch: GuardedFetch
  pixels: Pixels
  safety: Safety
  /** Something went wrong that the request survived. */
  onTrouble: (what: string, cause: unknown) => void
}

/** Everything that can be done with pictures, put together. */
export const createImages = ({ catalog, switchboard, guardedFetch, pixels, safety, onTrouble }: Needs) => {
  const pictureInput = createPictureInput({ guardedFetch, pixels })
  const enhance = createEnhance({
    ...{ catalog, switchboard, pixels },
    onFailed: (cause) => onTrouble('a prompt could not be enhanced; it was used as it is', cause),
  })
  const judge = createJudge({
    ...{ safety, pixels },
    onTrouble: (cause) => onTrouble('a picture could not be looked at', cause),
  })
  return {
    generate: createGenerate({ catalog, pictureInput }),
    edit: createEdit({ catalog, pictureInput }),
    upscale: createUpscale({ pictureInput }),
    cutOut: createCutOut({ pictureInput }),
    makeImages: createMakeImages({ switchboard, enhance, judge }),
  }
}
