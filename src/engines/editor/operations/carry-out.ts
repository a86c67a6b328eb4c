import type { Area, Operation, Shape, Step } from '../operation.js'
import { blurParts, kindOf } from '../operation.js'
import { notFound } from '../refusals.js'
import { boundsOf, boxOf, grownBox, ifRefused, maskOf } from './areas.js'
import { notingChange } from './changes.js'
import { colourMatrixOf } from './colour-matrix.js'
import { changeBackground, removeContent } from './content.js'
import { applyCurve } from './curves.js'
import { denoised, motionBlurred, scratchesIn, zoomBlurred } from './detail.js'
import { applyGlow, applyGrain, applyLightLeak, applyLocalContrast, applyVignette } from './effects.js'
import { addFrame } from './frame.js'
import { applyThreshold, applyVibrance, colourMask, paint } from './hues.js'
import { combine } from './layering.js'
import { write } from './lettering.js'
import { copyOf, mixByMask, shareOf } from './masks.js'
import type { Session } from './session.js'
import { changeShape, extract, placedBox } from './shape.js'
import { softlyBlurred } from './soft-blur.js'

const shorterSide = ({ width, height }: { width: number; height: number }) => Math.min(width, height)

const crop = async (session: Session, shape: Extract<Shape, { do: 'crop' | 'cropPixels' }>, area: Area | undefined) => {
  const { canvas } = session
  if (shape.do === 'cropPixels') {
    // Pixels of the image as it was sent, whatever size it is worked on.
    const { width, height } = session.imageSize(0)
    const part = {
      width: Math.max(1, Math.min(canvas.width, Math.round((shape.width * canvas.width) / width))),
      height: Math.max(1, Math.min(canvas.height, Math.round((shape.height * canvas.height) / height))),
    }
    return extract(canvas, placedBox(canvas, part, shape.place))
  }
  if (!area) return extract(canvas, boxOf(shape.region, canvas))
  const bounds = boundsOf(await maskOf(session, area), canvas.width)
  if (!bounds) throw notFound('subject')
  const box = grownBox(bounds, 0.06)
  const { width, height } = canvas
  return extract(
    canvas,
    boxOf(
      {
        left: Math.max(0, box.left / width),
        top: Math.max(0, box.top / height),
        width: Math.min(1, (box.left + box.width) / width) - Math.max(0, box.left / width),
        height: Math.min(1, (box.top + box.height) / height) - Math.max(0, box.top / height),
      },
      canvas,
    ),
  )
}

/** Changes pixels where they are. */
const onPixels = async (
  { canvas }: Session,
  change: (raster: Awaited<ReturnType<typeof canvas.raster>>) => unknown,
) => {
  const raster = await canvas.raster()
  await change(raster)
  canvas.put(raster)
}

