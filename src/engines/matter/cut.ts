import { EngineError } from '../engine-error.js'
import type { Raster } from '../pixels/raster.js'
import { fromRaster, sharp } from '../pixels/sharp.js'
import type { Stop } from '../threads/serve.js'
import { type ColourMix, type Colours, guideByColours } from './guide.js'
import type { Box } from './holes.js'
import { type Plane, placesBetween, planeOf, resizePlane } from './plane.js'
import { loadSubjectNetwork, type SubjectNetwork } from './subject.js'

export type Cutter = {
  /** How much of each pixel belongs to the subject, 0 to 255. Refuses a picture in which nothing stands out. */
  matte(raster: Raster, stop: Stop): Promise<Uint8Array>
}

/** Edges are found in a picture of at most so many pixels to the longer side, and carried over to the large one. */
const workSide = 1024

/** What the network says of a pixel: perhaps subject, rather subject than not, surely subject. */
const [perhaps, rather, surely] = [0.2, 0.5, 0.8]

/** A subject is at least this share of a picture and leaves some of it, and the network is sure of much of it. */
const [subjectMin, subjectMax, sureMin] = [0.001, 0.985, 0.3]

/** Only for threads. */
export const loadCutter = async (network?: SubjectNetwork): Promise<Cutter> => {
  const seeing = network ?? (await loadSubjectNetwork())
  return {
    async matte(raster, stop) {
      const small = await shrink(raster)
      stop.check()
      const rough = decide(await findSubject(seeing, small, stop))
      stop.check()
      // The network's own pixels are this large in the small picture: edges are looked for that far.
      const grain = Math.max(small.width, small.height) / seeing.side
      const mix = guideByColours(rough, coloursOf(small), { radius: Math.ceil(2 + 2 * grain), contrast: 0.02 })
      stop.check()
      return enlarge(mix, rough, raster)
    },
  }
}

type Small = { data: Uint8Array; width: number; height: number }

