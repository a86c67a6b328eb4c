import type { Raster } from '../pixels/raster.js'
import type { Stop } from '../threads/serve.js'

/** Gives a finished picture the look of a style, as far as only pixels can show it. */
export type ApplyStyle = (name: string, raster: Raster, seed: number, stop: Stop) => Promise<Raster>

/** No style does anything to pixels yet; palettes, outlines and light of styles come from `looks`. */
export const finishStyle: ApplyStyle | undefined = undefined
