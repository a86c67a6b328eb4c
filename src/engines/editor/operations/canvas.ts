import type { PictureFormat } from '../../image.js'
import type { Raster } from '../../pixels/raster.js'
import { encode, fromRaster, type Sharp, toRaster } from '../../pixels/sharp.js'
import { type ColourMatrix, followedBy, grey } from './colour-matrix.js'

/** sharp does what it is told in an order of its own; these are parts of it. */
export const order = { turn: 1, extract: 2, extend: 3, median: 4, blur: 5, matrix: 6, sharpen: 7, composite: 8, end: 9 }

type Size = { width: number; height: number }

/**
 * A picture at work. As long as sharp can do what is asked for in its order, nothing is computed until the end, so that a
 * plain edit costs what sharp costs. Where it cannot, pixels are made and the next pipeline begins with them.
 */
export type Canvas = {
  readonly width: number
  readonly height: number
  /** Some pixels may be transparent. */
  hasAlpha: boolean
  pipe(place: keyof typeof order, change: (picture: Sharp) => Sharp, size?: Size): Promise<void>
  /** Several in a row become one. */
  recolour(matrix: ColourMatrix): Promise<void>
  resize(size: Size, options?: { fit?: 'fill' | 'cover'; kernel?: 'nearest' }): Promise<void>
  /** The pixels, which may be changed and put back. */
  raster(): Promise<Raster>
  put(raster: Raster): void
  encode(format: PictureFormat): Promise<Buffer>
}

/** Each channel by itself, which is half the work. */
const isDiagonal = (matrix: ColourMatrix) =>
  matrix.every((row, index) => row.every((value, column) => column === index || column === 3 || value === 0))

export const createCanvas = (picture: Sharp, size: Size, hasAlpha: boolean): Canvas => {
  let pipeline = picture
  let { width, height } = size
  let reached = 0
  let matrix: ColourMatrix | undefined
  let pixels: Raster | undefined
  let isUntouched = true

  const settleMatrix = (isLast = false) => {
    if (!matrix) return
    const rows = matrix.map(([red, green, blue]) => [red, green, blue]) as [number[], number[], number[]]
    const offsets = matrix.map(([, , , offset]) => offset)
    // The fastest way, but pixels that are not encoded would have a single channel.
    if (matrix === grey && isLast) pipeline = pipeline.greyscale()
    else if (isDiagonal(matrix)) {
      const factors = rows.map((row, index) => row[index] as number)
      pipeline = pipeline.linear(factors, offsets)
    } else {
      pipeline = pipeline.recomb(rows as unknown as Parameters<Sharp['recomb']>[0])
      if (offsets.some((offset) => offset !== 0)) pipeline = pipeline.linear([1, 1, 1], offsets)
    }
    matrix = undefined
    reached = order.end
  }

  const put = (raster: Raster) => {
    isUntouched = false
    pipeline = fromRaster(raster)
    ;({ width, height } = raster)
    matrix = undefined
    reached = 0
    pixels = raster
  }

  const raster = async () => {
    settleMatrix()
    if (pixels) return pixels
    const made = await toRaster(pipeline)
    put(made)
    return made
  }

  const begin = async (place: number) => {
    settleMatrix()
    if (reached >= place) await raster()
    pixels = undefined
    isUntouched = false
    reached = place
  }

  return {
    get width() {
      return width
    },
    get height() {
      return height
    },
    hasAlpha,
    async pipe(place, change, after) {
      await begin(order[place])
      pipeline = change(pipeline)
      if (after) ({ width, height } = after)
    },
    async recolour(next) {
      if (!matrix) {
        if (reached >= order.matrix) await raster()
        pixels = undefined
        isUntouched = false
      }
      matrix = matrix ? followedBy(matrix, next) : next
    },
    async resize(to, { fit = 'fill', kernel } = {}) {
      if (to.width === width && to.height === height) return
      // It comes before everything else in the order, and once in a pipeline: where nothing was done yet, instead of the
      // size that the picture was to be opened in.
      if (!isUntouched) await raster()
      pixels = undefined
      isUntouched = false
      pipeline = pipeline.resize({ ...to, fit, ...(kernel && { kernel }) })
      ;({ width, height } = to)
    },
    raster,
    put,
    async encode(format) {
      // JPEG has no opacity, and sharp would put white behind the picture before everything else.
      if (this.hasAlpha && format === 'jpeg') await raster()
      settleMatrix(true)
      return encode(this.hasAlpha ? pipeline : pipeline.removeAlpha(), format)
    },
  }
}
