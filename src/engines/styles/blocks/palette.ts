import { type Canvas, clamp } from './canvas.js'
import { type Lab, labOf, type Rgb, rgbOf } from './colour.js'
import { createRandom } from './random.js'

export type PaletteColour = {
  lab: Lab
  rgb: Rgb
  /** How much of the picture is nearest to it, 0 to 1. */
  share: number
}

const samplesMax = 4000
const rounds = 10

/** The colours that say most about a picture (k-means in Oklab), from dark to light. */
export const paletteOf = (canvas: Canvas, count: number, seed: number): PaletteColour[] => {
  const random = createRandom(seed)
  const { red, green, blue } = canvas
  const wanted = Math.min(samplesMax, red.length)
  const samples = Array.from({ length: wanted }, (_, place) => {
    const at = Math.min(red.length - 1, (((place + random()) / wanted) * red.length) | 0)
    return labOf([clamp(red[at]!), clamp(green[at]!), clamp(blue[at]!)])
  })
  let centres = firstCentres(samples, count, random)
  let shares: number[] = []
  for (let round = 0; round < rounds; round++) {
    const sums = centres.map(() => [0, 0, 0, 0] as [number, number, number, number])
    for (const sample of samples) {
      const sum = sums[closest(sample, centres)]!
      for (let part = 0; part < 3; part++) sum[part]! += sample[part]!
      sum[3]++
    }
    shares = sums.map(([, , , amount]) => amount / samples.length)
    centres = sums.map(([light, greenRed, blueYellow, amount], at) =>
      amount === 0 ? centres[at]! : [light / amount, greenRed / amount, blueYellow / amount],
    )
  }
  return centres
    .map((lab, at) => ({ lab, rgb: rgbOf(lab), share: shares[at]! }))
    .filter(({ share }) => share > 0)
    .sort((one, other) => one.lab[0] - other.lab[0])
}

/** Far from each other, so that small bright things get a colour of their own. */
const firstCentres = (samples: Lab[], count: number, random: () => number): Lab[] => {
  const centres = [samples[(random() * samples.length) | 0]!]
  const distances = samples.map((sample) => distance(sample, centres[0]!))
  while (centres.length < count) {
    const total = distances.reduce((sum, far) => sum + far, 0)
    if (total < 1e-6) break
    let left = random() * total
    const chosen = distances.findIndex((far) => {
      left -= far
      return left <= 0
    })
    const centre = samples[Math.max(0, chosen)]!
    centres.push(centre)
    samples.forEach((sample, at) => {
      distances[at] = Math.min(distances[at]!, distance(sample, centre))
    })
  }
  return centres
}

const distance = (one: Lab, other: Lab) =>
  (one[0] - other[0]) ** 2 + 1.6 * ((one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2)

export const closest = (lab: Lab, labs: readonly Lab[]) => {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let at = 0; at < labs.length; at++) {
    const far = distance(lab, labs[at]!)
    if (far < least) {
      least = far
      best = at
    }
  }
  return best
}

/** Answers which colour of the palette is nearest, from a table of 32 steps per channel. */
export const createMatcher = (labs: readonly Lab[]) => {
  const table = new Uint8Array(32768).fill(255)
  return (red: number, green: number, blue: number) => {
    const r = (clamp(red) * 31 + 0.5) | 0
    const g = (clamp(green) * 31 + 0.5) | 0
    const b = (clamp(blue) * 31 + 0.5) | 0
    const key = (r << 10) | (g << 5) | b
    if (table[key] === 255) table[key] = closest(labOf([r / 31, g / 31, b / 31]), labs)
    return table[key]!
  }
}

/** For every pixel the number of its colour. */
export const labelsOf = ({ red, green, blue }: Canvas, palette: readonly { lab: Lab }[]): Uint8Array => {
  const match = createMatcher(palette.map(({ lab }) => lab))
  const labels = new Uint8Array(red.length)
  for (let at = 0; at < labels.length; at++) labels[at] = match(red[at]!, green[at]!, blue[at]!)
  return labels
}

/** Fills labelled pixels with their colours. */
export const fillLabels = (canvas: Canvas, labels: Uint8Array, colours: readonly Rgb[]): Canvas => {
  for (let at = 0; at < labels.length; at++) {
    const [red, green, blue] = colours[labels[at]!]!
    canvas.red[at] = red
    canvas.green[at] = green
    canvas.blue[at] = blue
  }
  return canvas
}
