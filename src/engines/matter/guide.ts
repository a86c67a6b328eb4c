import { meanAround, type Plane, planeOf } from './plane.js'

/** A plane that is, around each pixel, a mix of the picture's colours: red * colours, and so on, and an offset. */
export type ColourMix = { red: Plane; green: Plane; blue: Plane; offset: Plane }

export type Colours = [red: Plane, green: Plane, blue: Plane]

/**
 * The guided filter of He, Sun and Tang: describes a rough plane by the colours of a picture, so that its edges come to lie
 * where the picture has them. Because it is a mix of colours, it can be found in a small picture and used in the large
 * one. Colours are 0 to 1; differences well below `contrast` do not count as edges.
 */
export const guideByColours = (
  rough: Plane,
  colours: Colours,
  { radius, contrast }: { radius: number; contrast: number },
): ColourMix => {
  const around = (value: (index: number) => number) => meanAround(planeOf(rough, value), radius).data
  const [red, green, blue] = colours.map(({ data }) => data) as [Float32Array, Float32Array, Float32Array]
  const at = (data: Float32Array, index: number) => data[index] as number
  const product = (a: Float32Array, b: Float32Array) => around((index) => at(a, index) * at(b, index))
  const means = [red, green, blue].map((data) => around((index) => at(data, index)))
  const [meanRed, meanGreen, meanBlue] = means as [Float32Array, Float32Array, Float32Array]
  const meanRough = around((index) => at(rough.data, index))
  const [redRough, greenRough, blueRough] = [
    product(red, rough.data),
    product(green, rough.data),
    product(blue, rough.data),
  ]
  const [redRed, redGreen, redBlue] = [product(red, red), product(red, green), product(red, blue)]
  const [greenGreen, greenBlue, blueBlue] = [product(green, green), product(green, blue), product(blue, blue)]

  const [mixRed, mixGreen, mixBlue, offset] = [0, 1, 2, 3].map(() => new Float32Array(red.length)) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ]
  const least = contrast * contrast
  for (let index = 0; index < red.length; index++) {
    const [r, g, b, p] = [at(meanRed, index), at(meanGreen, index), at(meanBlue, index), at(meanRough, index)]
    // The covariance of the colours, symmetric, and that of each colour with the plane.
    const rr = at(redRed, index) - r * r + least
    const rg = at(redGreen, index) - r * g
    const rb = at(redBlue, index) - r * b
    const gg = at(greenGreen, index) - g * g + least
    const gb = at(greenBlue, index) - g * b
    const bb = at(blueBlue, index) - b * b + least
    const rp = at(redRough, index) - r * p
    const gp = at(greenRough, index) - g * p
    const bp = at(blueRough, index) - b * p
    const [c0, c1, c2] = [gg * bb - gb * gb, gb * rb - rg * bb, rg * gb - gg * rb]
    const determinant = rr * c0 + rg * c1 + rb * c2
    const mr = (c0 * rp + c1 * gp + c2 * bp) / determinant
    const mg = (c1 * rp + (rr * bb - rb * rb) * gp + (rb * rg - rr * gb) * bp) / determinant
    const mb = (c2 * rp + (rb * rg - rr * gb) * gp + (rr * gg - rg * rg) * bp) / determinant
    mixRed[index] = mr
    mixGreen[index] = mg
    mixBlue[index] = mb
    offset[index] = p - mr * r - mg * g - mb * b
  }
  const smooth = (data: Float32Array) => meanAround({ ...rough, data }, radius)
  return { red: smooth(mixRed), green: smooth(mixGreen), blue: smooth(mixBlue), offset: smooth(offset) }
}
