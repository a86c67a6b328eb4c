import { EngineError } from '../engine-error.js'
import type { Raster } from '../pixels/raster.js'
import type { Stop } from '../threads/serve.js'

/** How much a style is seen: 0 to 1. Without it, as the style is meant. */
export type StyleWish = { seed: number; strength?: number; stop: Stop; quality?: 'low' | 'medium' | 'high' }

export type Inpainter = { fill(raster: Raster, hole: Uint8Array, stop: Stop): Promise<Raster> }
export type Cutter = { matte(raster: Raster, stop: Stop): Promise<Uint8Array> }
export type FoundObject = {
  label: string
  score: number
  box: { left: number; top: number; width: number; height: number }
}
export type Finder = { find(raster: Raster, stop: Stop): Promise<FoundObject[]> }

/** What the editor uses and does not do itself. Each is loaded when it is needed first. */
export type Tools = {
  renderStyle(id: string, raster: Raster, wish: StyleWish): Promise<Raster>
  inpainter(): Promise<Inpainter>
  cutter(): Promise<Cutter>
  finder(): Promise<Finder>
  font(): Promise<{ files: string[]; family: string }>
}

const missing = (name: string) => async () => {
  throw new EngineError('unavailable', `the editor has no ${name}`)
}

/** The parts of this service that the editor works with. */
export const loadTools = (): Tools => ({
  renderStyle: missing('styles'),
  inpainter: missing('inpainter'),
  cutter: missing('cutter'),
  finder: missing('finder'),
  async font() {
    const { fontFamily, fontFiles } = await import('../pixels/font.js')
    return { files: fontFiles(), family: fontFamily }
  },
})
