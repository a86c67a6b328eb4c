import { type Art, catalogue, flatArt, shadedArt } from './art/art-set.js'
import { withBody } from './art/body.js'
import { colourOf, type Recolour, recolour } from './colour.js'
import { drawAbstract } from './drawing/abstract.js'
import { type Actor, drawThings } from './drawing/draw-things.js'
import { planLettering } from './drawing/lettering.js'
import { createPage } from './drawing/page.js'
import { drawPlace, emblems } from './drawing/places/places.js'
import type { Stage } from './drawing/stage.js'
import { drawWeather } from './drawing/weather.js'
import type { ReadKin } from './kin/read-kin.js'
import { arrange, centred, type Placed } from './layout/arrange.js'
import { planGround } from './layout/ground-plan.js'
import { chooseSetting, type Setting } from './layout/setting.js'
import { inTurn, without } from './looks/changes.js'
import { type Look, lookOf } from './looks/looks.js'
import { createRandom, hashOf, type Random } from './random.js'
import type { Brief, Thing } from './reading/brief.js'
import { readPrompt } from './reading/read-prompt.js'
import { readRefusals, refuse } from './reading/refuse.js'
import { habitatOf, heightOf } from './vocabulary/traits.js'

export type SceneOrder = {
  prompt: string
  negativePrompt: string | undefined
  width: number
  height: number
  seed: number
  /** Which of several pictures of one call it is. */
  index: number
  style: string | undefined
  isTransparent: boolean
  palette: Recolour | undefined
  /** Reads nouns that are not in the vocabulary; without it they are left out. */
  readKin?: ReadKin
}

export type Scene = {
  svg: string
  look: Look
  /** The style that was asked for, in the call or in the prompt. */
  style: string | undefined
  brief: Brief
  /** Where it plays; an abstract composition plays nowhere. */
  setting: Setting | undefined
  placed: Placed[]
  actors: Actor[]
}

/** More things than this are not shown. */
const actorsMax = 24
const turnable = new Set(['Animals & Nature', 'People & Body', 'Food & Drink'])
const skinTones = ['light', 'medium-light', 'medium', 'medium-dark', 'dark']

/** From a prompt to a drawing. The same order always gives the same drawing. */
export const drawScene = (order: SceneOrder): Scene => {
  const { brief: read, refusals: own } = readPrompt(order.prompt, order.readKin)
  const refusals = readRefusals(order.negativePrompt, own)
  const brief = refuse(read, refusals)
  const random = createRandom(hashOf(`${order.seed} ${order.index} ${order.prompt}`))
  const style = order.style ?? brief.style
  const look = lookOf(style, brief.moods)
  const change = inTurn(look.change, order.palette, without(refusals.colours))

  const isPlainWords = style === 'Abstract' ? brief.things.length === 0 : !hasSubject(brief)
  const place = isPlainWords ? undefined : settingOf(brief, look, refusals, random)
  const plan = planGround(place?.place ?? 'studio', order.width, order.height)
  const page = createPage(plan.width, plan.height)
  const isTitleDark = place !== undefined && isLightAbove(place)
  const lettering = planLettering(brief.texts, brief.carrier, plan, random.fork('lettering'), isTitleDark)
  if (!place) {
    drawAbstract(page, random, brief.moods[0], brief.colours, order.isTransparent)
    lettering?.draw(page)
    return {
      svg: recolour(page.svg(order.width, order.height), change),
      look,
      style,
      brief,
      setting: undefined,
      placed: [],
      actors: [],
    }
  }

  const artOf = artFinder(look)
  const stage: Stage = {
    page,
    plan,
    setting: place,
    random: random.fork('stage'),
    artOf,
    artChange: look.artChange ?? ((hex) => hex),
    isAllowed: (name) => !refusals.icons.has(name),
  }
  const wanted = brief.things.length === 0 && order.isTransparent ? emblemsOf(place) : brief.things
  const actors = cast(wanted, artOf, random.fork('cast'))
  const arranged = arrange(actors, plan, random.fork('layout'), lettering ? [lettering.box] : [])
  const placed = order.isTransparent ? centred(arranged, plan) : arranged
  if (!order.isTransparent) drawPlace(stage)
  drawThings(stage, actors, placed, look, order.isTransparent)
  lettering?.draw(page)
  if (!order.isTransparent) drawWeather(stage)
  return {
    svg: recolour(page.svg(order.width, order.height), change),
    look,
    style,
    brief,
    setting: place,
    placed,
    actors,
  }
}

