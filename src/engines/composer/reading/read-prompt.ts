import { catalogue, isDrawable } from '../art/art-set.js'
import { lighten } from '../colour.js'
import { type ReadKin, startOfKin } from '../kin/read-kin.js'
import type { RelationKind } from '../vocabulary/qualities.js'
import { clothes, containers, headwear, wholes } from '../vocabulary/traits.js'
import { translations } from '../vocabulary/translations.js'
import { type Brief, emptyBrief, noRefusals, type Refusals, type Thing } from './brief.js'
import { loadLexicon, type Meaning, phraseWordsMax } from './lexicon.js'
import { singularsOf, splitPrompt, type Token } from './tokens.js'

/** More than this are not shown: a picture has only so much room. */
export const thingsMax = 12
const countMax = 24
const pluralCount = 3

type Found = { meanings: Meaning[]; length: number; isPlural: boolean; isForeign?: boolean; isKin?: boolean }

/** The longest phrase that starts here and that means something. */
const find = (tokens: Token[], start: number): Found | undefined => {
  const lexicon = loadLexicon()
  const words: string[] = []
  for (const token of tokens.slice(start, start + phraseWordsMax)) {
    if (token.kind !== 'word') break
    words.push(token.text)
  }
  for (let length = words.length; length > 0; length--) {
    const phrase = words.slice(0, length).join(' ')
    const direct = lexicon.get(phrase) ?? lexicon.get(phrase.replaceAll('-', ' '))
    if (direct) return { meanings: direct, length, isPlural: false }
    for (const singular of singularsOf(phrase)) {
      const meanings = lexicon.get(singular)
      if (meanings?.some(({ kind }) => kind === 'thing' || kind === 'place' || kind === 'feature'))
        return { meanings, length, isPlural: true }
    }
  }
  const foreign = lexicon.get(translations.get(words[0] ?? '') ?? '')
  return foreign && { meanings: foreign, length: 1, isPlural: false, isForeign: true }
}

const digits = /^\d{1,3}$/

const noKin: ReadKin = () => undefined

/**
 * Reads a prompt from left to right; words before a thing describe it, as English does it. What the vocabulary does not
 * have is shown as its nearest kin.
 */
