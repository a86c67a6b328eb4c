import type { Raster } from '../../pixels/raster.js'
import type { Stop } from '../../threads/serve.js'
import type { Tools } from '../tools.js'
import type { Canvas } from './canvas.js'

/** One edit while it is done. */
export type Session = {
  canvas: Canvas
  /** An image of the call in this size, or as large as it is. */
  openImage(index: number, size?: { width: number; height: number; fit: 'cover' | 'inside' | 'fill' }): Promise<Raster>
  imageCount: number
  imageSize(index: number): { width: number; height: number }
  /** 255 where the caller's mask says that something is to change; in the size of the canvas. */
  mask?: Uint8Array | undefined
  /** Of the picture as it is now; forgotten when its shape changes. */
  matte?: Uint8Array | undefined
  /** Something was done to the picture. */
  hasChanged: boolean
  /** What is transparent is to be filled, whatever else the prompt names. */
  prefersHoles: boolean
  tools: Tools
  stop: Stop
  seed: number
  quality: 'low' | 'medium' | 'high'
  /** The size that was ordered. */
  width: number
  height: number
  hasFixedShape: boolean
}
