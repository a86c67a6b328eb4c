import { colourOf, hexOf, mix } from '../colour.js'
import type { Random } from '../random.js'
import type { Brief, Refusals } from '../reading/brief.js'
import type { PlaceName, SkyFeature, TimeName, WeatherName } from '../vocabulary/surroundings.js'
import { habitatOf, homeOf } from '../vocabulary/traits.js'

/** How a time of day looks. The sun or moon stands at a share of the width and of the sky. */
export type Light = {
  skyTop: string
  skyMiddle: string
  skyBottom: string
  sun: string
  /** The colour that it gives to everything, and how much. */
  ambient: string
  strength: number
  sunX: number
  sunY: number
  /** How dark shadows are. */
  shadow: number
}

export type Setting = {
  place: PlaceName
  time: TimeName
  weather: WeatherName
  features: ReadonlySet<SkyFeature>
  light: Light
  groundColour: string | undefined
  hasClouds: boolean
}

type Sky = Omit<Light, 'sunX' | 'sunY'>

const skies: Record<TimeName, Sky[]> = {
  day: [
    {
      skyTop: '#3187df',
      skyMiddle: '#8cc6f5',
      skyBottom: '#e2f3ff',
      sun: '#fff3c4',
      ambient: '#fffaf0',
      strength: 0.1,
      shadow: 0.3,
    },
    {
      skyTop: '#2a9ad6',
      skyMiddle: '#83d3ee',
      skyBottom: '#e8faf4',
      sun: '#fff6d0',
      ambient: '#fffdf2',
      strength: 0.1,
      shadow: 0.28,
    },
    {
      skyTop: '#4f7fd8',
      skyMiddle: '#a5c4f7',
      skyBottom: '#fdf1e2',
      sun: '#ffefbd',
      ambient: '#fff4e4',
      strength: 0.12,
      shadow: 0.28,
    },
  ],
  sunrise: [
    {
      skyTop: '#5f8fd6',
      skyMiddle: '#f6c3b6',
      skyBottom: '#ffe9b8',
      sun: '#fff0b8',
      ambient: '#ffe2c9',
      strength: 0.4,
      shadow: 0.3,
    },
    {
      skyTop: '#7d8fd8',
      skyMiddle: '#f4b6c8',
      skyBottom: '#ffdfc0',
      sun: '#ffe3b0',
      ambient: '#ffdccf',
      strength: 0.4,
      shadow: 0.3,
    },
  ],
  sunset: [
    {
      skyTop: '#39366f',
      skyMiddle: '#d55f78',
      skyBottom: '#ffb95e',
      sun: '#ffd98a',
      ambient: '#ffbf9a',
      strength: 0.55,
      shadow: 0.4,
    },
    {
      skyTop: '#2f4a86',
      skyMiddle: '#ee8a63',
      skyBottom: '#ffd07a',
      sun: '#ffe49b',
      ambient: '#ffc79a',
      strength: 0.5,
      shadow: 0.4,
    },
    {
      skyTop: '#5b3379',
      skyMiddle: '#e2637f',
      skyBottom: '#ffa66b',
      sun: '#ffcf8a',
      ambient: '#ffb5a4',
      strength: 0.55,
      shadow: 0.4,
    },
  ],
  night: [
    {
      skyTop: '#060a22',
      skyMiddle: '#14235a',
      skyBottom: '#35549a',
      sun: '#f2efdc',
      ambient: '#7088d8',
      strength: 0.72,
      shadow: 0.42,
    },
    {
      skyTop: '#0a0a2b',
      skyMiddle: '#2a1f61',
      skyBottom: '#5a4a9c',
      sun: '#f5eede',
      ambient: '#8285d6',
      strength: 0.7,
      shadow: 0.42,
    },
  ],
}

const objectsOnly = new Set(['Food & Drink', 'Objects', 'Activities'])

const homeFor = (brief: Brief, icons: string[], categoryOf: ReadonlyMap<string, string>, random: Random): PlaceName => {
  // What flies is at home everywhere, as long as something else stands there.
  const standing = icons.filter((icon) => habitatOf(icon) !== 'air')
  const [home] = (standing.length > 0 ? standing : icons).flatMap((icon) => homeOf.get(icon) ?? [])
  if (home !== undefined) return home as PlaceName
  if (icons.length > 0 && icons.every((icon) => objectsOnly.has(categoryOf.get(icon) ?? ''))) return 'studio'
  if (brief.weather === 'snow' && icons.length === 0) return 'snow'
  if (icons.length === 0 && brief.features.length > 0) return random.pick(['mountains', 'hills', 'lake'])
  return random.pick(['field', 'hills', 'field', 'hills', 'lake'])
}

