import type { Art } from '../art/art-set.js'
import type { Random } from '../random.js'
import type { RelationKind } from '../vocabulary/qualities.js'
import type { Habitat } from '../vocabulary/traits.js'
import type { GroundPlan } from './ground-plan.js'
import { besideBase } from './relations.js'

/** One thing to be placed, of which the picture may show several. */
export type Item = {
  thing: number
  art: Pick<Art, 'ink' | 'topX' | 'side'>
  habitat: Habitat
  /** Height in the world, on the compressed scale of the traits. */
  height: number
  size: number
  relation: { kind: RelationKind; to: number } | undefined
  /** Letters and clocks do not look right in a mirror. */
  mayFlip: boolean
}

/** Where its ink is: `x` is the middle, `foot` the lower edge. `near` is 0 far away and 1 in front. */
export type Placed = {
  item: number
  x: number
  foot: number
  width: number
  height: number
  near: number
  isFlipped: boolean
}

export type Box = { left: number; right: number; top: number; bottom: number }
export const boxOf = ({ x, foot, width, height }: Pick<Placed, 'x' | 'foot' | 'width' | 'height'>): Box => ({
  left: x - width / 2,
  right: x + width / 2,
  top: foot - height,
  bottom: foot,
})

const triesPerItem = 90
/** After this many tries without a free place a thing becomes smaller. */
const triesPerSize = 30
const scaleAt = (near: number) => 0.45 + 0.55 * near

export const aspectOf = ({ ink }: Item['art']) => (ink.right - ink.left) / (ink.bottom - ink.top)

/** Heights beside the first thing: a mouse beside a house is small, but can still be seen. */
const relativeHeights = (items: Item[]): number[] => {
  const main = items[0]?.height ?? 1
  // Of a bust only the upper part is seen, so it is larger than what stands there in full.
  return items.map(({ height, size, habitat }) => {
    const beside = Math.min(2.1, Math.max(0.26, (height / main) ** 0.72))
    return beside * size * (habitat === 'bust' ? 1.5 : 1)
  })
}

const overlap = (first: Box, second: Box): number => {
  const wide = Math.min(first.right, second.right) - Math.max(first.left, second.left)
  const high = Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top)
  if (wide <= 0 || high <= 0) return 0
  const areaOf = ({ left, right, top, bottom }: Box) => (right - left) * (bottom - top)
  return (wide * high) / Math.min(areaOf(first), areaOf(second))
}

/**
 * Finds a place for everything: the first thing where the eye goes, the others around it. Each tries a number of places
 * and takes the one that covers least of the others. `taken` is where nothing shall be.
 */
export const arrange = (items: Item[], plan: GroundPlan, random: Random, taken: Box[] = []): Placed[] => {
  const { width, height } = plan
  const relative = relativeHeights(items)
  const free = items.map((item, index) => ({ item, index })).filter(({ item }) => item.relation?.kind !== 'worn')
  const weight = free.reduce((sum, { item, index }) => {
    const high = relative[index] as number
    return sum + high * high * Math.max(0.5, aspectOf(item.art))
  }, 0)
  const room = width * height * (plan.isFloating ? 0.32 : 0.33)
  const biggest = Math.max(0.01, ...relative)
  const widest = Math.max(0.01, ...items.map((item, index) => (relative[index] as number) * aspectOf(item.art)))
  const main = mainOf(items)
  const { unitMax, shift } = roomBeside(items, relative, main, width)
  const unit =
    random.between(0.86, 1) *
    Math.min(
      unitMax,
      Math.sqrt(room / Math.max(weight, 0.5)),
      (height * 0.62) / Math.max(1, biggest),
      (width * 0.72) / Math.max(0.8, widest),
      Math.min(width, height) * (items.length === 1 ? 0.62 : 0.58) * Math.max(1, items[0]?.size ?? 1) ** 0.4,
    )

  const placed: Placed[] = []
  const order = [...items.keys()].sort((first, second) => rank(items, first) - rank(items, second))
  const mainNear = items[main] && items[main].height >= 1.6 ? 0.42 : 0.72

  for (const index of order) {
    const item = items[index] as Item
    const bases = placed.filter((other) => item.relation && items[other.item]?.thing === item.relation.to)
    const isMain = index === main
    let best: Placed | undefined
    let bestCost = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < triesPerItem; attempt++) {
      const shrunk = Math.floor(attempt / triesPerSize)
      const high = unit * (relative[index] as number) * 0.8 ** shrunk
      const base = bases.length > 0 ? (bases[index % bases.length] as Placed) : undefined
      const found =
        base && item.relation
          ? besideBase(item, index, high, base, items[base.item] as Item, plan, random)
          : somewhere(item, index, high, isMain, items.length, mainNear, plan, random)
      const candidate = isMain && shift !== 0 ? { ...found, x: width * (0.5 + shift * 0.42) } : found
      const box = boxOf(candidate)
      let cost = outside(box, plan) * 14 + shrunk * 0.3
      for (const other of placed) {
        if (
          other === base &&
          (item.relation?.kind === 'on' || item.relation?.kind === 'worn' || item.relation?.kind === 'under')
        )
          continue
        const share = overlap(box, boxOf(other))
        // Far things may stand behind near ones a little; side by side they may not.
        cost += share * (Math.abs(other.near - candidate.near) > 0.15 ? 3 : 6) * (other.item === main ? 2 : 1)
      }
      for (const one of taken) cost += overlap(box, one) * 8
      if (isMain) cost += Math.abs(candidate.x / width - 0.5) * 0.6
      if (cost < bestCost) [best, bestCost] = [candidate, cost]
      if (cost < 0.01 && attempt > 6) break
    }
    if (best) placed.push(best)
  }
  return placed
}

