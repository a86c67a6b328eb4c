import { blur, blurCanvas } from '../blocks/blur.js'
import { type Canvas, clamp, createPlane, distance, eachPixel, luma, mix, ramp } from '../blocks/canvas.js'
import { contrast, curve, hue, saturate, stretch, tinted } from '../blocks/colour.js'
import { flowOf, gradientsOf } from '../blocks/flow.js'
import { inkLines } from '../blocks/ink.js'
import { fillLabels, labelsOf, paletteOf } from '../blocks/palette.js'
import { createRandom, noise } from '../blocks/random.js'
import { calm } from '../blocks/smooth.js'
import type { Look } from '../look.js'
import { simplified, smoothLabels } from './flat.js'
import { bloom } from './photo.js'
import { wobble } from './water.js'

/** Cel paint: clean steps of light, thin coloured lines, a bright sky over everything. */
export const anime: Look = (picture, { seed, stop }) => {
  const { unit, width, height } = picture
  stretch(picture, luma(picture), 0.2)
  const clean = calm(calm(picture, { radius: 4.5 * unit, stop }), { radius: 3 * unit, stop })
  const tones = luma(clean)
  const flow = flowOf(tones, picture, { sigma: 3 * unit, seed })
  const pen = inkLines(tones, picture, { width: 1.35 * unit, flow, faintest: 0.012, steps: 6, stop })
  saturate(clean, 1.35, 0.3)
  eachPixel(picture, stop, (at) => {
    const steps = tones[at]! * 4.6
    const level = Math.floor(steps)
    const cel = (level + ramp(0.42, 0.58, steps - level)) / 4.6
    const bright = cel ** 0.78
    const gain = (bright + 0.05) / (tones[at]! + 0.05)
    // Shadows on cels are blue, never black.
    const shadow = ramp(0.5, 0.05, cel) * 0.22
    const ink = pen[at]! * 0.82
    clean.red[at] = mix(mix(clean.red[at]! * gain, 0.3, shadow), 0.16, ink)
    clean.green[at] = mix(mix(clean.green[at]! * gain, 0.3, shadow), 0.09, ink)
    clean.blue[at] = mix(mix(clean.blue[at]! * gain, 0.62, shadow), 0.18, ink)
  })
  bloom(clean, { sigma: 16 * unit, from: 0.62, amount: 0.4, tint: [1, 0.96, 0.98] })
  eachPixel(clean, stop, (at, x, y) => {
    const sun = Math.exp(-(((x / width - 0.9) / 0.5) ** 2 + ((y / height - 0.02) / 0.5) ** 2)) * 0.34
    clean.red[at]! += (1 - clean.red[at]!) * sun
    clean.green[at]! += (1 - clean.green[at]!) * sun * 0.86
    clean.blue[at]! += (1 - clean.blue[at]!) * sun * 0.72
  })
  return clean
}

/** Concept art from a tablet: smooth painting, deep night blue, two coloured lights from the sides. */
export const digitalArt: Look = (picture, { seed, stop }) => {
  const { unit } = picture
  stretch(picture, luma(picture), 0.25)
  const flow = flowOf(luma(picture), picture, { sigma: 4 * unit, seed })
  const smooth = calm(picture, { radius: 4 * unit, stop, flow })
  const tones = luma(smooth)
  const slopes = gradientsOf(blur(tones, picture, 4 * unit), picture)
  saturate(smooth, 1.45, 0.3)
  const deep = contrast(2.6, 0.5)
  curve(
    smooth,
    (value) => 0.03 + deep(value) * 0.95,
    (value) => 0.02 + deep(value) * 0.94,
    (value) => 0.13 + deep(value) * 0.9,
  )
  const left = createPlane(picture)
  const right = createPlane(picture)
  for (let at = 0; at < left.length; at++) {
    const slope = slopes.across[at]! * 9 * unit
    left[at] = clamp(slope)
    right[at] = clamp(-slope)
  }
  const cyan = blur(left, picture, 2.5 * unit)
  const magenta = blur(right, picture, 2.5 * unit)
  eachPixel(picture, stop, (at) => {
    const shadow = ramp(0.75, 0.1, tones[at]!) * 0.4
    const blueRim = cyan[at]! * 0.85
    const pinkRim = magenta[at]! * 0.85
    smooth.red[at] = mix(smooth.red[at]!, 0.14, shadow) + pinkRim * 0.85
    smooth.green[at] = mix(smooth.green[at]!, 0.08, shadow) + blueRim * 0.65 + pinkRim * 0.1
    smooth.blue[at] = mix(smooth.blue[at]!, 0.4, shadow) + blueRim * 0.85 + pinkRim * 0.55
  })
  bloom(smooth, { sigma: 20 * unit, from: 0.6, amount: 0.35, tint: [0.8, 0.85, 1] })
  return smooth
}

