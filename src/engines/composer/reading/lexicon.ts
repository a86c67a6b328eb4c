import { catalogue, isDrawable } from '../art/art-set.js'
import { crowds, kinds, riding } from '../vocabulary/kinds.js'
import { moreNames } from '../vocabulary/more-things.js'
import { colours, counts, type RelationKind, refusals, relations, sizes, wearing } from '../vocabulary/qualities.js'
import { styleWords } from '../vocabulary/styles.js'
import {
  type MoodName,
  moods,
  type PlaceName,
  places,
  type SkyFeature,
  skyFeatures,
  type TimeName,
  times,
  type WeatherName,
  weathers,
} from '../vocabulary/surroundings.js'
import { names } from '../vocabulary/things.js'

export type Carrier = 'sign' | 'bubble'

export type Meaning =
  | { kind: 'thing'; icons: string[]; count?: number }
  | { kind: 'place'; place: PlaceName }
  | { kind: 'time'; time: TimeName }
  | { kind: 'weather'; weather: WeatherName }
  | { kind: 'feature'; feature: SkyFeature }
  | { kind: 'mood'; mood: MoodName }
  | { kind: 'style'; style: string }
  | { kind: 'colour'; hex: string }
  | { kind: 'shade'; lighter: number }
  | { kind: 'size'; factor: number }
  | { kind: 'count'; count: number }
  | { kind: 'relation'; relation: RelationKind }
  | { kind: 'wearing' }
  | { kind: 'refusal' }
  | { kind: 'carrier'; carrier: Carrier }
  | { kind: 'sky' }
  | { kind: 'same' }
  | { kind: 'of' }

export type Lexicon = ReadonlyMap<string, Meaning[]>

/** The most words that a phrase has. */
export const phraseWordsMax = 5

const carriers: Record<Carrier, string> = {
  sign: 'sign, signs, billboard, banner, poster, placard, signboard, signpost, plaque, label, neon sign',
  bubble: 'says, saying, said, shouting, shouts, whispers, speech bubble, asks, asking',
}
const shades = { dark: -0.14, deep: -0.1, light: 0.14, pale: 0.16, pastel: 0.14, bright: 0.05 }

const sceneArt =
  /skin-tone|cityscape|sunrise|sunset|^night-with|^bridge-at|^fog|national-park|motorway|^desert$|^beach-with|railway-track|milky-way|^metro$|shooting-star|^map-|mountain-railway|^sun(?:$|-)|moon|^cloud|^rainbow|oclock|thirty|steamy|mountain-biking|^family|with-heart|^kiss|hugging|-hand|^hand-|hands|finger|fist|thumb|gestur|facepalm|pout|frown|shrug|tipping|haircut|massage|^(?:leg|foot|ear|nose|mouth|tongue|lungs|eyes|middle|bust|busts|call|pregnant|breast|hole)\b|button|heart-|-hearts?$|card|suit$|muted|chart|clipboard|-with-arrow|face-|-face$|droplets|zzz|anger|collision|^dizzy|hundred/
const headArt =
  /^(?:clown-face|dragon-face|robot|alien|ghost|skull|goblin|ogre|red-heart|pile-of-poo|alien-monster|speech-balloon|jack-o-lantern)$/
const showable = new Set([
  'Animals & Nature',
  'Food & Drink',
  'Travel & Places',
  'Objects',
  'Activities',
  'People & Body',
])

const isShowable = (icon: string, category: string | undefined) =>
  headArt.test(icon) || (category !== undefined && showable.has(category) && !sceneArt.test(icon))

/** Names of pictures that prompts use for something else, mostly as verbs. */
const otherwise = new Set([
  'fly',
  'watch',
  'pick',
  'label',
  'link',
  'eye',
  'eyes',
  'hook',
  'locked',
  'unlocked',
  'information',
])

const build = (): Lexicon => {
  const lexicon = new Map<string, Meaning[]>()
  const add = (phrase: string, meaning: Meaning) => {
    const known = lexicon.get(phrase)
    if (!known) lexicon.set(phrase, [meaning])
    else if (!known.some(({ kind }) => kind === meaning.kind)) known.push(meaning)
  }
  const each = <Name extends string>(lists: Record<Name, string>, meaningOf: (name: Name) => Meaning) => {
    for (const [name, list] of Object.entries(lists) as [Name, string][])
      for (const phrase of list.split(/,\s*/)) add(phrase.trim(), meaningOf(name))
  }

  each(styleWords, (style) => ({ kind: 'style', style }))
  each(carriers, (carrier) => ({ kind: 'carrier', carrier }))
  for (const [word, relation] of Object.entries(relations)) add(word, { kind: 'relation', relation })
  for (const word of wearing) add(word, { kind: 'wearing' })
  for (const word of refusals) add(word, { kind: 'refusal' })
  for (const word of ['the', 'this', 'that', 'its', 'their', 'his', 'her']) add(word, { kind: 'same' })
  add('of', { kind: 'of' })
  for (const word of ['sky', 'skies']) add(word, { kind: 'sky' })
  for (const [word, count] of Object.entries(counts)) add(word, { kind: 'count', count })
  for (const [word, factor] of Object.entries(sizes)) add(word, { kind: 'size', factor })
  for (const [word, hex] of Object.entries(colours)) add(word, { kind: 'colour', hex })
  for (const [word, lighter] of Object.entries(shades)) add(word, { kind: 'shade', lighter })
  each(times, (time) => ({ kind: 'time', time }))
  each(weathers, (weather) => ({ kind: 'weather', weather }))
  each(skyFeatures, (feature) => ({ kind: 'feature', feature }))
  each(places, (place) => ({ kind: 'place', place }))
  each(moods, (mood) => ({ kind: 'mood', mood }))

  for (const [phrase, icon] of riding) add(phrase, { kind: 'thing', icons: [icon] })
  for (const [word, { icons, count }] of Object.entries(crowds))
    add(word, { kind: 'thing', icons: icons.split(' '), count })
  for (const [word, list] of Object.entries(kinds))
    add(word, { kind: 'thing', icons: list.split(' ').filter(isDrawable) })
  for (const [icon, list] of [...Object.entries(names), ...Object.entries(moreNames)])
    for (const phrase of list.split(/,\s*/)) add(phrase, { kind: 'thing', icons: [icon] })

  for (const [icon, category] of catalogue().categoryOf)
    if (isShowable(icon, category) && isDrawable(icon) && !otherwise.has(icon))
      add(icon.replaceAll('-', ' '), { kind: 'thing', icons: [icon] })
  return lexicon
}

let built: Lexicon | undefined

/** What words mean to the composer: its own vocabulary first, then the names of the art. */
export const loadLexicon = (): Lexicon => {
  built ??= build()
  return built
}