/** The same arrangement, as large as the picture allows and in its middle. */
export const centred = (placed: Placed[], { width, height }: GroundPlan): Placed[] => {
  const boxes = placed.map(boxOf)
  const [left, right] = [Math.min(...boxes.map((box) => box.left)), Math.max(...boxes.map((box) => box.right))]
  const [top, bottom] = [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom))]
  const scale = Math.min((width * 0.9) / Math.max(1, right - left), (height * 0.9) / Math.max(1, bottom - top))
  return placed.map((one) => ({
    ...one,
    x: width / 2 + (one.x - (left + right) / 2) * scale,
    foot: height / 2 + (one.foot - (top + bottom) / 2) * scale,
    width: one.width * scale,
    height: one.height * scale,
  }))
}

const aside = new Set<RelationKind | undefined>(['beside', 'left', 'right'])

/** What stands beside the main thing needs room there: the largest unit that leaves it, and where the main thing goes then. */
const roomBeside = (items: Item[], relative: number[], main: number, width: number) => {
  const wideOf = (index: number) => (relative[index] as number) * aspectOf((items[index] as Item).art)
  let [unitMax, shift] = [Number.POSITIVE_INFINITY, 0]
  for (const [index, { relation }] of items.entries()) {
    if (!aside.has(relation?.kind) || relation?.to !== items[main]?.thing || index === main) continue
    unitMax = Math.min(unitMax, (width * 0.84) / (wideOf(main) + wideOf(index)))
    if (shift === 0) shift = (relation?.kind === 'right' ? -1 : 1) * (wideOf(index) / (wideOf(main) + wideOf(index)))
  }
  return { unitMax, shift }
}

/** The first thing, or what carries it. */
const mainOf = (items: Item[]): number => {
  let at = 0
  for (let steps = 0; steps < 4; steps++) {
    const relation = items[at]?.relation
    const base = relation ? items.findIndex(({ thing }) => thing === relation.to) : -1
    if (base < 0) break
    at = base
  }
  return at
}

/** First what nothing holds, then what stands by it, and so on. A ring of relations is cut somewhere. */
const rank = (items: Item[], index: number): number => {
  let [steps, at] = [0, items[index]]
  while (at?.relation && steps < 4) {
    const { to } = at.relation
    at = items.find(({ thing }) => thing === to)
    steps++
  }
  return steps * 1000 + index
}

const outside = ({ left, right, top, bottom }: Box, { width, height }: GroundPlan): number => {
  const margin = width * 0.02
  const over = Math.max(0, margin - left) + Math.max(0, right - width + margin)
  return (
    over / Math.max(1, right - left) +
    (Math.max(0, height * 0.02 - top) + Math.max(0, bottom - height)) / Math.max(1, bottom - top)
  )
}

const somewhere = (
  item: Item,
  index: number,
  high: number,
  isMain: boolean,
  number: number,
  mainNear: number,
  plan: GroundPlan,
  random: Random,
): Placed => {
  const { width, height, horizon, floor, water, isFloating } = plan
  const aspect = aspectOf(item.art)
  const x = isMain
    ? width * (number === 1 ? random.between(0.38, 0.62) : random.between(0.34, 0.66))
    : width * random.between(0.06, 0.94)
  const at = (near: number, foot: number): Placed => {
    const scaled = (high * scaleAt(near)) / scaleAt(isMain ? near : mainNear)
    return {
      item: index,
      x,
      foot,
      width: scaled * aspect,
      height: scaled,
      near,
      isFlipped: random.chance(0.5) && item.mayFlip,
    }
  }
  if (item.habitat === 'bust') {
    const bust = at(0.95, height)
    return { ...bust, foot: height + bust.height * 0.01 }
  }
  if (isFloating) {
    const near = isMain ? 0.75 : random.between(0.25, 1)
    const one = at(near, 0)
    const middle = isMain ? height * random.between(0.46, 0.56) : height * random.between(0.12, 0.88)
    return { ...one, foot: middle + one.height / 2 }
  }
  if (item.habitat === 'air' || item.habitat === 'space') {
    const near = isMain ? 0.8 : random.between(0.35, 0.9)
    const one = at(near, 0)
    const middle = horizon * (isMain ? random.between(0.38, 0.56) : random.between(0.16, 0.72))
    return { ...one, foot: middle + one.height / 2 }
  }
  const isAfloat = water && (item.habitat === 'surface' || item.habitat === 'swim')
  const band = isAfloat ? water : floor
  const near = isMain
    ? mainNear + random.between(-0.06, 0.08)
    : item.height >= 1.6
      ? random.between(0.08, 0.5)
      : random.between(0.3, 1)
  const one = at(near, band.far + (band.near - band.far) * near)
  return isAfloat ? { ...one, foot: one.foot + one.height * 0.04 } : one
}
