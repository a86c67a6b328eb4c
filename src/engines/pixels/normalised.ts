import type { ImageEngine, InputPicture } from '../image.js'
import type { Pixels } from './pixels.js'

/**
 * An engine whose input pictures are made ready for any backend first: a phone's sideways photograph, a CMYK scan or an
 * animation reach it as an upright picture in sRGB. It also takes places and names of cameras out of them.
 */
export const withNormalisedInputs = (engine: ImageEngine, { normalise }: Pick<Pixels, 'normalise'>): ImageEngine => {
  const { generate, edit, upscale, cutOut } = engine
  const all = (images: InputPicture[], signal: Parameters<typeof normalise>[1]) =>
    Promise.all(images.map((image) => normalise(image, signal)))
  return {
    ...(generate && {
      async generate(call) {
        const references = call.styleReferences ?? []
        const images = await all(
          references.map(({ image }) => image),
          call.signal,
        )
        const styleReferences = images.map((image, index) => ({ image, strength: references[index]?.strength ?? 0.5 }))
        return generate({ ...call, ...(references.length > 0 && { styleReferences }) })
      },
    }),
    ...(edit && {
      async edit(call) {
        const images = await all(call.images, call.signal)
        const mask = call.mask && (await normalise(call.mask, call.signal))
        return edit({ ...call, images, mask })
      },
    }),
    ...(upscale && {
      upscale: async (call) => upscale({ ...call, image: await normalise(call.image, call.signal) }),
    }),
    ...(cutOut && { cutOut: async (call) => cutOut({ ...call, image: await normalise(call.image, call.signal) }) }),
  }
}
