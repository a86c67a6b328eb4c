import { boxBlur } from '../blocks/blur.js'
import { type Canvas, clamp, createCanvas, createPlane, distance, luma, mix, nearest, ramp } from '../blocks/canvas.js'
import { labOf, rgbOf, saturate, stretch } from '../blocks/colour.js'
import { createRandom, type Random } from '../blocks/random.js'
import type { Look } from '../look.js'

/**
 * Capital letters as strokes on a grid 4 wide and 6 high: points "xy", joined by lines, strokes parted by spaces. Round
 * letters have cut corners, which suits the weight they are drawn with.
 */
const strokes: Record<string, string> = {
  A: '062046 1434',
  C: '4130100105163645',
  D: '00063645413000',
  E: '40000646 0333',
  G: '41301001051636454323',
  H: '0006 4046 0343',
  I: '2026',
  L: '000646',
  M: '0600234046',
  N: '06004640',
  O: '103041453616050110',
  P: '060030414233 0333',
  R: '060030414233 0333 2346',
  S: '413010010213334445361605',
  T: '0040 2026',
  U: '000516364540',
  V: '002640',
  W: '0016 1623 2336 3640',
  Y: '0023 4023 2326',
}

const words = [
  'STORY',
  'LIGHT',
  'DREAM',
  'COLOR',
  'VOICE',
  'HEART',
  'NIGHT',
  'RIVER',
  'MUSIC',
  'WORLD',
  'PAINT',
  'SHAPE',
]

const glyphWidth = 48
const glyphHeight = 64

/** How far each point of a letter's box is from its strokes, in units of the grid. */
const drawGlyph = (path: string): Float32Array => {
  const segments = path.split(' ').flatMap((stroke) => {
    const points = stroke.match(/\d\d/g)?.map((point) => [Number(point[0]), Number(point[1])] as const) ?? []
    return points.slice(1).map((point, at) => [points[at]!, point] as const)
  })
  const far = new Float32Array(glyphWidth * glyphHeight)
  for (let row = 0; row < glyphHeight; row++)
    for (let column = 0; column < glyphWidth; column++) {
      const x = ((column + 0.5) / glyphWidth) * 5.6 - 0.8
      const y = ((row + 0.5) / glyphHeight) * 7.6 - 0.8
      let least = 9
      for (const [[ax, ay], [bx, by]] of segments) {
        const length = (bx - ax) ** 2 + (by - ay) ** 2
        const along = length === 0 ? 0 : clamp(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length)
        least = Math.min(least, distance(x - ax - (bx - ax) * along, y - ay - (by - ay) * along))
      }
      far[row * glyphWidth + column] = least
    }
  return far
}

type Box = { x: number; y: number; width: number; height: number }

/** A picture set in type: large letters where it is calm, small ones where much happens, bold ones where it is dark. */
export const typography: Look = (picture, { seed, stop, detail }) => {
  const { unit } = picture
  const random = createRandom(seed)
  stretch(picture, luma(picture), 0.25)
  saturate(picture, 1.25, 0.15)
  const tones = luma(picture)
  const squares = createPlane(picture)
  for (let at = 0; at < squares.length; at++) squares[at] = tones[at]! ** 2
  const glyphs = new Map(Object.entries(strokes).map(([letter, path]) => [letter, drawGlyph(path)]))
  const text = setText(random)
  const sheet = createCanvas(picture, [0.965, 0.945, 0.9])
  const smallest = { low: 15, medium: 10.5, high: 8 }[detail] * unit
  const height = smallest * 8
  const width = (height * glyphWidth) / glyphHeight
  const means = [1, 2, 4, 8].map((share) => {
    const radius = Math.max(1, Math.round((height / share) * 0.42))
    return { mean: boxBlur(tones, picture, radius), square: boxBlur(squares, picture, radius) }
  })
  const set = (box: Box, level: number): void => {
    const at = nearest(picture, box.x + box.width / 2, box.y + box.height / 2)
    const { mean, square } = means[level]!
    const unrest = Math.sqrt(Math.max(0, square[at]! - mean[at]! ** 2))
    const isSplit =
      level < 3 &&
      (unrest > [0.035, 0.05, 0.07][level]! || (level === 0 && random() < 0.75) || (level === 1 && random() < 0.35))
    if (!isSplit) {
      drawLetter(sheet, picture, box, glyphs.get(text())!, mean[at]!)
      return
    }
    const half = { width: box.width / 2, height: box.height / 2 }
    for (const [right, down] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ] as const)
      set({ x: box.x + right * half.width, y: box.y + down * half.height, ...half }, level + 1)
  }
  for (let y = 0; y < picture.height; y += height) {
    stop.check()
    for (let x = 0; x < picture.width; x += width) set({ x, y, width, height }, 0)
  }
  return sheet
}

const setText = (random: Random) => {
  let word = ''
  return () => {
    if (word === '') word = words[(random() * words.length) | 0]!
    const letter = word[0]!
    word = word.slice(1)
    return letter
  }
}

/** Calm places give a letter one colour; elsewhere it follows the picture in patches. */
const patchesAcross = 4

const drawLetter = (sheet: Canvas, picture: Canvas, box: Box, glyph: Float32Array, tone: number) => {
  const weight = 0.3 + 0.62 * ramp(0.98, 0.05, tone)
  const wash = 0.22 * ramp(0.95, 0.2, tone)
  const soft = (0.8 * 7.6) / box.height
  const right = Math.min(picture.width, Math.ceil(box.x + box.width))
  const bottom = Math.min(picture.height, Math.ceil(box.y + box.height))
  const colours = Array.from({ length: patchesAcross ** 2 }, (_, patch) => {
    const across = ((patch % patchesAcross) + 0.5) / patchesAcross
    const down = (Math.floor(patch / patchesAcross) + 0.5) / patchesAcross
    const at = nearest(picture, box.x + across * box.width, box.y + down * box.height)
    return inkOf(picture, at)
  })
  for (let y = Math.ceil(box.y); y < bottom; y++)
    for (let x = Math.ceil(box.x); x < right; x++) {
      const across = (x - box.x) / box.width
      const down = (y - box.y) / box.height
      const far = glyph[((down * glyphHeight) | 0) * glyphWidth + ((across * glyphWidth) | 0)]!
      const cover = Math.max(ramp(weight + soft, weight - soft, far), wash)
      const [red, green, blue] = colours[((down * patchesAcross) | 0) * patchesAcross + ((across * patchesAcross) | 0)]!
      const at = y * picture.width + x
      sheet.red[at] = mix(sheet.red[at]!, red, cover)
      sheet.green[at] = mix(sheet.green[at]!, green, cover)
      sheet.blue[at] = mix(sheet.blue[at]!, blue, cover)
    }
}

/** The colour of a place, dark enough to be read on paper. */
const inkOf = ({ red, green, blue }: Canvas, at: number) => {
  const [lightness, greenRed, blueYellow] = labOf([clamp(red[at]!), clamp(green[at]!), clamp(blue[at]!)])
  return rgbOf([Math.min(0.82, lightness * 0.92), greenRed * 1.15, blueYellow * 1.15])
}