export const readPrompt = (prompt: string, readKin: ReadKin = noKin): { brief: Brief; refusals: Refusals } => {
  const { tokens, texts } = splitPrompt(prompt)
  const brief = emptyBrief()
  const refusals = noRefusals()
  brief.texts = texts

  const progress = startOfKin()
  const understood = new Map<number, Found | undefined>()
  const understand = (index: number): Found | undefined => {
    if (understood.has(index)) return understood.get(index)
    const known = find(tokens, index)
    const kin = readKin(tokens, index, known?.length ?? 0, progress)
    const found = kin ? { ...kin, isKin: true } : known
    understood.set(index, found)
    return found
  }
  const isNoun = (index: number) =>
    understand(index)?.meanings.some(({ kind }) => kind === 'thing' || kind === 'place') ?? false

  let count: number | undefined
  let size = 1
  let colours: string[] = []
  let lighter = 0
  let isSame = false
  let isRefused = false
  let last: number | undefined
  let relation: { kind: RelationKind | 'wearing'; first: number } | undefined

  const forget = () => {
    brief.colours.push(...colours)
    count = undefined
    size = 1
    colours = []
    lighter = 0
    isSame = false
  }

  const addThing = (icons: string[], isPlural: boolean, usual = isPlural ? pluralCount : 1) => {
    if (isRefused) return void icons.forEach((icon) => void refusals.icons.add(icon))
    const [icon = ''] = icons
    const wearer = relation?.kind === 'wearing' ? brief.things[relation.first] : undefined
    if (clothes.has(icon) && wearer) return void wearer.colours.push(...colours.splice(0))
    const known = brief.things.findIndex((thing) => thing.icons[0] === icon)
    const isSameColour = colours.length === 0 || brief.things[known]?.colours.join() === colours.join()
    const isKnown = known >= 0 && (isSame || (count === undefined && !isPlural && isSameColour))
    const whole = brief.things.findIndex(({ icons: [other = ''] }) => wholes.get(icon)?.has(other))
    if (whole >= 0) return relate(whole, icon)
    if (!isKnown && brief.things.length >= thingsMax) return
    const at = isKnown ? known : brief.things.length
    if (isKnown) {
      if (brief.things[at]?.colours.length === 0) brief.things[at].colours.push(...colours)
      colours = []
    } else {
      const number = Math.max(count === undefined || (count === 1 && usual > 1) ? usual : count, colours.length)
      brief.things.push({ icons, count: Math.min(number, countMax), size, colours: colours.splice(0) })
    }
    relate(at, icon)
    last = at
  }

  const relate = (at: number, icon: string) => {
    const asked = relation
    relation = undefined
    if (!asked || asked.first === at) return
    if (asked.kind === 'wearing') {
      if (headwear.has(icon)) (brief.things[at] as Thing).relation = { kind: 'worn', to: asked.first }
      if (containers.has(brief.things[asked.first]?.icons[0] ?? ''))
        (brief.things[at] as Thing).relation = { kind: 'on', to: asked.first }
      else if (containers.has(icon)) (brief.things[asked.first] as Thing).relation = { kind: 'on', to: at }
    } else if (brief.things[asked.first]?.relation === undefined)
      (brief.things[asked.first] as Thing).relation = { kind: asked.kind, to: at }
  }

  /** Of several meanings, the one that fits what comes next. */
  const choose = ({ meanings, length }: Found, index: number): Meaning => {
    const [first] = meanings as [Meaning]
    if (first.kind !== 'colour' && first.kind !== 'size') return first
    const thing = meanings.find(({ kind }) => kind === 'thing')
    if (!thing) return first
    const next = understand(index + length)?.meanings ?? []
    const isDescribing = next.some(
      ({ kind }) => kind === 'thing' || kind === 'colour' || kind === 'place' || kind === 'size',
    )
    return isDescribing ? first : thing
  }

  const take = (meaning: Meaning, isPlural: boolean) => {
    switch (meaning.kind) {
      case 'thing':
        addThing(meaning.icons, isPlural, meaning.count)
        return endPhrase()
      case 'place':
        if (isRefused) refusals.places.add(meaning.place)
        else {
          // Of a table in a room, the table is what is seen.
          if (brief.place === undefined || (brief.place === 'room' && meaning.place === 'table'))
            brief.place = meaning.place
          brief.groundColour ??= colours.shift()
        }
        relation = undefined
        return endPhrase()
      case 'time':
        if (isRefused) refusals.times.add(meaning.time)
        else brief.time ??= meaning.time
        return endPhrase()
      case 'weather':
        if (isRefused) refusals.weathers.add(meaning.weather)
        else brief.weather ??= meaning.weather
        return
      case 'feature':
        if (isRefused) refusals.features.add(meaning.feature)
        else if (!brief.features.includes(meaning.feature)) brief.features.push(meaning.feature)
        relation = undefined
        return endPhrase()
      case 'sky':
        brief.skyColour ??= colours.shift()
        relation = undefined
        return endPhrase()
      case 'mood':
        if (isRefused) refusals.moods.add(meaning.mood)
        else if (!brief.moods.includes(meaning.mood)) brief.moods.push(meaning.mood)
        return
      case 'style':
        brief.style ??= meaning.style
        return
      case 'colour':
        if (isRefused) refusals.colours.push(meaning.hex)
        else if (colours.length < 6) colours.push(lighter === 0 ? meaning.hex : lighten(meaning.hex, lighter))
        lighter = 0
        return
      case 'shade':
        lighter = meaning.lighter
        if (meaning.lighter < -0.1 && !brief.moods.includes('gloomy') && isRefused) refusals.moods.add('gloomy')
        return
      case 'size':
        size = meaning.factor
        return
      case 'count':
        count = count === undefined || count === 1 ? meaning.count : Math.max(count, meaning.count)
        isSame = false
        return
      case 'relation':
        if (last !== undefined) relation = { kind: meaning.relation, first: last }
        return forget()
      case 'wearing':
        if (last !== undefined) relation = { kind: 'wearing', first: last }
        return
      case 'of':
        if (containers.has(brief.things[last ?? -1]?.icons[0] ?? ''))
          relation = { kind: 'wearing', first: last as number }
        return
      case 'refusal':
        isRefused = true
        return
      case 'carrier':
        brief.carrier ??= meaning.carrier
        return
      case 'same':
        isSame = true
        return
    }
  }

  const endPhrase = () => {
    forget()
    isRefused = false
  }

  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index] as Token
    index++
    if (token.kind === 'stop') {
      endPhrase()
      relation = undefined
    } else if (token.kind === 'emoji') {
      const icon = catalogue().nameOfCharacter(token.text)
      const known = icon && loadLexicon().get(icon.replaceAll('-', ' '))?.[0]
      if (icon !== undefined && isDrawable(icon)) take(known || { kind: 'thing', icons: [icon] }, false)
    } else if (token.kind === 'word') {
      const whole = understand(index - 1)
      // A granite table is a table.
      const isPart = whole?.isKin && isNoun(index - 1 + whole.length)
      const found = isPart ? find(tokens, index - 1) : whole
      if (found?.isKin && isRefused) {
        // Who wants no spaniels may want dogs.
        endPhrase()
        index += found.length - 1
      } else if (found) {
        const meaning = choose(found, index - 1)
        const described = brief.things[last ?? -1]
        // In many languages the colour comes after the thing.
        if (found.isForeign && meaning.kind === 'colour' && described) described.colours.push(meaning.hex)
        else take(meaning, found.isPlural)
        index += found.length - 1
      } else if (digits.test(token.text)) count = Math.min(countMax, Math.max(1, Number(token.text)))
    }
  }
  forget()
  return { brief, refusals }
}
