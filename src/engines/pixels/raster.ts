/** Pixels as they are: red, green, blue and opacity of each, row by row, 8 bits each, in sRGB, opacity not multiplied in. */
export type Raster = { data: Uint8ClampedArray; width: number; height: number }

export const emptyRaster = (width: number, height: number): Raster => ({
  data: new Uint8ClampedArray(width * height * 4),
  width,
  height,
})
