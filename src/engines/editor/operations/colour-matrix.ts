import type { Colour, Operation } from '../operation.js'

/** Red, green and blue of a pixel become sums of them: three rows of three factors and an offset. */
export type ColourMatrix = readonly (readonly [number, number, number, number])[]

const lumaWeights = [0.2126, 0.7152, 0.0722] as const
export const lumaOf = ([red, green, blue]: Colour): number =>
  red * lumaWeights[0] + green * lumaWeights[1] + blue * lumaWeights[2]

const matrix = (
  cell: (row: number, column: number) => number,
  offset: (row: number) => number = () => 0,
): ColourMatrix => [0, 1, 2].map((row) => [cell(row, 0), cell(row, 1), cell(row, 2), offset(row)] as const)

const at = (of: ColourMatrix, row: number, column: number) => (of[row] as readonly number[])[column] as number
const same = (row: number, column: number) => (row === column ? 1 : 0)
const weight = (column: number) => lumaWeights[column] as number

const nothing = matrix(same)
const mixed = (first: ColourMatrix, second: ColourMatrix, part: number): ColourMatrix => {
  const mix = (row: number, column: number) => at(first, row, column) * (1 - part) + at(second, row, column) * part
  return matrix(mix, (row) => mix(row, 3))
}
const scaled = (red: number, green = red, blue = red, offset = 0): ColourMatrix =>
  matrix(
    (row, column) => (row === column ? ([red, green, blue][row] as number) : 0),
    () => offset,
  )

export const grey: ColourMatrix = matrix((_row, column) => weight(column))

const sepia: ColourMatrix = [
  [0.393, 0.769, 0.189, 0],
  [0.349, 0.686, 0.168, 0],
  [0.272, 0.534, 0.131, 0],
]

/** Turns the colour circle and leaves greys and about the lightness. */
const hueTurned = (degrees: number): ColourMatrix => {
  const cos = Math.cos((degrees * Math.PI) / 180)
  const sin = Math.sin((degrees * Math.PI) / 180)
  const sine = [
    [-0.213, -0.715, 0.928],
    [0.143, 0.14, -0.283],
    [-0.787, 0.715, 0.072],
  ]
  return matrix(
    (row, column) =>
      [0.213, 0.715, 0.072][column]! +
      cos * (same(row, column) - [0.213, 0.715, 0.072][column]!) +
      sin * sine[row]![column]!,
  )
}

/** A picture in one colour, as light as before. */
const inColour = (colour: Colour): ColourMatrix => {
  const lift = Math.min(255 / Math.max(1, lumaOf(colour)), 2)
  return matrix((row, column) => ((colour[row] as number) / 255) * lift * weight(column))
}

const between = (dark: Colour, light: Colour): ColourMatrix =>
  matrix(
    (row, column) => (((light[row] as number) - (dark[row] as number)) / 255) * weight(column),
    (row) => dark[row] as number,
  )

/** `second` after `first`. */
export const followedBy = (first: ColourMatrix, second: ColourMatrix): ColourMatrix =>
  matrix(
    (row, column) => [0, 1, 2].reduce((sum, inner) => sum + at(second, row, inner) * at(first, inner, column), 0),
    (row) => [0, 1, 2].reduce((sum, inner) => sum + at(second, row, inner) * at(first, inner, 3), at(second, row, 3)),
  )

/** The operation as a matrix, if it is one. */
export const colourMatrixOf = (operation: Operation): ColourMatrix | undefined => {
  switch (operation.do) {
    case 'brightness':
      return scaled(1 + operation.amount)
    case 'exposure':
      // Twice the light is not twice the number in sRGB.
      return scaled(2 ** (operation.stops / 2.2))
    case 'contrast':
      return scaled(1 + operation.amount, undefined, undefined, -128 * operation.amount)
    case 'fade':
      return scaled(1 - 0.3 * operation.amount, undefined, undefined, 50 * operation.amount)
    case 'saturation':
      return mixed(grey, nothing, 1 + operation.amount)
    case 'hue':
      return hueTurned(operation.degrees)
    case 'temperature':
      return scaled(1 + 0.28 * operation.amount, 1 + 0.03 * operation.amount, 1 - 0.3 * operation.amount)
    case 'tint':
      return mixed(nothing, inColour(operation.colour), operation.amount)
    case 'duotone':
      return mixed(nothing, between(operation.dark, operation.light), operation.amount)
    case 'grey':
      return grey
    case 'sepia':
      return mixed(nothing, sepia, operation.amount)
    case 'invert':
      return scaled(-1, undefined, undefined, 255)
    default:
      return undefined
  }
}