const shrink = async (raster: Raster): Promise<Small> => {
  const { data, info } = await fromRaster(raster)
    .flatten({ background: '#ffffff' })
    .resize(workSide, workSide, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

const coloursOf = (small: Small): Colours => {
  const colour = (channel: number) => planeOf(small, (index) => (small.data[3 * index + channel] as number) / 255)
  return [colour(0), colour(1), colour(2)]
}

/** Looks at the whole, and at the subject alone when it is only a part: from near, more of it is seen. */
const findSubject = async (network: SubjectNetwork, small: Small, stop: Stop): Promise<Plane> => {
  const whole = { left: 0, top: 0, width: small.width, height: small.height }
  const far = await look(network, small, whole)
  const box = boxAround(far)
  if (box === undefined)
    throw new EngineError('refused', 'the network sees no subject', {
      said: 'no subject stands out from the background',
    })
  if (box.width * box.height > 0.7 * small.width * small.height || network.side >= workSide) return far
  stop.check()
  const near = await look(network, small, box)
  const before = crop(far, box)
  if (overlap(near.data, before.data) < 0.75) return far
  const both = planeOf(far, () => 0)
  for (let y = 0; y < box.height; y++)
    both.data.set(near.data.subarray(y * box.width, (y + 1) * box.width), (box.top + y) * far.width + box.left)
  return both
}

const look = async (network: SubjectNetwork, small: Small, box: Box): Promise<Plane> => {
  const { side } = network
  const picture = sharp(small.data, { raw: { width: small.width, height: small.height, channels: 3 } })
  const seen = await picture.extract(box).resize(side, side, { fit: 'fill' }).raw().toBuffer()
  return resizePlane({ data: await network.look(seen), width: side, height: side }, box)
}

/** The box of the subject, with a margin; undefined when there is none. */
const boxAround = ({ data, width, height }: Plane): Box | undefined => {
  let [left, right, top, bottom] = [width, -1, height, -1]
  const counts = { perhaps: 0, rather: 0, surely: 0 }
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const value = data[y * width + x] as number
      if (value < perhaps) continue
      counts.perhaps++
      if (value >= surely) counts.surely++
      if (value < rather) continue
      counts.rather++
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  const isSubject = counts.surely >= Math.max(subjectMin * data.length, sureMin * counts.perhaps)
  if (!isSubject || counts.rather > subjectMax * data.length) return undefined
  const margin = Math.round(0.15 * Math.max(right - left, bottom - top)) + 4
  const [from, to] = [Math.max(0, left - margin), Math.min(width, right + margin + 1)]
  const [upper, lower] = [Math.max(0, top - margin), Math.min(height, bottom + margin + 1)]
  return { left: from, top: upper, width: to - from, height: lower - upper }
}

const crop = ({ data, width }: Plane, box: Box): Plane =>
  planeOf(box, (index) => {
    const x = index % box.width
    const y = (index - x) / box.width
    return data[(box.top + y) * width + box.left + x] as number
  })

/** How much of what is rather subject in either is so in both. */
const overlap = (a: Float32Array, b: Float32Array): number => {
  let [either, both] = [0, 0]
  for (let index = 0; index < a.length; index++) {
    const [first, second] = [(a[index] as number) >= rather, (b[index] as number) >= rather]
    if (first || second) either++
    if (first && second) both++
  }
  return either === 0 ? 0 : both / either
}

/**
 * Half sure is rarely half transparent, so it becomes one or the other, except close to the middle. What is really half
 * transparent comes back with the edges of the picture.
 */
const decide = (plane: Plane): Plane =>
  planeOf(plane, (index) => Math.max(0, Math.min(1, ((plane.data[index] as number) - 0.3) / 0.3)))

/** What is nearly all or nothing in the small picture becomes all or nothing. */
const [nothing, all] = [0.06, 0.94]
const level = (value: number) => Math.max(0, Math.min(1, (value - nothing) / (all - nothing)))

/** Whether the four pixels from each one on are all background, all subject, or neither. */
const [background, subject, edge] = [0, 1, 2]

const kindsOf = (mix: ColourMix, { width, height }: Plane): Uint8Array => {
  const kindAt = (index: number) => {
    const colours = [mix.red, mix.green, mix.blue].map(({ data }) => Math.abs(data[index] as number))
    if (Math.max(...colours) > 0.01) return edge
    const offset = mix.offset.data[index] as number
    return offset < nothing / 2 ? background : offset > (1 + all) / 2 ? subject : edge
  }
  const own = Uint8Array.from(mix.offset.data, (_, index) => kindAt(index))
  return own.map((kind, index) => {
    const right = (index + 1) % width === 0 ? 0 : 1
    const below = index + width < width * height ? width : 0
    const areSame = own[index + right] === kind && own[index + below] === kind && own[index + right + below] === kind
    return areSame ? kind : edge
  })
}

const enlarge = (mix: ColourMix, small: Plane, raster: Raster): Uint8Array => {
  const across = placesBetween(raster.width, small.width)
  const down = placesBetween(raster.height, small.height)
  const kinds = kindsOf(mix, small)
  const matte = new Uint8Array(raster.width * raster.height)
  for (let y = 0; y < raster.height; y++) {
    const upper = (down.before[y] as number) * small.width
    const lower = (down.after[y] as number) * small.width
    const downShare = down.share[y] as number
    for (let x = 0; x < raster.width; x++) {
      const left = across.before[x] as number
      const kind = kinds[upper + left]
      // Most of a picture is one or the other.
      if (kind === background) continue
      const place = y * raster.width + x
      const opacity = raster.data[4 * place + 3] as number
      if (kind === subject) {
        matte[place] = opacity
        continue
      }
      const right = across.after[x] as number
      const share = across.share[x] as number
      const between = ({ data }: Plane) => {
        const above = (data[upper + left] as number) * (1 - share) + (data[upper + right] as number) * share
        const below = (data[lower + left] as number) * (1 - share) + (data[lower + right] as number) * share
        return above * (1 - downShare) + below * downShare
      }
      const colour =
        between(mix.red) * (raster.data[4 * place] as number) +
        between(mix.green) * (raster.data[4 * place + 1] as number) +
        between(mix.blue) * (raster.data[4 * place + 2] as number)
      matte[place] = Math.round(level(colour / 255 + between(mix.offset)) * opacity)
    }
  }
  return matte
}
