import { EngineError } from '../engine-error.js'
import type { InputPicture, PictureFormat, Quality } from '../image.js'
import { isReadable, openPicture, type Sharp, toRaster } from '../pixels/sharp.js'
import type { Job } from '../threads/serve.js'
import { modelNamed } from './models.js'
import type { Region, Shape, Step } from './operation.js'
import { kindOf } from './operation.js'
import { boxOf } from './operations/areas.js'
import { type Canvas, createCanvas } from './operations/canvas.js'
import { carryOut } from './operations/carry-out.js'
import { sizeInside } from './operations/frame.js'
import type { Session } from './operations/session.js'
import { placedBox, ratioPart } from './operations/shape.js'
import { planEdit } from './plan.js'
import { nothingChanges, tooLong, unreadable } from './refusals.js'
import type { Tools } from './tools.js'

export type EditInput = {
  model: string
  prompt: string
  images: InputPicture[]
  mask?: InputPicture | undefined
  width: number
  height: number
  hasFixedShape: boolean
  format: PictureFormat
  quality?: Quality | undefined
  seed: number
}
export type EditOutput = { bytes: Uint8Array }

type Size = { width: number; height: number }

/** Runs what needs an input. Whether an error is the input's fault is found out by reading nothing but it. */
const reading = async <Value>(
  inputs: { name: string; bytes: Uint8Array }[],
  work: () => Promise<Value>,
): Promise<Value> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof EngineError) throw error
    for (const { name, bytes } of inputs) if (!(await isReadable(bytes))) throw unreadable(name)
    throw error
  }
}

/** What each format can hold. */
const sidesMax = { png: 100_000, jpeg: 65_500, webp: 16_383 }

/** Grey pictures have one channel until they are encoded, unless they are told otherwise first. */
const isGrey = ({ bytes }: InputPicture): Promise<boolean> =>
  openPicture(bytes)
    .metadata()
    .then(
      ({ channels }) => channels < 3,
      () => false,
    )

const hasAlpha = ({ bytes }: InputPicture): Promise<boolean> =>
  openPicture(bytes)
    .metadata()
    .then(
      (head) => head.hasAlpha ?? false,
      () => false,
    )

/** Crops at the beginning are done on the picture as it was sent, so that as many of its pixels as possible are seen. */
const leadingCrop = (steps: Step[], source: Size): { region: Region; rest: Step[] } | undefined => {
  const [first] = steps
  if (!first || first.area) return undefined
  const shape = first.operation as Shape
  const box = ((): (Size & { left: number; top: number }) | undefined => {
    switch (shape.do) {
      case 'crop':
        return boxOf(shape.region, source)
      case 'cropRatio':
        return placedBox(source, ratioPart(source, shape.ratio), shape.place)
      case 'cropPixels':
        return placedBox(
          source,
          { width: Math.min(source.width, shape.width), height: Math.min(source.height, shape.height) },
          shape.place,
        )
      default:
        return undefined
    }
  })()
  if (!box) return undefined
  const { left, top, width, height } = box
  return {
    region: {
      left: left / source.width,
      top: top / source.height,
      width: width / source.width,
      height: height / source.height,
    },
    rest: steps.slice(1),
  }
}

const within = ({ width, height }: Size, budget: number): Size => {
  const factor = Math.min(1, Math.sqrt(budget / (width * height)))
  if (factor === 1) return { width, height }
  return { width: Math.max(1, Math.floor(width * factor)), height: Math.max(1, Math.floor(height * factor)) }
}

/** The size at which something of the base image is worked on. */
const workingSize = (part: Size, { width, height, hasFixedShape }: EditInput, isCropped: boolean): Size => {
  if (hasFixedShape) {
    const factor = Math.max(width / part.width, height / part.height)
    return {
      width: Math.max(width, Math.round(part.width * factor)),
      height: Math.max(height, Math.round(part.height * factor)),
    }
  }
  return isCropped ? within(part, width * height) : { width, height }
}

const openBase = async (input: EditInput, steps: Step[]): Promise<{ canvas: Canvas; rest: Step[] }> => {
  const base = input.images[0] as InputPicture
  const crop = leadingCrop(steps, base)
  const box = crop && boxOf(crop.region, base)
  const size = workingSize(box ?? base, input, crop !== undefined)
  let picture: Sharp = openPicture(base.bytes)
  if (await isGrey(base)) picture = picture.pipelineColourspace('srgb')
  if (box) picture = picture.extract(box)
  if (size.width !== (box ?? base).width || size.height !== (box ?? base).height)
    picture = picture.resize({ ...size, fit: 'fill' })
  return { canvas: createCanvas(picture, size, await hasAlpha(base)), rest: crop?.rest ?? steps }
}

