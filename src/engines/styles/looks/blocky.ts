import { blurCanvas } from '../blocks/blur.js'
import { type Canvas, clamp, createCanvas, distance, eachPixel, luma, mix, nearest } from '../blocks/canvas.js'
import { contrast, curve, labOf, rgb, saturate, stretch, tinted } from '../blocks/colour.js'
import { createMatcher, labelsOf, paletteOf } from '../blocks/palette.js'
import type { Look } from '../look.js'

/** The mean of each square of `side` pixels, as a small picture. */
const squares = (picture: Canvas, side: number): Canvas => {
  const size = { width: Math.ceil(picture.width / side), height: Math.ceil(picture.height / side) }
  const small = createCanvas(size)
  for (let row = 0, to = 0; row < size.height; row++)
    for (let column = 0; column < size.width; column++, to++) {
      let [red, green, blue, count] = [0, 0, 0, 0]
      for (let y = row * side; y < Math.min(picture.height, (row + 1) * side); y++)
        for (let x = column * side; x < Math.min(picture.width, (column + 1) * side); x++) {
          const at = y * picture.width + x
          red += picture.red[at]!
          green += picture.green[at]!
          blue += picture.blue[at]!
          count++
        }
      small.red[to] = red / count
      small.green[to] = green / count
      small.blue[to] = blue / count
    }
  return small
}

export const pixelArt: Look = (picture, { seed, stop, detail }) => {
  const across = { low: 72, medium: 112, high: 160 }[detail]
  const side = Math.max(1, Math.round(Math.max(picture.width, picture.height) / across))
  stretch(picture, luma(picture), 0.2)
  const small = saturate(squares(picture, side), 1.2, 0.2)
  const palette = paletteOf(small, { low: 10, medium: 16, high: 24 }[detail], seed)
  const labels = labelsOf(small, palette)
  const clean = withoutSpecks(labels, small)
  const colours = palette.map((colour) => tinted(colour.rgb, { chroma: 1.15 }))
  eachPixel(picture, stop, (at, x, y) => {
    const [red, green, blue] = colours[clean[((y / side) | 0) * small.width + ((x / side) | 0)]!]!
    picture.red[at] = red
    picture.green[at] = green
    picture.blue[at] = blue
  })
  return picture
}

/** A lone pixel between equal neighbours takes their colour, as an artist would clean it. */
const withoutSpecks = (labels: Uint8Array, { width, height }: Canvas): Uint8Array => {
  const clean = labels.slice()
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x
      const [up, down, left, right] = [labels[at - width]!, labels[at + width]!, labels[at - 1]!, labels[at + 1]!]
      const isLone = up !== labels[at] && down !== labels[at] && left !== labels[at] && right !== labels[at]
      if (isLone && (left === right || up === down)) clean[at] = left === right ? left : up
    }
  return clean
}

/** The sixteen colours of a home computer of 1987. */
const sixteen = [
  '#000000',
  '#1d2b53',
  '#7e2553',
  '#008751',
  '#ab5236',
  '#5f574f',
  '#c2c3c7',
  '#fff1e8',
  '#ff004d',
  '#ffa300',
  '#ffec27',
  '#00e436',
  '#29adff',
  '#83769c',
  '#ff77a8',
  '#ffccaa',
].map(rgb)
const bayer = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5].map((rank) => rank / 16 - 0.47)

