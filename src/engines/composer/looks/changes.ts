import { type Colour, colourOf, hexOf, hueDistance, mix, type Recolour } from '../colour.js'

/** Ways to change all colours of a picture. */

const changed =
  (change: (colour: Colour) => Colour): Recolour =>
  (hex) =>
    hexOf(change(colourOf(hex)))

export const inTurn = (...changes: (Recolour | undefined)[]): Recolour => {
  const real = changes.filter((change) => change !== undefined)
  return (hex) => real.reduce((colour, change) => change(colour), hex)
}

export const saturated = (factor: number, lighter = 0): Recolour =>
  changed(({ l, c, h }) => ({ l: l + lighter, c: Math.min(0.32, c * factor), h }))

export const contrasted = (factor: number): Recolour =>
  changed(({ l, c, h }) => ({ l: 0.55 + (l - 0.55) * factor, c, h }))

export const grey: Recolour = changed(({ l }) => ({ l, c: 0, h: 0 }))

/** Every lightness gets its colour between these, from the darkest to the lightest. */
export const throughColours = (...steps: string[]): Recolour => {
  return (hex) => {
    const at = Math.min(0.9999, Math.max(0, colourOf(hex).l)) * (steps.length - 1)
    const lower = Math.floor(at)
    return mix(steps[lower] as string, steps[lower + 1] as string, at - lower)
  }
}

export const blended =
  (change: Recolour, share: number): Recolour =>
  (hex) =>
    mix(hex, change(hex), share)

export const toward =
  (colour: string, share: number): Recolour =>
  (hex) =>
    mix(hex, colour, share)

/** Few steps of lightness and strong colours, like print with few inks. */
export const printed = (steps: number, strength: number): Recolour =>
  changed(({ l, c, h }) => ({
    l: Math.round(l * steps) / steps,
    c: Math.min(0.3, c * strength),
    h: Math.round(h / 24) * 24,
  }))

export const turned = (degrees: number): Recolour => changed(({ l, c, h }) => ({ l, c, h: h + degrees }))

/** Colours near the refused ones lose their hue; of refused black, white or grey only lightness can be taken. */
export const without = (refused: readonly string[]): Recolour | undefined => {
  if (refused.length === 0) return undefined
  const others = refused.map(colourOf)
  return changed(({ l, c, h }) => {
    const isRefused = others.some((other) => other.c >= 0.04 && c > 0.03 && hueDistance(h, other.h) < 32)
    return isRefused ? { l, c: c * 0.12, h } : { l, c, h }
  })
}
