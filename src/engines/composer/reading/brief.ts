import type { RelationKind } from '../vocabulary/qualities.js'
import type { MoodName, PlaceName, SkyFeature, TimeName, WeatherName } from '../vocabulary/surroundings.js'
import type { Carrier } from './lexicon.js'

/** Something that shall be seen. */
export type Thing = {
  /** Pictures that suit it. */
  icons: string[]
  count: number
  /** Of each in turn. */
  colours: string[]
  size: number
  /** Where it is, seen from another of the things. */
  relation?: { kind: RelationKind; to: number }
}

/** What a prompt asks for, as far as it was understood. */
export type Brief = {
  things: Thing[]
  place: PlaceName | undefined
  time: TimeName | undefined
  weather: WeatherName | undefined
  features: SkyFeature[]
  moods: MoodName[]
  style: string | undefined
  /** To be written into the picture. */
  texts: string[]
  carrier: Carrier | undefined
  skyColour: string | undefined
  groundColour: string | undefined
  /** Colours that belong to nothing in particular. */
  colours: string[]
}

/** What shall not be seen. */
export type Refusals = {
  icons: Set<string>
  places: Set<PlaceName>
  times: Set<TimeName>
  weathers: Set<WeatherName>
  features: Set<SkyFeature>
  moods: Set<MoodName>
  colours: string[]
  isTextRefused: boolean
}

export const emptyBrief = (): Brief => ({
  things: [],
  place: undefined,
  time: undefined,
  weather: undefined,
  features: [],
  moods: [],
  style: undefined,
  texts: [],
  carrier: undefined,
  skyColour: undefined,
  groundColour: undefined,
  colours: [],
})

export const noRefusals = (): Refusals => ({
  icons: new Set(),
  places: new Set(),
  times: new Set(),
  weathers: new Set(),
  features: new Set(),
  moods: new Set(),
  colours: [],
  isTextRefused: false,
})
