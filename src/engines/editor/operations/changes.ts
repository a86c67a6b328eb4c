import type { Raster } from '../../pixels/raster.js'
import type { Kind, Operation, Step } from '../operation.js'
import { kindOf } from '../operation.js'
import type { Session } from './session.js'

/** Wishes for how a picture is to be; one that is so already fulfils them. */
const states: ReadonlySet<Operation['do']> = new Set(['grey', 'levels', 'threshold'])
/** These change every picture, except by nothing. */
const sure: ReadonlySet<Operation['do']> = new Set([
  'brightness',
  'contrast',
  'exposure',
  'fade',
  'temperature',
  'tint',
  'duotone',
  'sepia',
  'invert',
  'blur',
  'sharpen',
  'deblur',
  'pixelate',
  'vignette',
  'grain',
  'lightLeak',
  'glow',
])
const measurable: ReadonlySet<Kind> = new Set(['tone', 'colour', 'detail', 'effect', 'removal'])

const isByNothing = (operation: Operation) =>
  ('amount' in operation && operation.amount === 0) ||
  ('stops' in operation && operation.stops === 0) ||
  ('degrees' in operation && operation.degrees % 360 === 0)

const mayDoNothing = ({ operation, area }: Step, { mask }: Session): boolean => {
  if (operation.do === 'rotate') return isByNothing(operation)
  if (!measurable.has(kindOf(operation)) || states.has(operation.do)) return false
  return area !== undefined || mask !== undefined || !sure.has(operation.do) || isByNothing(operation)
}

/** Differs where pictures do, nearly always. */
const fingerprintOf = ({ data, width }: Raster): number => {
  const pixels = new Uint32Array(data.buffer, data.byteOffset, data.length / 4)
  let print = width
  for (const pixel of pixels) print = Math.imul(print ^ pixel, 16777619)
  return print
}

const isOfColours = ({ operation }: Step) => operation.do === 'saturation' || operation.do === 'hue'

const hasColours = ({ data }: Raster): boolean => {
  for (let index = 0; index < data.length; index += 4)
    if (data[index] !== data[index + 1] || data[index] !== data[index + 2]) return true
  return false
}

/** Does a step, and notes whether the picture is another one than before: nothing else may be sold as an edit. */
export const notingChange = async (session: Session, step: Step, work: () => Promise<void>): Promise<void> => {
  if (session.hasChanged || !mayDoNothing(step, session)) {
    await work()
    session.hasChanged = true
    return
  }
  // Whether there are colours says as much, and spares the second look.
  if (isOfColours(step) && !step.area && !session.mask && !isByNothing(step.operation)) {
    session.hasChanged = hasColours(await session.canvas.raster())
    return work()
  }
  const before = fingerprintOf(await session.canvas.raster())
  await work()
  session.hasChanged = fingerprintOf(await session.canvas.raster()) !== before
}
