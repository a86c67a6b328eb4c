import type { Raster } from '../pixels/raster.js'
import { styleNamed } from '../styles/styles.js'
import type { Stop } from '../threads/serve.js'

/** Gives a finished picture the look of a style, as far as only pixels can show it. */
export type ApplyStyle = (name: string, raster: Raster, seed: number, stop: Stop) => Promise<Raster>

/** Strong enough that nothing of the plain drawing shows through. */
const strength = 0.8

export const finishStyle: ApplyStyle = async (name, raster, seed, stop) =>
  (await styleNamed(name)?.render(raster, { seed, strength, stop })) ?? raster
