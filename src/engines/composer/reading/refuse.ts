import { colourOf, hueDistance } from '../colour.js'
import type { Brief, Refusals } from './brief.js'
import { readPrompt } from './read-prompt.js'

const textWords = /\b(?:text|letters?|words?|writing|captions?|typography|lettering|signs?)\b/i
const merge = <T>(first: Set<T>, second: Iterable<T>) => new Set([...first, ...second])

/** What a negative prompt names, together with what the prompt itself excludes. */
export const readRefusals = (negativePrompt: string | undefined, own: Refusals): Refusals => {
  if (negativePrompt === undefined || negativePrompt.trim() === '') return own
  const { brief, refusals } = readPrompt(negativePrompt)
  const places = brief.place === undefined ? [] : [brief.place]
  return {
    icons: merge(own.icons, [...brief.things.flatMap(({ icons }) => icons), ...refusals.icons]),
    places: merge(own.places, places),
    times: merge(own.times, brief.time === undefined ? [] : [brief.time]),
    weathers: merge(own.weathers, brief.weather === undefined ? [] : [brief.weather]),
    features: merge(own.features, brief.features),
    moods: merge(own.moods, /\bdark\b/i.test(negativePrompt) ? [...brief.moods, 'gloomy' as const] : brief.moods),
    colours: [
      ...own.colours,
      ...brief.colours,
      ...brief.things.flatMap(({ colours }) => colours),
      ...[brief.skyColour, brief.groundColour].filter((hex) => hex !== undefined),
    ],
    isTextRefused: own.isTextRefused || textWords.test(negativePrompt),
  }
}

export const isRefusedColour = (hex: string, refused: readonly string[]): boolean => {
  const colour = colourOf(hex)
  return refused.some((one) => {
    const other = colourOf(one)
    if (other.c < 0.04) return colour.c < 0.04 && Math.abs(colour.l - other.l) < 0.2
    return colour.c > 0.045 && hueDistance(colour.h, other.h) < 28
  })
}

/** The brief without what is refused. Relations to things that go away go with them. */
export const refuse = (brief: Brief, refusals: Refusals): Brief => {
  const kept = brief.things
    .map((thing, index) => ({ thing, index, icons: thing.icons.filter((icon) => !refusals.icons.has(icon)) }))
    .filter(({ icons }) => icons.length > 0)
  const newPlace = new Map(kept.map(({ index }, place) => [index, place]))
  const isKept = <T>(value: T | undefined, refused: Set<T>) =>
    value !== undefined && refused.has(value) ? undefined : value
  const keepColours = (hexes: string[]) => hexes.filter((hex) => !isRefusedColour(hex, refusals.colours))
  const [skyColour] = keepColours(brief.skyColour === undefined ? [] : [brief.skyColour])
  const [groundColour] = keepColours(brief.groundColour === undefined ? [] : [brief.groundColour])
  return {
    ...brief,
    things: kept.map(({ thing: { relation, ...thing }, icons }) => {
      const to = relation && newPlace.get(relation.to)
      return {
        ...thing,
        icons,
        colours: keepColours(thing.colours),
        ...(relation && to !== undefined && { relation: { kind: relation.kind, to } }),
      }
    }),
    place: isKept(brief.place, refusals.places),
    time: isKept(brief.time, refusals.times),
    weather: isKept(brief.weather, refusals.weathers),
    features: brief.features.filter((feature) => !refusals.features.has(feature)),
    moods: brief.moods.filter((mood) => !refusals.moods.has(mood)),
    colours: keepColours(brief.colours),
    skyColour,
    groundColour,
    texts: refusals.isTextRefused ? [] : brief.texts,
  }
}
