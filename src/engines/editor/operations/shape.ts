import type { Place, Shape } from '../operation.js'
import { refused } from '../refusals.js'
import type { Canvas } from './canvas.js'

type Size = { width: number; height: number }
type Box = Size & { left: number; top: number }

export const extract = (canvas: Canvas, box: Box) => {
  if (box.width === canvas.width && box.height === canvas.height) return Promise.resolve()
  return canvas.pipe('extract', (picture) => picture.extract(box), box)
}

/** The largest part with this shape, at the place. */
export const placedBox = ({ width, height }: Size, part: Size, { x, y }: Place): Box => ({
  left: x === 'left' ? 0 : x === 'right' ? width - part.width : Math.floor((width - part.width) / 2),
  top: y === 'top' ? 0 : y === 'bottom' ? height - part.height : Math.floor((height - part.height) / 2),
  ...part,
})

export const ratioPart = ({ width, height }: Size, ratio: number): Size =>
  width / height > ratio
    ? { width: Math.max(1, Math.round(height * ratio)), height }
    : { width, height: Math.max(1, Math.round(width / ratio)) }

/** Makes room for everything that is turned, with nothing in the corners. */
const turn = async (canvas: Canvas, degrees: number) => {
  const { width, height } = canvas
  if (degrees % 90 === 0) {
    const isSideways = degrees % 180 !== 0
    const after = isSideways ? { width: height, height: width } : { width, height }
    if (degrees !== 0) await canvas.pipe('turn', (picture) => picture.rotate(degrees), after)
    return
  }
  await canvas.raster()
  const radians = (degrees * Math.PI) / 180
  const [sin, cos] = [Math.abs(Math.sin(radians)), Math.abs(Math.cos(radians))]
  const after = { width: Math.floor(width * cos + height * sin), height: Math.floor(width * sin + height * cos) }
  canvas.hasAlpha = true
  await canvas.pipe(
    'extract',
    (picture) => picture.rotate(degrees, { background: { r: 0, g: 0, b: 0, alpha: 0 } }),
    after,
  )
  // The library decides about the last pixel.
  await canvas.raster()
}

export const changeShape = async (
  canvas: Canvas,
  shape: Exclude<Shape, { do: 'crop' | 'cropPixels' }>,
  budget: number,
) => {
  const { width, height } = canvas
  switch (shape.do) {
    case 'cropRatio':
      return extract(canvas, placedBox(canvas, ratioPart(canvas, shape.ratio), shape.place))
    case 'rotate':
      return turn(canvas, shape.degrees)
    case 'flip':
      return canvas.pipe('turn', (picture) => (shape.axis === 'horizontal' ? picture.flop() : picture.flip()))
    case 'resize':
    case 'scale': {
      const to = shape.do === 'scale' ? scaledSize(canvas, shape.factor) : resizedSize({ width, height }, shape)
      if (to.width * to.height > budget)
        throw refused(
          'the prompt asks for more pixels than the request',
          `${to.width}x${to.height} is larger than the resolution of this request; ask for a larger resolution`,
        )
      return canvas.resize(to)
    }
  }
}

const scaledSize = ({ width, height }: Size, factor: number): Size => ({
  width: Math.max(1, Math.round(width * factor)),
  height: Math.max(1, Math.round(height * factor)),
})

const resizedSize = (
  from: Size,
  { width, height }: { width: number | undefined; height: number | undefined },
): Size => {
  const wide = width ?? Math.round((from.width * (height ?? from.height)) / from.height)
  return { width: Math.max(1, wide), height: Math.max(1, height ?? Math.round((from.height * wide) / from.width)) }
}
