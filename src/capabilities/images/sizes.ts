import { failField } from '#contract/errors.js'

export type Size = { width: number; height: number }

/** The longest side that every format can have: a picture may be one pixel high. */
const sideMax = 16_376

/** Such as `1K`: as many pixels as a square of 1024 has, whatever the shape. */
const tierPattern = /^(\d{1,2}(?:\.\d)?)K$/i

const pixelsOf = (tier: string): number => {
  const [, thousands] = tierPattern.exec(tier) ?? []
  return thousands === undefined ? 1024 ** 2 : Math.round((Number(thousands) * 1024) ** 2)
}

const ratioPattern = /^(\d{1,4}):(\d{1,4})$/

/** Width by height; undefined for `auto` and what is no ratio. */
export const ratioOf = (name: string): number | undefined => {
  const [, width, height] = ratioPattern.exec(name) ?? []
  const ratio = Number(width) / Number(height)
  return ratio > 0 && Number.isFinite(ratio) ? ratio : undefined
}

/** The size of a picture of a shape that has about as many pixels as its tier, on sides that models can work with. */
export const sizeOf = (ratio: number, tier: string, divisor: number): Size => {
  const pixels = pixelsOf(tier)
  const toSide = (length: number) => Math.min(sideMax, Math.max(divisor, Math.round(length / divisor) * divisor))
  return { width: toSide(Math.sqrt(pixels * ratio)), height: toSide(Math.sqrt(pixels / ratio)) }
}

/** The shape among the offered ones that is closest to a picture's own. */
export const closestRatio = ({ width, height }: Size, offered: readonly string[]): number => {
  const own = width / height
  const ratios = offered.flatMap((name) => ratioOf(name) ?? [])
  // A shape half as wide is as far away as one twice as wide.
  const distance = (ratio: number) => Math.abs(Math.log(ratio / own))
  return ratios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best), ratios[0] ?? own)
}

/** A value that a model must offer, as the model spells it. Anything else is refused, never replaced. */
export const oneOf = (field: string, value: string, offered: readonly string[], modelId: string): string => {
  const found = offered.find((name) => name.toLowerCase() === value.toLowerCase())
  if (found !== undefined) return found
  throw failField(field, `must be one of ${offered.join(', ')} for the model '${modelId}'`)
}