/** A tale: golden light falls through violet air, and something sparkles in it. */
export const fantasyArt: Look = (picture, { seed, stop }) => {
  const { unit, width, height } = picture
  const random = createRandom(seed)
  stretch(picture, luma(picture), 0.2)
  const flow = flowOf(luma(picture), picture, { sigma: 5 * unit, seed })
  const painted = calm(picture, { radius: 4.5 * unit, stop, flow })
  const dreamy = blurCanvas(painted, 14 * unit)
  const tones = luma(painted)
  const [sourceX, sourceY] = [(0.25 + random() * 0.5) * width, -0.12 * height]
  const beams = noise({ width: 720, height: 1 }, { cell: 16, seed, octaves: 3 })
  const mist = noise(picture, { cell: 260 * unit, seed: seed + 2, octaves: 4 })
  saturate(painted, 1.25, 0.2)
  eachPixel(picture, stop, (at, x, y) => {
    const light = ramp(0.2, 0.85, tones[at]!)
    const angle = Math.atan2(x - sourceX, y - sourceY)
    const beam = ramp(0.02, 0.6, beams[clamp(((angle / Math.PI + 0.5) * 720) | 0, 0, 719)]!)
    const far = distance(x - sourceX, y - sourceY) / (height * 1.15)
    const ray = beam * Math.max(0, 1 - far) * 0.62 + Math.max(0, 0.75 - far) * 0.28
    const fog = ramp(0.55, 1.1, y / height + mist[at]! * 0.35) * 0.34
    // Screened with its own blur, a picture begins to glow.
    const glow = (sharp: number, soft: number) => 1 - (1 - sharp * 0.78) * (1 - soft * 0.42)
    const red = glow(painted.red[at]!, dreamy.red[at]!) * mix(0.82, 1.1, light)
    const green = glow(painted.green[at]!, dreamy.green[at]!) * mix(0.68, 0.98, light)
    const blue = glow(painted.blue[at]!, dreamy.blue[at]!) * mix(1.08, 0.8, light)
    painted.red[at] = mix(red + mix(0.06, 0, light), 0.52, fog) + ray * 0.7
    painted.green[at] = mix(green, 0.42, fog) + ray * 0.56
    painted.blue[at] = mix(blue + mix(0.13, 0, light), 0.78, fog) + ray * 0.28
  })
  curve(painted, contrast(1.9, 0.52))
  sparkles(painted, random)
  return painted
}

const sparkles = (canvas: Canvas, random: () => number) => {
  const { unit, width, height } = canvas
  for (let made = 0; made < 70; made++) {
    const x = random() * width
    const y = random() ** 0.8 * height
    const size = (1.2 + random() ** 4 * 7) * unit
    const reach = size * 4
    for (let row = Math.max(0, Math.floor(y - reach)); row < Math.min(height, y + reach); row++)
      for (let column = Math.max(0, Math.floor(x - reach)); column < Math.min(width, x + reach); column++) {
        const [farX, farY] = [Math.abs(column - x) / size, Math.abs(row - y) / size]
        const core = Math.exp(-(farX * farX + farY * farY) * 1.6)
        const cross = Math.exp(-(farX * 0.9 + farY * 7)) + Math.exp(-(farY * 0.9 + farX * 7))
        const light = Math.min(1, core + cross * 0.7) * 0.9
        const at = row * width + column
        canvas.red[at]! += (1 - canvas.red[at]!) * light
        canvas.green[at]! += (0.96 - canvas.green[at]!) * light
        canvas.blue[at]! += (0.8 - canvas.blue[at]!) * light
      }
  }
}

/** Kandinsky's idea of the picture: its colours as large free shapes, with circles, arcs and bars set against them. */
export const abstract: Look = (picture, { seed, stop }) => {
  const { unit, width, height } = picture
  const random = createRandom(seed)
  stretch(picture, luma(picture), 0.25)
  const free = simplified(wobble(picture, 190 * unit, 75 * unit, seed), 15 * unit, stop)
  const palette = paletteOf(free, 7, seed)
  const labels = smoothLabels(labelsOf(free, palette), picture, palette.length, 8 * unit)
  const count = palette.length
  const circles = Array.from({ length: 9 }, () => ({
    x: random() * width,
    y: random() * height,
    radius: (30 + random() ** 2 * 190) * unit,
    ring: random() < 0.5 ? (5 + random() * 14) * unit : 0,
    step: 1 + ((random() * (count - 1)) | 0),
  }))
  const bars = Array.from({ length: 7 }, () => {
    const angle = random() * Math.PI
    return {
      x: random() * width,
      y: random() * height,
      across: Math.cos(angle),
      down: Math.sin(angle),
      length: (80 + random() * 260) * unit,
      half: (1.4 + random() ** 3 * 9) * unit,
    }
  })
  eachPixel(picture, stop, (at, x, y) => {
    for (const { x: middleX, y: middleY, radius, ring, step } of circles) {
      const far = distance(x - middleX, y - middleY)
      if (far < radius && (ring === 0 || far > radius - ring))
        labels[at] = labels[at]! < count ? count + ((labels[at]! + step) % count) : labels[at]! - count
    }
  })
  const strong = palette.map(({ rgb }, at) =>
    tinted(rgb, { chroma: 1.7, lightness: 0.9, lift: at % 2 === 0 ? 0.09 : 0.03 }),
  )
  // Behind a circle the colours of the picture are answered by others of the wheel.
  const answers = palette.map(({ lab: [lightness] }, at) =>
    hue(random() * 0.2 + at / count, clamp(lightness, 0.4, 0.8), 0.16),
  )
  const shapes = blurCanvas(fillLabels(free, labels, [...strong, ...answers]), 0.7 * unit)
  const brushed = noise(picture, { cell: 26 * unit, seed: seed + 4, octaves: 4 })
  eachPixel(picture, stop, (at, x, y) => {
    let ink = 0
    for (const { x: middleX, y: middleY, across, down, length, half } of bars) {
      const along = Math.abs((x - middleX) * across + (y - middleY) * down)
      const side = Math.abs((y - middleY) * across - (x - middleX) * down)
      if (along < length && side < half + 0.5) ink = Math.max(ink, clamp(half + 0.5 - side))
    }
    const light = 1 + brushed[at]! * 0.09
    shapes.red[at] = mix(shapes.red[at]! * light, 0.06, ink)
    shapes.green[at] = mix(shapes.green[at]! * light, 0.06, ink)
    shapes.blue[at] = mix(shapes.blue[at]! * light, 0.08, ink)
  })
  return shapes
}