const withoutRefused = <T extends string>(wanted: T, refused: ReadonlySet<T>, others: readonly T[]): T =>
  refused.has(wanted) ? (others.find((other) => !refused.has(other)) ?? wanted) : wanted

/** Where and when it plays: what the prompt says, and else what suits the things in it. */
export const chooseSetting = (
  brief: Brief,
  icons: string[],
  categoryOf: ReadonlyMap<string, string>,
  refusals: Refusals,
  random: Random,
): Setting => {
  const wished = brief.place ?? homeFor(brief, icons, categoryOf, random.fork('place'))
  // A prompt that says "sea" and shows only fish is about the world below.
  const isBelow = wished === 'sea' && icons.length > 0 && icons.every((icon) => homeOf.get(icon) === 'underwater')
  const isWhite = brief.weather === 'snow' && (wished === 'field' || wished === 'hills')
  const place = withoutRefused(isBelow ? 'underwater' : isWhite ? 'snow' : wished, refusals.places, [
    'field',
    'studio',
    'hills',
    'room',
  ])

  const isNightSky = brief.features.some((feature) => feature !== 'sun' && feature !== 'rainbow')
  const isPlainDay = brief.skyColour !== undefined || brief.weather !== undefined || brief.features.includes('sun')
  const isDark = brief.moods.includes('gloomy') || brief.moods.includes('magical')
  const guess = isNightSky
    ? 'night'
    : isPlainDay
      ? 'day'
      : isDark
        ? 'night'
        : random.pick(['day', 'day', 'sunset', 'sunrise'] as const)
  const time = withoutRefused(brief.time ?? guess, refusals.times, ['day', 'sunset', 'sunrise', 'night'])
  const weather = withoutRefused(brief.weather ?? 'clear', refusals.weathers, ['clear'])
  const sky = lightOf(time, weather, brief, random.fork('sky'))
  const features = new Set(brief.features)
  if (time === 'night' && !refusals.features.has('stars')) features.add('stars')
  return {
    place,
    time,
    weather,
    features,
    light: sky,
    groundColour: brief.groundColour,
    hasClouds: !refusals.weathers.has('cloudy') && brief.weather !== 'clear' && !isNightSky,
  }
}

const weatherVeil: Record<WeatherName, [colour: string, share: number]> = {
  clear: ['#ffffff', 0],
  cloudy: ['#a9b4c2', 0.55],
  rain: ['#74828f', 0.65],
  storm: ['#3a4252', 0.75],
  snow: ['#cdd8e6', 0.55],
  fog: ['#cfd5da', 0.65],
}

const lightOf = (time: TimeName, weather: WeatherName, { skyColour, moods }: Brief, random: Random): Light => {
  const sky = random.pick(skies[time])
  const [veil, share] = weatherVeil[weather]
  const shift = random.between(-9, 9)
  const tint = (hex: string) => {
    const colour = colourOf(hex)
    const turned = hexOf({ ...colour, h: colour.h + shift })
    // A veil at night is dark as well.
    const cover = time === 'night' ? mix(veil, '#0b1020', 0.72) : veil
    return mix(turned, cover, share)
  }
  const own = (hex: string, strength: number) => (skyColour === undefined ? hex : mix(hex, skyColour, strength))
  const isLow = time === 'sunset' || time === 'sunrise'
  const side = random.chance(0.5) ? random.between(0.16, 0.34) : random.between(0.66, 0.84)
  return {
    ...sky,
    skyTop: own(tint(sky.skyTop), 0.85),
    skyMiddle: own(tint(sky.skyMiddle), 0.7),
    skyBottom: own(tint(sky.skyBottom), 0.4),
    strength: sky.strength + (moods.includes('gloomy') ? 0.15 : 0) + (weather === 'storm' ? 0.1 : 0),
    ambient: weather === 'clear' ? sky.ambient : mix(sky.ambient, veil, 0.35),
    shadow: sky.shadow * (1 - share * 0.7),
    sunX: side,
    sunY: isLow ? random.between(0.78, 0.9) : random.between(0.2, 0.34),
  }
}
