import { EngineError } from '../engine-error.js'
import type { Raster } from '../pixels/raster.js'
import { once } from '../tensors/once.js'
import type { Stop } from '../threads/serve.js'

/** How much a style is seen: 0 to 1. Without it, as the style is meant. */
export type StyleWish = { seed: number; strength?: number; stop: Stop; quality?: 'low' | 'medium' | 'high' }

export type Inpainter = { fill(raster: Raster, hole: Uint8Array, stop: Stop): Promise<Raster> }
export type Cutter = { matte(raster: Raster, stop: Stop): Promise<Uint8Array> }
export type Box = { left: number; top: number; width: number; height: number }
export type FoundObject = { label: string; score: number; box: Box }
export type FaceFinder = { find(raster: Raster): Promise<Box[]> }
export type Finder = { find(raster: Raster, stop: Stop): Promise<FoundObject[]> }

/** What the editor uses and does not do itself. Each is loaded when it is needed first. */
export type Tools = {
  renderStyle(id: string, raster: Raster, wish: StyleWish): Promise<Raster>
  inpainter(): Promise<Inpainter>
  cutter(): Promise<Cutter>
  finder(): Promise<Finder>
  faceFinder(): Promise<FaceFinder>
  font(): Promise<{ files: string[]; family: string }>
}

/** The parts of this service that the editor works with. */
export const loadTools = (): Tools => ({
  async renderStyle(id, raster, { seed, strength = usualStrength, stop, quality = 'high' }) {
    const { styleNamed } = await import('../styles/styles.js')
    const style = styleNamed(id)
    if (!style) throw new EngineError('unavailable', `there is no style ${id}`)
    return style.render(raster, { seed, strength, detail: quality, stop })
  },
  inpainter: once(async () => (await import('../matter/inpaint.js')).loadInpainter()),
  cutter: once(async () => (await import('../matter/cut.js')).loadCutter()),
  finder: once(async () => (await import('../matter/find.js')).loadFinder()),
  faceFinder: once(async () => (await import('./operations/faces.js')).loadFaceFinder()),
  async font() {
    const { fontFamily, fontFiles } = await import('../pixels/font.js')
    return { files: fontFiles(), family: fontFamily }
  },
})

const usualStrength = 0.8
