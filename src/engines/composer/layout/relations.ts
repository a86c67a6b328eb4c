import type { Random } from '../random.js'
import { aspectOf, boxOf, type Item, type Placed } from './arrange.js'
import type { GroundPlan } from './ground-plan.js'

/** A place for something that the prompt puts on, under, beside or behind something else. */
export const besideBase = (
  item: Item,
  index: number,
  high: number,
  base: Placed,
  baseItem: Item,
  { horizon, floor }: GroundPlan,
  random: Random,
): Placed => {
  const aspect = aspectOf(item.art)
  const box = boxOf(base)
  const [wide, tall] = [box.right - box.left, box.bottom - box.top]
  const at = (x: number, foot: number, height: number, near: number): Placed => ({
    item: index,
    x,
    foot,
    width: height * aspect,
    height,
    near,
    isFlipped: random.chance(0.5) && item.mayFlip,
  })
  const footAt = (near: number) => floor.far + (floor.near - floor.far) * near
  const headX = () => {
    const { ink } = baseItem.art
    const share = (baseItem.art.topX - ink.left) / (ink.right - ink.left)
    return box.left + wide * (base.isFlipped ? 1 - share : share)
  }
  const side = random.chance(0.5) ? 1 : -1
  switch (item.relation?.kind) {
    case 'worn': {
      const height = (wide * 0.5) / aspect
      return { ...at(headX(), box.top + height * 0.32, height, base.near + 0.001), isFlipped: false }
    }
    case 'on': {
      const height = Math.min(high, tall * 1.1)
      const x = base.x + wide * random.between(-0.16, 0.16)
      // Roofs and backs are below the highest point of what they belong to.
      return at(x, box.top + tall * 0.14, height, base.near + 0.001)
    }
    case 'under': {
      if (baseItem.habitat === 'air' || baseItem.habitat === 'space') {
        const near = random.between(0.5, 0.8)
        return at(base.x + wide * random.between(-0.3, 0.3), footAt(near), high, near)
      }
      const height = Math.min(high, tall * 0.5)
      return at(base.x + wide * random.between(-0.26, 0.26), base.foot + tall * 0.05, height, base.near + 0.05)
    }
    case 'above':
      return at(
        base.x + wide * random.between(-0.3, 0.3),
        Math.max(high * 1.05, box.top - horizon * random.between(0.03, 0.12)),
        high,
        base.near,
      )
    case 'behind': {
      const near = Math.max(0, base.near - random.between(0.2, 0.4))
      return at(base.x + side * wide * random.between(0.3, 0.75), Math.min(base.foot - 1, footAt(near)), high, near)
    }
    case 'before': {
      const near = Math.min(1, base.near + random.between(0.18, 0.35))
      return at(base.x + side * wide * random.between(0.15, 0.6), Math.max(base.foot + 1, footAt(near)), high, near)
    }
    default: {
      const kind = item.relation?.kind
      const direction = kind === 'left' ? -1 : kind === 'right' ? 1 : side
      const gap = (wide + high * aspect) / 2 + wide * random.between(0.04, 0.3)
      return at(
        base.x + direction * gap,
        base.foot + random.between(-0.02, 0.05) * tall,
        high,
        base.near + random.between(-0.02, 0.05),
      )
    }
  }
}
