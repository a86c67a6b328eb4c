import type { Stop } from '../threads/serve.js'
import type { Canvas } from './blocks/canvas.js'

export type Detail = 'low' | 'medium' | 'high'

export type How = { seed: number; detail: Detail; stop: Stop }

/** Repaints a picture in a style. It may use the canvas up. */
export type Look = (picture: Canvas, how: How) => Canvas