/** 255 where the mask says that something is to change. */
const openMask = async (mask: InputPicture, { width, height }: Size): Promise<Uint8Array> => {
  const { data } = await toRaster(openPicture(mask.bytes).resize({ width, height, fit: 'fill' }))
  const marks = new Uint8Array(width * height)
  let isOpaque = true
  for (let index = 3; isOpaque && index < data.length; index += 4) isOpaque = data[index] === 255
  for (let pixel = 0; pixel < marks.length; pixel++)
    marks[pixel] = isOpaque
      ? Math.round(
          ((data[pixel * 4] as number) + (data[pixel * 4 + 1] as number) + (data[pixel * 4 + 2] as number)) / 3,
        )
      : 255 - (data[pixel * 4 + 3] as number)
  return marks
}

/** Gives the canvas the shape that was ordered, before text and frames come, which must not be cut off. */
const takeShape = async (canvas: Canvas, { width, height, hasFixedShape }: EditInput, following: Step[]) => {
  if (!hasFixedShape) return
  const frames = following.flatMap(({ operation }) =>
    operation.do === 'border' || operation.do === 'polaroid' || operation.do === 'shadow' ? [operation] : [],
  )
  await canvas.resize(sizeInside(frames, { width, height }), { fit: 'cover' })
}

const changesShape = ({ operation }: Step) =>
  kindOf(operation) === 'shape' || operation.do === 'arrange' || operation.do === 'circle'

/** Follows a prompt on pictures. */
export const createEdit =
  (tools: Tools): Job<EditInput, EditOutput> =>
  async (input, stop) => {
    const model = modelNamed(input.model)
    if (!model) throw new EngineError('unavailable', `the editor has no model ${input.model}`)
    const { images } = input
    const base = images[0]
    if (!base) throw new EngineError('refused', 'an edit without images', { said: 'at least one image is needed' })
    const isFiller = input.model === 'mask-fill'
    const isMaskImage = isFiller && input.mask === undefined && images.length === 2
    const mask = input.mask ?? (isMaskImage ? images[1] : undefined)
    const steps = planEdit({
      model,
      modelName: input.model,
      prompt: input.prompt,
      images: isMaskImage ? 1 : images.length,
      hasMask: mask !== undefined || (isFiller && (await hasAlpha(base))),
      size: base,
      hasFixedShape: input.hasFixedShape,
    })
    const named = images.map(({ bytes }, index) => ({ name: images.length > 1 ? `images.${index}` : 'image', bytes }))
    const inputs = mask && !isMaskImage ? [...named, { name: 'mask', bytes: mask.bytes }] : named

    return reading(inputs, async () => {
      const { canvas, rest } = await openBase(input, mask ? [] : steps)
      const session: Session = {
        canvas,
        async openImage(index, size) {
          const picture = openPicture((images[index] as InputPicture).bytes)
          return toRaster(
            size
              ? picture.resize({ width: size.width, height: size.height, fit: size.fit, position: 'attention' })
              : picture,
          )
        },
        imageCount: images.length,
        imageSize: (index) => images[index] as InputPicture,
        mask: mask && (await openMask(mask, canvas)),
        hasChanged: rest.length < steps.length && !mask,
        prefersHoles: isFiller,
        tools,
        stop,
        seed: input.seed,
        quality: input.quality ?? 'medium',
        width: input.width,
        height: input.height,
        hasFixedShape: input.hasFixedShape,
      }
      const todo = mask ? steps : rest
      const lastShape = todo.findLastIndex(changesShape)
      if (lastShape < 0) await shapeUnlessMasked(session, input, todo)
      for (const [index, step] of todo.entries()) {
        await carryOut(session, step)
        if (index === lastShape) await takeShape(canvas, input, todo.slice(index + 1))
      }
      stop.check()
      if (!session.hasChanged) throw nothingChanges()
      const { width, height, hasFixedShape } = input
      if (hasFixedShape) await canvas.resize({ width, height }, { fit: 'cover' })
      else await canvas.resize(within(canvas, width * height))
      const long = Math.max(canvas.width, canvas.height)
      if (long > sidesMax[input.format]) throw tooLong(input.format, sidesMax[input.format])
      return { bytes: await canvas.encode(input.format) }
    })
  }

/** A mask has the shape of the picture that it came with, so cutting waits until it was used. */
const shapeUnlessMasked = async ({ canvas, mask }: Session, input: EditInput, todo: Step[]) => {
  if (!mask) await takeShape(canvas, input, todo)
}