const everywhere = async (session: Session, operation: Operation): Promise<void> => {
  const { canvas, seed, stop } = session
  const matrix = colourMatrixOf(operation)
  if (matrix) return canvas.recolour(matrix)
  switch (operation.do) {
    case 'sharpen':
      return canvas.pipe('sharpen', (picture) =>
        picture.sharpen({
          sigma: 0.7 + 0.35 * operation.amount,
          m1: 0.6 * operation.amount,
          m2: 1.6 + operation.amount,
        }),
      )
    case 'deblur':
      return canvas.pipe('sharpen', (picture) =>
        picture.sharpen({ sigma: 1.6 + 0.6 * operation.amount, m1: 1.2, m2: 3 + operation.amount }),
      )
    case 'blur': {
      const reach = operation.amount * shorterSide(canvas)
      const raster = await canvas.raster()
      if (operation.kind === 'soft') return canvas.put(await softlyBlurred(raster, Math.max(0.5, reach / blurParts)))
      return canvas.put(
        operation.kind === 'motion'
          ? motionBlurred(raster, Math.max(1, Math.round(reach / 40)))
          : zoomBlurred(raster, operation.amount, stop),
      )
    }
    case 'pixelate': {
      const { width, height } = canvas
      const block = Math.max(2, Math.round((shorterSide(canvas) / 36) * operation.amount))
      await canvas.resize({
        width: Math.max(1, Math.round(width / block)),
        height: Math.max(1, Math.round(height / block)),
      })
      return canvas.resize({ width, height }, { kernel: 'nearest' })
    }
    case 'denoise':
      return canvas.put(denoised(await canvas.raster(), operation.amount, stop))
    case 'scratches':
      return onPixels(session, async (raster) => {
        const { mask, around } = await scratchesIn(raster)
        for (let pixel = 0; pixel < mask.length; pixel++)
          if (mask[pixel] === 255) raster.data.set(around.data.subarray(pixel * 4, pixel * 4 + 3), pixel * 4)
      })
    case 'vibrance':
      return onPixels(session, (raster) => applyVibrance(raster, operation.amount))
    case 'threshold':
      return onPixels(session, applyThreshold)
    case 'recolour':
      return onPixels(session, (raster) => {
        const weights = colourMask(raster, operation.from)
        if (shareOf(weights) < 0.0005) throw notFound('such colour')
        paint(raster, weights, operation.to)
      })
    case 'paint':
      return onPixels(session, (raster) =>
        paint(raster, new Uint8Array(raster.width * raster.height).fill(255), operation.to),
      )
    case 'localContrast':
      return onPixels(session, (raster) => applyLocalContrast(raster, operation.amount))
    case 'glow':
      return onPixels(session, (raster) => applyGlow(raster, operation.amount))
    case 'vignette':
      return onPixels(session, (raster) => applyVignette(raster, operation.amount, operation.colour))
    case 'grain':
      return onPixels(session, (raster) => applyGrain(raster, operation.amount, seed))
    case 'lightLeak':
      return onPixels(session, (raster) => applyLightLeak(raster, operation.amount, seed))
    case 'style': {
      // The order of details is only for strokes; what others look like does not depend on it.
      const quality = operation.id === 'oil-painting' ? session.quality : 'medium'
      const wish = { seed, stop, quality, ...(operation.strength !== undefined && { strength: operation.strength }) }
      return canvas.put(await session.tools.renderStyle(operation.id, await canvas.raster(), wish))
    }
    default:
      return onPixels(session, (raster) => applyCurve(raster, operation))
  }
}

/** Only where the area is, which is looked for in the picture as it was before. */
const within = async (session: Session, operation: Operation, area: Area | undefined) => {
  const before = copyOf(await session.canvas.raster())
  // What was named with its colour is known by that already; its box only narrows it down.
  const mask = area ? await maskOf(session, area).catch(orEverywhere(operation, before)) : session.mask
  await everywhere(session, operation)
  if (mask) session.canvas.put(mixByMask(before, await session.canvas.raster(), mask))
}

const orEverywhere =
  (operation: Operation, { width, height }: { width: number; height: number }) =>
  (error: unknown) => {
    if (operation.do !== 'recolour') throw error
    return ifRefused(() => new Uint8Array(width * height).fill(255))(error)
  }

const isAddition = (operation: Operation) =>
  ['text', 'frame', 'layers', 'shape', 'removal', 'background'].includes(kindOf(operation))

/** Does one step of an edit. */
export const carryOut = (session: Session, step: Step): Promise<void> => {
  session.stop.check()
  return notingChange(session, step, () => doStep(session, step))
}

const doStep = async (session: Session, { operation, area }: Step): Promise<void> => {
  switch (operation.do) {
    case 'crop':
    case 'cropPixels':
      await crop(session, operation, area)
      break
    case 'cropRatio':
    case 'rotate':
    case 'flip':
    case 'resize':
    case 'scale':
      await changeShape(session.canvas, operation, session.width * session.height)
      break
    case 'text':
      return write(session, operation)
    case 'border':
    case 'rounded':
    case 'shadow':
    case 'polaroid':
      await addFrame(session.canvas, operation)
      break
    case 'circle': {
      await changeShape(
        session.canvas,
        { do: 'cropRatio', ratio: 1, place: { x: 'center', y: 'middle' } },
        Number.POSITIVE_INFINITY,
      )
      await addFrame(session.canvas, operation)
      break
    }
    case 'remove':
      return removeContent(session, area)
    case 'background':
      return changeBackground(session, operation)
    case 'layer':
      return combine(session, operation)
    case 'arrange':
      await combine(session, operation)
      break
    default:
      if (area || session.mask) await within(session, operation, area)
      else await everywhere(session, operation)
      return
  }
  if (isAddition(operation)) {
    // They were for the shape as it was.
    session.matte = undefined
    session.mask = undefined
  }
}
