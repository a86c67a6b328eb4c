import { blur, blurCanvas } from '../blocks/blur.js'
import { type Canvas, createCanvas, createPlane, eachPixel, luma, mix, ramp } from '../blocks/canvas.js'
import { contrast, curve, type Rgb, saturate, vignette } from '../blocks/colour.js'
import { flowOf } from '../blocks/flow.js'
import { createRandom, noise } from '../blocks/random.js'
import { calm } from '../blocks/smooth.js'
import { type Brush, type Painting, paintStrokes } from '../blocks/strokes.js'
import { relief, shade, weave } from '../blocks/surface.js'
import type { Detail, How, Look } from '../look.js'

type Layers = { brushes: Brush[]; ground: Rgb; flowSigma: number }

/** Paints layer over layer, each with a finer brush and only where the one before is not good enough. */
const painted = (picture: Canvas, { brushes, ground, flowSigma }: Layers, { seed, stop }: How): Painting => {
  const random = createRandom(seed)
  const flow = flowOf(luma(picture), picture, { sigma: flowSigma * picture.unit, seed })
  const painting = { canvas: createCanvas(picture, ground), thickness: createPlane(picture) }
  for (const brush of brushes) {
    const subject = blurCanvas(picture, brush.radius * 0.6)
    paintStrokes(painting, { subject, flow, brush, random, stop })
  }
  return painting
}

const layersOf: Record<Detail, number> = { low: 2, medium: 3, high: 4 }

export const oilPainting: Look = (picture, how) => {
  const { unit } = picture
  const brushes = [22, 10, 5, 2.6].slice(0, layersOf[how.detail]).map((radius, layer) => ({
    radius: radius * unit,
    reach: radius * unit * 2.8,
    spacing: layer === 0 ? 0.95 : 1.1,
    liveliness: 0.07,
    iridescence: 0.05,
    opacity: 0.95,
    tolerance: layer === 0 ? 0 : 0.13,
  }))
  const subject = saturate(calm(picture, { radius: 3 * unit, stop: how.stop }), 1.15, 0.1)
  const { canvas, thickness } = painted(subject, { brushes, ground: [0.45, 0.33, 0.22], flowSigma: 5 }, how)
  shade(canvas, relief(blur(thickness, canvas, 0.6 * unit), canvas, 0.8), 0.14)
  return curve(canvas, contrast(1.3))
}

export const impressionist: Look = (picture, how) => {
  const { unit } = picture
  const brushes = [15, 7.5].map((radius, layer) => ({
    radius: radius * unit,
    reach: radius * unit * 1.9,
    spacing: layer === 0 ? 0.8 : 1.1,
    liveliness: 0.16,
    iridescence: 0.2,
    opacity: 0.92,
    tolerance: layer === 0 ? 0 : 0.1,
  }))
  const subject = saturate(picture, 1.35, 0.25)
  // Light from outdoors: no black, violet shadows.
  const bright = (floor: number) => (value: number) => floor + (1 - floor) * value ** 0.82
  curve(subject, bright(0.14), bright(0.12), bright(0.24))
  const { canvas, thickness } = painted(subject, { brushes, ground: [0.86, 0.8, 0.66], flowSigma: 9 }, how)
  shade(canvas, relief(blur(thickness, canvas, 0.7 * unit), canvas, 0.9), 0.2)
  return canvas
}

/** A panel from 1500: soft shadows, umber and varnish, and the cracks that five centuries leave. */
export const renaissance: Look = (picture, how) => {
  const { unit, width, height } = picture
  const { seed, stop } = how
  const flow = flowOf(luma(picture), picture, { sigma: 4 * unit, seed })
  const soft = calm(picture, { radius: 3.2 * unit, stop, flow })
  const glaze = blurCanvas(soft, 1.2 * unit)
  const cracks = craquelure(picture, seed)
  const patina = noise(picture, { cell: 120 * unit, seed: seed + 5, octaves: 3 })
  const deep = contrast(2.4, 0.42)
  const { red, green, blue } = glaze
  eachPixel(picture, stop, (at, x, y) => {
    const tone = 0.3 * red[at]! + 0.59 * green[at]! + 0.11 * blue[at]!
    const lamp = Math.exp(-(((x / width - 0.46) / 0.5) ** 2 + ((y / height - 0.42) / 0.56) ** 2))
    const light = (0.34 + 0.78 * lamp) * (1 + patina[at]! * 0.08)
    const varnish = deep(Math.min(1, tone * 1.04)) * light
    const keep = 0.62
    const crack = cracks[at]! * (0.18 + 0.36 * ramp(0.15, 0.6, varnish))
    const dim = (1 - crack) * light
    red[at] = mix(varnish * 1.06 + 0.045, deep(red[at]!) * light * 1.02, keep) * (crack > 0 ? dim / light : 1)
    green[at] = mix(varnish * 0.86 + 0.025, deep(green[at]!) * light * 0.9, keep) * (crack > 0 ? dim / light : 1)
    blue[at] = mix(varnish * 0.5 + 0.01, deep(blue[at]!) * light * 0.66, keep) * (crack > 0 ? dim / light : 1)
  })
  const linen = createPlane(picture)
  eachPixel(picture, stop, (at, x, y) => {
    linen[at] = weave(x, y, Math.max(2, 3.2 * unit)) - 0.6
  })
  shade(glaze, linen, 0.022)
  return vignette(glaze, { amount: 0.35, start: 0.5, stop })
}

/** Fine dark lines where two wavy fields cross zero, here more and there less. */
const craquelure = (picture: Canvas, seed: number) => {
  const { unit } = picture
  const one = noise(picture, { cell: 60 * unit, seed: seed + 1, octaves: 2 })
  const other = noise(picture, { cell: 44 * unit, seed: seed + 2, octaves: 2 })
  const where = noise(picture, { cell: 300 * unit, seed: seed + 3, octaves: 2 })
  const cracks = createPlane(picture)
  for (let at = 0; at < cracks.length; at++) {
    const thin = Math.min(Math.abs(one[at]!) * 60, Math.abs(other[at]!) * 48)
    cracks[at] = (1 - ramp(0.25, 1, thin)) * ramp(-0.5, 0.5, where[at]!)
  }
  return cracks
}
