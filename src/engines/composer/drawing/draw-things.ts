import type { Art } from '../art/art-set.js'
import { isMainColour } from '../art/art-set.js'
import { colourOf, hexOf, mix, type Recolour } from '../colour.js'
import type { Item, Placed } from '../layout/arrange.js'
import type { Look } from '../looks/looks.js'
import { n } from './page.js'
import { lit, putContact, type Stage } from './stage.js'

/** An item with what is needed to draw it. */
export type Actor = Item & { art: Art; colour: string | undefined }

/** Paints what most of the art is painted with in another colour; lights and shades stay. */
export const paintedIn = (hex: string, { colour: main }: Art): Recolour => {
  const target = colourOf(hex)
  return (one) => {
    const colour = colourOf(one)
    if (!isMainColour(colour, main)) return one
    const strength = main.c < 0.05 ? 1 : Math.min(1.25, Math.max(0.35, colour.c / main.c))
    return hexOf({ l: target.l + (colour.l - main.l) * 0.85, c: target.c * strength, h: target.h })
  }
}

/** From far to near, with what stands on something right after it. */
const inOrder = (placed: Placed[]) => [...placed].sort((first, second) => first.near - second.near)

export const drawThings = (stage: Stage, actors: Actor[], placed: Placed[], look: Look, isTransparent: boolean) => {
  const { page, setting, plan } = stage
  const { light } = setting
  // The light comes from the sky that is seen, so shadows fall towards the viewer.
  const lean = (0.5 - light.sunX) * 1.1
  const isOutdoors = setting.place !== 'room' && setting.place !== 'studio' && setting.place !== 'table'
  for (const one of inOrder(placed)) {
    const actor = actors[one.item] as Actor
    const { art, colour } = actor
    const far = plan.isFloating ? 0.16 * (1 - one.near) : 0.3 * (1 - one.near)
    const step = Math.round(far * 20) / 20
    const paint = colour === undefined ? undefined : paintedIn(colour, art)
    // Things keep more of their own colour than the place does, or nobody would find them at night.
    const strength = light.strength * (isOutdoors ? 0.55 : 0.35)
    const change: Recolour = (hex) => {
      const own = paint ? paint(hex) : hex
      if (isTransparent) return stage.artChange(own)
      return stage.artChange(
        mix(mix(own, lit(stage, own), strength / Math.max(0.01, light.strength)), light.skyBottom, step),
      )
    }
    const stands =
      !plan.isFloating &&
      (actor.habitat === 'ground' || actor.habitat === 'head') &&
      actor.relation?.kind !== 'on' &&
      actor.relation?.kind !== 'worn' &&
      actor.relation?.kind !== 'above'
    if (stands && look.shadow !== 'none' && !isTransparent) {
      if (look.shadow === 'cast' && isOutdoors && light.shadow > 0.15)
        page.putShadow(art, one, lean, '#0a1020', light.shadow * 0.62)
      putContact(stage, one.x, one.foot, one.width, look.shadow === 'soft' ? 0.4 : 0.34)
    }
    const key = `${colour ?? ''} ${step}`
    // As a style it keeps its colour, whatever happens to all others.
    if (look.outline)
      page.add(
        `<g style="stroke:${look.outline.colour}" stroke-width="${n((look.outline.width * art.side) / 128)}" stroke-linejoin="round">`,
      )
    page.put(art, one, key, change)
    if (look.outline) page.add('</g>')
    if (!isTransparent && actor.habitat === 'surface' && plan.water && !plan.isFloating) drawWake(stage, one)
  }
}

/** Where a hull meets the water. */
const drawWake = ({ page, setting: { light } }: Stage, { x, foot, width }: Placed) => {
  const foam = mix('#ffffff', light.skyBottom, 0.35)
  for (const [dx, dy, wide, opacity] of [
    [0, -2, 0.56, 0.55],
    [-0.1, 8, 0.46, 0.4],
    [0.14, 15, 0.34, 0.28],
  ] as const)
    page.add(
      `<ellipse cx="${n(x + dx * width)}" cy="${n(foot + dy)}" rx="${n(width * wide)}" ry="${n(Math.max(2, width * 0.016))}" fill="${foam}" opacity="${opacity}"/>`,
    )
}