/** A console on a television: big pixels, sixteen colours in a dither pattern, dark lines between the rows of the tube. */
export const legacyVideoGame: Look = (picture, { stop }) => {
  const side = Math.max(1, Math.round(Math.max(picture.width, picture.height) / 176))
  stretch(picture, luma(picture), 0.3)
  const small = saturate(curve(squares(picture, side), contrast(2)), 1.5, 0.3)
  const match = createMatcher(sixteen.map(labOf))
  const screen = createCanvas(picture)
  const { width, height } = picture
  eachPixel(small, stop, (at, x, y) => {
    const push = bayer[(y % 4) * 4 + (x % 4)]! * 0.2
    const [red, green, blue] = sixteen[match(small.red[at]! + push, small.green[at]! + push, small.blue[at]! + push)]!
    for (let row = y * side; row < Math.min(height, (y + 1) * side); row++)
      for (let column = x * side; column < Math.min(width, (x + 1) * side); column++) {
        // The tube: a bright middle of each row and a dark gap.
        const place = (row - y * side + 0.5) / side
        const beam = side < 3 ? 1 : 1.1 - 0.62 * (place - 0.45) ** 2 * 4
        const to = row * width + column
        screen.red[to] = red * beam
        screen.green[to] = green * beam
        screen.blue[to] = blue * beam
      }
  })
  const glow = blurCanvas(screen, 5 * picture.unit)
  eachPixel(screen, stop, (at, x, y) => {
    const bend = distance((x / width - 0.5) * 1.9, (y / height - 0.5) * 1.9) ** 4
    const light = 1 - clamp(bend * 0.28, 0, 0.85)
    screen.red[at] = (screen.red[at]! * 0.86 + glow.red[at]! * 0.28) * light
    screen.green[at] = (screen.green[at]! * 0.86 + glow.green[at]! * 0.28) * light
    screen.blue[at] = (screen.blue[at]! * 0.86 + glow.blue[at]! * 0.28) * light
  })
  return screen
}

/** Stacked cubes seen from above at an angle, each in the colour of what it covers. */
export const isometric: Look = (picture, { stop, detail }) => {
  const { unit, width, height } = picture
  stretch(picture, luma(picture), 0.25)
  saturate(picture, 1.2, 0.15)
  const edge = { low: 26, medium: 18, high: 12 }[detail] * unit
  const half = edge * Math.sqrt(0.75)
  const colours = blurCanvas(picture, edge * 0.45)
  const cubes = createCanvas(picture)
  eachPixel(picture, stop, (at, x, y) => {
    // Hexagons in shifted rows: the cube is the nearest centre of two candidates.
    const row = Math.round(y / (edge * 1.5))
    let centreX = 0
    let centreY = 0
    let least = Number.POSITIVE_INFINITY
    for (let up = row - 1; up <= row + 1; up++) {
      const shift = up % 2 === 0 ? 0 : half
      const candidateX = Math.round((x - shift) / (2 * half)) * 2 * half + shift
      const far = (x - candidateX) ** 2 + (y - up * edge * 1.5) ** 2
      if (far < least) {
        least = far
        centreX = candidateX
        centreY = up * edge * 1.5
      }
    }
    const across = (x - centreX) / half
    const down = (y - centreY) / edge
    const from = nearest({ width, height }, centreX, centreY)
    const isTop = down < -Math.abs(across) * 0.5
    const light = isTop ? 1.16 : across < 0 ? 0.84 : 0.58
    // A thin light line where faces meet.
    const seam = Math.min(isTop ? 9 : Math.abs(across) * half, Math.abs(down + Math.abs(across) * 0.5) * edge * 0.9)
    const rim = (1 - Math.abs(across)) * half
    const slope = (1 - Math.abs(across) * 0.5 - Math.abs(down)) * edge * 0.87
    const gap = clamp(Math.min(rim, slope) / (0.9 * unit))
    const shine = clamp(1 - seam / (1.1 * unit)) * 0.12
    const lift = isTop ? 0.05 : 0
    cubes.red[at] = mix(0.08, (colours.red[from]! + lift) * light + shine, 0.45 + 0.55 * gap)
    cubes.green[at] = mix(0.08, (colours.green[from]! + lift) * light + shine, 0.45 + 0.55 * gap)
    cubes.blue[at] = mix(0.12, (colours.blue[from]! + lift) * light + shine, 0.45 + 0.55 * gap)
  })
  return cubes
}
