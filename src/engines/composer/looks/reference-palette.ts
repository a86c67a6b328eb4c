import { EngineError } from '../../engine-error.js'
import type { InputPicture } from '../../image.js'
import { openPicture, toRaster } from '../../pixels/sharp.js'
import { colourOfLab, hexOf, labOf, type Recolour } from '../colour.js'
import { blended, throughColours } from './changes.js'

const side = 40
const steps = 6

/** The colours of a picture from its darkest to its lightest part. */
const rampOf = async ({ bytes }: InputPicture, index: number): Promise<string[]> => {
  const raster = await toRaster(openPicture(bytes).resize(side, side, { fit: 'fill' })).catch((cause) => {
    throw new EngineError('unreadable', 'a style reference cannot be read', {
      said: `style reference ${index + 1} cannot be read`,
      cause,
    })
  })
  const labs: [number, number, number][] = []
  for (let at = 0; at < raster.data.length; at += 4) {
    const [red, green, blue, alpha] = raster.data.subarray(at, at + 4) as unknown as [number, number, number, number]
    if (alpha > 128) labs.push(labOf(red, green, blue))
  }
  if (labs.length === 0) return ['#000000', '#ffffff']
  labs.sort((first, second) => first[0] - second[0])
  return Array.from({ length: steps }, (_, step) => {
    const part = labs.slice(
      Math.floor((step * labs.length) / steps),
      Math.max(1, Math.floor(((step + 1) * labs.length) / steps)),
    )
    const mean = ([0, 1, 2] as const).map(
      (channel) => part.reduce((sum, lab) => sum + lab[channel], 0) / Math.max(1, part.length),
    )
    return hexOf(colourOfLab(mean as [number, number, number]))
  })
}

/** A change of colours towards those of the reference pictures, each by its strength from 0 to 1. */
export const paletteOf = async (
  references: readonly { image: InputPicture; strength: number }[],
): Promise<Recolour | undefined> => {
  const changes: Recolour[] = []
  for (const [index, { image, strength }] of references.entries())
    changes.push(blended(throughColours(...(await rampOf(image, index))), Math.min(1, Math.max(0, strength)) * 0.85))
  return changes.length === 0 ? undefined : (hex) => changes.reduce((colour, change) => change(colour), hex)
}
