import { blur } from '../blocks/blur.js'
import { type Canvas, clamp, createCanvas, eachPixel, luma, mix, ramp, sample } from '../blocks/canvas.js'
import { contrast, curve, saturate, stretch, tinted } from '../blocks/colour.js'
import { cellsOf, distanceToSides, eachTriangle, scatter } from '../blocks/facets.js'
import { gradientsOf, steepness } from '../blocks/flow.js'
import { createMatcher, paletteOf } from '../blocks/palette.js'
import { createRandom, noise, type Random } from '../blocks/random.js'
import { calm } from '../blocks/smooth.js'
import { bordersOf, distances, paper, shade } from '../blocks/surface.js'
import type { Look } from '../look.js'

/** Where corners of facets should lie: near edges, strong ones first. */
const cornerWeight = (picture: Canvas, sigma: number) => {
  const edges = blur(steepness(gradientsOf(blur(luma(picture), picture, sigma), picture)), picture, sigma * 1.2)
  let most = 1e-3
  for (const edge of edges) if (edge > most) most = edge
  return edges.map((edge) => clamp((edge / most) * 2.2))
}

const meanColour = ({ red, green, blue }: Canvas, pixels: Int32Array, count: number) => {
  let [r, g, b] = [0, 0, 0]
  for (let at = 0; at < count; at++) {
    r += red[pixels[at]!]!
    g += green[pixels[at]!]!
    b += blue[pixels[at]!]!
  }
  return [r / count, g / count, b / count] as const
}

export const lowPoly: Look = (picture, { seed, stop, detail }) => {
  const random = createRandom(seed)
  stretch(picture, luma(picture), 0.15)
  saturate(picture, 1.15, 0.1)
  const count = { low: 600, medium: 1600, high: 3600 }[detail]
  const points = scatter(picture, { count, weight: cornerWeight(picture, 1.6 * picture.unit), share: 0.05, random })
  const mesh = createCanvas(picture)
  eachTriangle(picture, points, stop, (_, pixels, pixelCount) => {
    const [red, green, blue] = meanColour(picture, pixels, pixelCount)
    const light = 1 + (random() - 0.5) * 0.13
    for (let at = 0; at < pixelCount; at++) {
      mesh.red[pixels[at]!] = red * light
      mesh.green[pixels[at]!] = green * light
      mesh.blue[pixels[at]!] = blue * light
    }
  })
  return mesh
}

/** Sheets folded into large facets: each slope catches the light in its own way, and creases are worn white. */
export const origami: Look = (picture, { seed, stop, detail }) => {
  const { unit, width } = picture
  const random = createRandom(seed)
  stretch(picture, luma(picture), 0.2)
  const clean = calm(picture, { radius: 6 * unit, stop })
  const palette = paletteOf(clean, 9, seed)
  const match = createMatcher(palette.map(({ lab }) => lab))
  const count = { low: 220, medium: 460, high: 800 }[detail]
  const points = scatter(picture, { count, weight: cornerWeight(clean, 3 * unit), share: 0.045, random })
  const folded = createCanvas(picture)
  const sun = random() * 0.6 + 3.6
  eachTriangle(picture, points, stop, (corners, pixels, pixelCount) => {
    const [r, g, b] = meanColour(clean, pixels, pixelCount)
    const sheet = palette[match(r, g, b)]!.rgb
    const [red, green, blue] = tinted([mix(r, sheet[0], 0.6), mix(g, sheet[1], 0.6), mix(b, sheet[2], 0.6)], {
      chroma: 1.1,
      lightness: 0.82,
      lift: 0.13,
    })
    const tilt = random() * 2 * Math.PI
    const level = 1 + Math.cos(tilt - sun) * 0.17
    const [acrossX, acrossY] = [Math.cos(tilt), Math.sin(tilt)]
    const [middleX, middleY] = [
      (corners[0]! + corners[2]! + corners[4]!) / 3,
      (corners[1]! + corners[3]! + corners[5]!) / 3,
    ]
    for (let at = 0; at < pixelCount; at++) {
      const pixel = pixels[at]!
      const x = (pixel % width) + 0.5
      const y = ((pixel / width) | 0) + 0.5
      const away = ((x - middleX) * acrossX + (y - middleY) * acrossY) / (60 * unit)
      const side = distanceToSides(corners, x, y) / unit
      const crease = side < 1.5 ? 0.16 * (1 - side / 1.5) : 0
      const light = level * (1 + clamp(away, -1.2, 1.2) * 0.12) - 0.1 * Math.exp(-side / 5)
      folded.red[pixel] = red * light + crease
      folded.green[pixel] = green * light + crease
      folded.blue[pixel] = blue * light + crease
    }
  })
  shade(folded, paper(picture, unit, seed), 0.028)
  return folded
}