/** Whether there is anything that can be shown. */
const hasSubject = ({ things, place, time, weather, features, skyColour, carrier, texts }: Brief): boolean =>
  things.length > 0 ||
  features.length > 0 ||
  [place, time, weather, skyColour].some((said) => said !== undefined) ||
  (carrier !== undefined && texts.length > 0)

const isLightAbove = ({ place, time, light }: Setting): boolean => {
  if (place === 'room' || place === 'table' || place === 'studio') return time !== 'night'
  return place !== 'space' && place !== 'moon' && place !== 'underwater' && colourOf(light.skyTop).l > 0.72
}

const settingOf = (
  brief: Brief,
  look: Look,
  refusals: Parameters<typeof chooseSetting>[3],
  random: Random,
): Setting => {
  const icons = brief.things.map(({ icons: [icon = ''] }) => icon)
  const setting = chooseSetting(brief, icons, catalogue().categoryOf, refusals, random.fork('setting'))
  const groundColour = look.ground ?? setting.groundColour
  return { ...setting, groundColour, place: look.background === 'plain' ? 'studio' : setting.place }
}

/** Art of the set that the look wants, or of the other one: neither has everything. */
const artFinder = (look: Look) => {
  const known = new Map<string, Art>()
  return (name: string): Art => {
    let art = known.get(name)
    if (!art) {
      const isFlat = (look.art === 'flat' && flatArt().has(name)) || !shadedArt().has(name)
      const set = isFlat ? flatArt() : shadedArt()
      const found = set.art(name)
      art = habitatOf(name) === 'head' ? withBody(found) : found
      known.set(name, art)
    }
    return art
  }
}

const emblemsOf = ({ place }: Setting): Thing[] =>
  emblems[place].map((icon) => ({ icons: [icon], count: 1, colours: [], size: 1 }))

/** How many of each are shown, when all together would be too many. */
const fittingCounts = (things: Thing[]): number[] => {
  const counts = things.map(({ count }) => count)
  for (let sum = counts.reduce((all, count) => all + count, 0); sum > actorsMax; sum--) {
    const most = counts.indexOf(Math.max(...counts))
    counts[most] = (counts[most] as number) - 1
  }
  return counts
}

/** Chooses art for every single thing. */
const cast = (things: Thing[], artOf: (name: string) => Art, random: Random): Actor[] => {
  const { categoryOf } = catalogue()
  const counts = fittingCounts(things)
  return things.flatMap((thing, index) => {
    // Of one kind, unless it is a crowd.
    const one = random.pick(thing.icons)
    const isMixed = thing.icons.length > 4
    return Array.from({ length: counts[index] as number }, (_, number): Actor => {
      const icon = isMixed ? random.pick(thing.icons) : one
      const toned = `${icon}-${random.pick(skinTones)}-skin-tone`
      const name = shadedArt().has(toned) ? toned : icon
      return {
        thing: index,
        art: artOf(name),
        colour: thing.colours.length === 0 ? undefined : thing.colours[number % thing.colours.length],
        habitat: habitatOf(icon),
        height: heightOf(icon, categoryOf.get(icon)),
        size: thing.size,
        relation: thing.relation,
        mayFlip: turnable.has(categoryOf.get(icon) ?? ''),
      }
    })
  })
}
