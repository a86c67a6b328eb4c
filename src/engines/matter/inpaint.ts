import { type InferenceSession, Tensor } from 'onnxruntime-node'
import { EngineError } from '../engine-error.js'
import type { Raster } from '../pixels/raster.js'
import { sharp } from '../pixels/sharp.js'
import { openOnnx } from '../tensors/onnx.js'
import type { Stop } from '../threads/serve.js'
import { type Box, boxesOf } from './holes.js'
import { readWeights } from './weights.js'

export type Inpainter = {
  /**
   * The picture with its hole filled from what is around it. One byte per pixel says where: 255 is filled, 0 stays exactly
   * as it was, and what is between is mixed. It follows no words.
   */
  fill(raster: Raster, hole: Uint8Array, stop: Stop): Promise<Raster>
}

/** MI-GAN by Picsart AI Research, MIT: https://github.com/Picsart-AI-Research/MI-GAN */
const weights = {
  name: 'migan_pipeline_v2.onnx',
  sha256: '6f1f3530a1a2324b19752018ce756088b07973cda8d7d890034ace5c8a48c40b',
}

/** The network sees a square of this many pixels. */
const side = 512

/** Each part of the hole is a run of its own. */
const partsMax = 6

/** So much of the picture at least must be there to continue from. */
const knownMin = 0.04

/** Only for threads. */
export const loadInpainter = async (): Promise<Inpainter> => {
  const network = await openOnnx(await readWeights(weights))
  return {
    async fill(raster, hole, stop) {
      const { width, height } = raster
      const count = hole.reduce((sum, value) => sum + (value > 0 ? 1 : 0), 0)
      if (count > hole.length * (1 - knownMin))
        throw new EngineError('refused', 'the hole leaves too little of the picture', {
          said: 'the mask covers nearly all of the image, so there is nothing to fill it from',
        })
      const filled: Raster = { ...raster, data: raster.data.slice() }
      const open = hole.slice()
      for (const box of boxesOf(hole, width, height, { near: side / 2, countMax: partsMax })) {
        stop.check()
        const view = viewAround(box, width, height)
        const patch = await fillView(network, filled, open, view)
        paste(filled, raster, hole, patch, view, box)
        // What is filled now is picture to the parts that come after it.
        for (let y = box.top; y < box.top + box.height; y++)
          open.fill(0, y * width + box.left, y * width + box.left + box.width)
      }
      return filled
    },
  }
}

/** What the network is shown: the box and as much again around it, at full detail while that fits. */
const viewAround = (box: Box, width: number, height: number): Box & { scale: number } => {
  const wanted = Math.max(side, 2 * Math.max(box.width, box.height))
  const span = (start: number, length: number, whole: number) => {
    const size = Math.min(wanted, whole)
    const middle = Math.round(start + length / 2 - size / 2)
    return { start: Math.max(0, Math.min(middle, whole - size)), size }
  }
  const across = span(box.left, box.width, width)
  const down = span(box.top, box.height, height)
  // A picture whose shorter side is the limit is not made smaller for the sake of margins that it does not have.
  const scale = Math.min(1, side / Math.max(across.size, down.size))
  return { left: across.start, top: down.start, width: across.size, height: down.size, scale }
}

type Patch = { data: Uint8Array; width: number; height: number }

/** The pixels of the view as the network would have them, at the size of the view. */
const fillView = async (
  network: InferenceSession,
  raster: Raster,
  hole: Uint8Array,
  view: Box & { scale: number },
): Promise<Patch> => {
  const columns = Math.max(1, Math.round(view.width * view.scale))
  const rows = Math.max(1, Math.round(view.height * view.scale))
  const colours = new Uint8Array(view.width * view.height * 3)
  const keep = new Uint8Array(view.width * view.height)
  for (let y = 0; y < view.height; y++) {
    let place = (view.top + y) * raster.width + view.left
    let target = y * view.width
    for (let x = 0; x < view.width; x++, place++, target++) {
      keep[target] = (hole[place] as number) > 0 ? 0 : 255
      colours[3 * target] = raster.data[4 * place] as number
      colours[3 * target + 1] = raster.data[4 * place + 1] as number
      colours[3 * target + 2] = raster.data[4 * place + 2] as number
    }
  }
  const small = await resize(colours, view, 3, columns, rows)
  const smallKeep = await resize(keep, view, 1, columns, rows)
  const image = new Uint8Array(3 * side * side)
  const mask = new Uint8Array(side * side)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const source = mirrored(y, rows) * columns + mirrored(x, columns)
      const target = y * side + x
      // A pixel that holds even a little of the hole is not shown, or its colours would be continued.
      mask[target] = smallKeep[source] === 255 ? 255 : 0
      for (let channel = 0; channel < 3; channel++)
        image[channel * side * side + target] = small[3 * source + channel] as number
    }
  const { result } = await network.run({
    image: new Tensor('uint8', image, [1, 3, side, side]),
    mask: new Tensor('uint8', mask, [1, 1, side, side]),
  })
  const planes = result?.data as Uint8Array
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++)
      for (let channel = 0; channel < 3; channel++)
        small[3 * (y * columns + x) + channel] = planes[channel * side * side + y * side + x] as number
  const data = await resize(small, { width: columns, height: rows }, 3, view.width, view.height)
  return { data, width: view.width, height: view.height }
}

/** A picture that is smaller than what the network sees goes on as in a mirror. */
const mirrored = (index: number, size: number) => {
  const place = index % (2 * size)
  return place < size ? place : 2 * size - 1 - place
}

const resize = async (
  data: Uint8Array,
  from: { width: number; height: number },
  channels: 1 | 3,
  width: number,
  height: number,
): Promise<Uint8Array> => {
  if (from.width === width && from.height === height) return data
  const picture = sharp(data, { raw: { width: from.width, height: from.height, channels } })
  return await picture
    .resize(width, height, { fit: 'fill', kernel: 'cubic' })
    .toColourspace(channels === 1 ? 'b-w' : 'srgb')
    .raw()
    .toBuffer()
}

const paste = (filled: Raster, original: Raster, hole: Uint8Array, patch: Patch, view: Box, box: Box) => {
  for (let y = box.top; y < box.top + box.height; y++)
    for (let x = box.left; x < box.left + box.width; x++) {
      const place = y * filled.width + x
      const share = (hole[place] as number) / 255
      if (share === 0) continue
      const source = (y - view.top) * patch.width + x - view.left
      for (let channel = 0; channel < 3; channel++) {
        const before = original.data[4 * place + channel] as number
        filled.data[4 * place + channel] = before + share * ((patch.data[3 * source + channel] as number) - before)
      }
      const opacity = original.data[4 * place + 3] as number
      filled.data[4 * place + 3] = opacity + share * (255 - opacity)
    }
}