export const stainedGlass: Look = (picture, { seed, stop, detail }) => {
  const { unit } = picture
  const random = createRandom(seed)
  stretch(picture, luma(picture), 0.25)
  const clean = calm(calm(picture, { radius: 6 * unit, stop }), { radius: 5 * unit, stop })
  const across = { low: 84, medium: 58, high: 38 }[detail] * unit
  const cells = cellsOf(clean, { across, tightness: 0.42, rounds: 5, random, stop })
  const edges = distances(bordersOf(cells.labels, picture), picture)
  const lead = blur(edges, picture, 0.9 * unit)
  const streaks = noise(picture, { cell: 34 * unit, seed, octaves: 4 })
  const colours = Array.from(cells.x, (_, cell) => {
    const light = 0.88 + random() * 0.3
    const [red, green, blue] = tinted([clamp(cells.red[cell]!), clamp(cells.green[cell]!), clamp(cells.blue[cell]!)], {
      chroma: 1.75,
    })
    return [red * light, green * light, blue * light] as const
  })
  const thick = 2.6 * unit
  const { width, height } = picture
  eachPixel(picture, stop, (at, x, y) => {
    const [red, green, blue] = colours[cells.labels[at]!]!
    // The sun stands behind the window; glass is thinner in the middle of a pane.
    const sun = 0.82 + 0.42 * Math.exp(-(((x / width - 0.5) / 0.5) ** 2 + ((y / height - 0.36) / 0.55) ** 2))
    const pane = (0.8 + 0.26 * ramp(0, across * 0.3, lead[at]!)) * (1 + streaks[at]! * 0.16) * sun
    const glow = 0.05 * sun * ramp(0, across * 0.35, lead[at]!)
    const metal = ramp(thick + 0.8, thick - 0.8, lead[at]!)
    const round = 0.05 + 0.13 * ramp(thick * 0.75, 0, lead[at]!)
    picture.red[at] = mix(red * pane + glow, round, metal)
    picture.green[at] = mix(green * pane + glow, round, metal)
    picture.blue[at] = mix(blue * pane + glow, round * 1.12, metal)
  })
  return picture
}

type Cut = { across: number; down: number; offset: number; sides: [Cut | Facet, Cut | Facet] }
type Facet = {
  x: number
  y: number
  cosine: number
  sine: number
  moveX: number
  moveY: number
  slopeX: number
  slopeY: number
  tint: number
}

/** The same thing from several sides at once: straight cuts, and behind each a view that is moved and turned a little. */
export const cubist: Look = (picture, { seed, stop, detail }) => {
  const { unit, width, height } = picture
  const random = createRandom(seed)
  stretch(picture, luma(picture), 0.25)
  const clean = calm(picture, { radius: 4 * unit, stop })
  const depth = { low: 4, medium: 5, high: 6 }[detail]
  const tree = cutUp(0, 0, width, height, depth, random, unit)
  const facets = createCanvas(picture)
  eachPixel(picture, stop, (at, x, y) => {
    let node: Cut | Facet = tree
    let edge = Number.POSITIVE_INFINITY
    let nearestSide = 1
    while ('sides' in node) {
      const far: number = x * node.across + y * node.down - node.offset
      if (Math.abs(far) < edge) {
        edge = Math.abs(far)
        nearestSide = far < 0 ? -1 : 1
      }
      node = node.sides[far < 0 ? 0 : 1]
    }
    const relativeX = x - node.x
    const relativeY = y - node.y
    const fromX = node.x + relativeX * node.cosine - relativeY * node.sine + node.moveX
    const fromY = node.y + relativeX * node.sine + relativeY * node.cosine + node.moveY
    const red = sample(clean.red, picture, fromX, fromY)
    const green = sample(clean.green, picture, fromX, fromY)
    const blue = sample(clean.blue, picture, fromX, fromY)
    const tone = 0.3 * red + 0.59 * green + 0.11 * blue
    const slope = clamp((relativeX * node.slopeX + relativeY * node.slopeY) / (130 * unit), -1, 1)
    const passage = nearestSide > 0 ? Math.exp(-edge / (22 * unit)) : 0
    const light = 1 + slope * 0.3 - passage * 0.32
    const outline = ramp(1.8 * unit, 0.6 * unit, edge) * 0.72
    const earth = 0.42
    facets.red[at] = mix(mix(red, tone * (0.95 + node.tint * 0.22) + 0.06, earth) * light, 0.1, outline)
    facets.green[at] = mix(mix(green, tone * 0.9 + 0.04, earth) * light, 0.08, outline)
    facets.blue[at] = mix(mix(blue, tone * (0.72 - node.tint * 0.3) + 0.05, earth) * light, 0.07, outline)
  })
  return curve(facets, contrast(2, 0.48))
}

const cutUp = (
  left: number,
  top: number,
  right: number,
  bottom: number,
  depth: number,
  random: Random,
  unit: number,
): Cut | Facet => {
  const x = (left + right) / 2
  const y = (top + bottom) / 2
  if (depth === 0) {
    const turn = (random() - 0.5) * 0.5
    const zoom = 0.75 + random() * 0.45
    const slope = random() * 2 * Math.PI
    return {
      x,
      y,
      cosine: Math.cos(turn) * zoom,
      sine: Math.sin(turn) * zoom,
      moveX: (random() - 0.5) * 80 * unit,
      moveY: (random() - 0.5) * 80 * unit,
      slopeX: Math.cos(slope),
      slopeY: Math.sin(slope),
      tint: random() - 0.4,
    }
  }
  const isWide = right - left > bottom - top
  const angle = (isWide ? 0 : Math.PI / 2) + (random() - 0.5) * 1.5
  const share = 0.38 + random() * 0.24
  const across = Math.cos(angle)
  const down = Math.sin(angle)
  const [cutX, cutY] = isWide ? [mix(left, right, share), y] : [x, mix(top, bottom, share)]
  return {
    across,
    down,
    offset: across * cutX + down * cutY,
    sides: isWide
      ? [
          cutUp(left, top, cutX, bottom, depth - 1, random, unit),
          cutUp(cutX, top, right, bottom, depth - 1, random, unit),
        ]
      : [
          cutUp(left, top, right, cutY, depth - 1, random, unit),
          cutUp(left, cutY, right, bottom, depth - 1, random, unit),
        ],
  }
}
