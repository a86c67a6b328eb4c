import type { Art } from '../art/art-set.js'
import { inLight, mix, type Recolour } from '../colour.js'
import type { GroundPlan } from '../layout/ground-plan.js'
import type { Setting } from '../layout/setting.js'
import type { Random } from '../random.js'
import type { Page } from './page.js'

/** What those who draw a place need. */
export type Stage = {
  page: Page
  plan: GroundPlan
  setting: Setting
  random: Random
  artOf(name: string): Art
  /** What the style does to things and scenery. */
  artChange: Recolour
  /** Pictures that scenery may show; the caller may have refused some. */
  isAllowed(name: string): boolean
}

/** A colour of the place in the light of the time. */
export const lit = ({ setting: { light } }: Stage, hex: string): string => inLight(hex, light.ambient, light.strength)

/** The same, with air in front of it: 0 is here, 1 is so far that only air is seen. */
export const hazy = (stage: Stage, hex: string, far: number): string =>
  mix(lit(stage, hex), stage.setting.light.skyBottom, far)

/** A piece of scenery, in the light and air of the place. */
export const putScenery = (
  stage: Stage,
  name: string,
  at: { x: number; foot: number; height: number; isFlipped?: boolean },
  far: number,
) => {
  if (!stage.isAllowed(name)) return
  const step = Math.round(far * 10) / 10
  stage.page.put(stage.artOf(name), at, `scenery ${step}`, (hex) => stage.artChange(hazy(stage, hex, step)))
}

/** A soft dark spot where something meets the ground. */
export const putContact = ({ page }: Stage, x: number, foot: number, width: number, opacity: number) => {
  const fill = page.round([
    [0, '#05070f', opacity],
    [0.6, '#05070f', opacity * 0.5],
    [1, '#05070f', 0],
  ])
  page.add(
    `<ellipse cx="${x.toFixed(1)}" cy="${foot.toFixed(1)}" rx="${(width * 0.56).toFixed(1)}" ry="${(width * 0.09).toFixed(1)}" fill="${fill}"/>`,
  )
}
