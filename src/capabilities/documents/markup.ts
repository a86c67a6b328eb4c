import { decodeEntities } from './entities.js'

export type MarkupEvent =
  | { kind: 'open'; name: string; attributes: string; isEmpty: boolean }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string }

const isNameStart = (character: string | undefined) => character !== undefined && /[A-Za-z_]/.test(character)

/** The end of a tag that begins at `from`: the first > outside quotes. */
const endOfTag = (source: string, from: number): number => {
  let quote = ''
  for (let place = from; place < source.length; place++) {
    const character = source[place] as string
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === '>') return place
    else if ((character === '"' || character === "'") && source[place - 1] === '=') quote = character
  }
  return source.length
}

/** Where `mark` ends, or where the source does. */
const after = (source: string, mark: string, from: number): number => {
  const found = source.indexOf(mark, from)
  return found < 0 ? source.length : found + mark.length
}

const endTagOf = (name: string, source: string, from: number): number => {
  const endTag = new RegExp(`</${name}`, 'gi')
  endTag.lastIndex = from
  return endTag.exec(source)?.index ?? source.length
}

const localName = (tag: string): string => {
  const name = /^[^\s/>]+/.exec(tag)?.[0] ?? ''
  return name.slice(name.indexOf(':') + 1)
}

/**
 * Walks through XML or HTML from front to back and tells what it meets. Names come without their prefix. It forgives what
 * is broken, knows no document types and so expands no entities of a document's own, and visits each character once.
 * What lies inside the elements of `raw` is passed over.
 */
export function* scanMarkup(source: string, raw?: Set<string>): Generator<MarkupEvent> {
  let place = 0
  while (place < source.length) {
    const open = source.indexOf('<', place)
    if (open !== place) {
      const text = source.slice(place, open < 0 ? source.length : open)
      yield { kind: 'text', text: decodeEntities(text) }
      if (open < 0) return
    }
    if (source.startsWith('<!--', open)) place = after(source, '-->', open + 4)
    else if (source.startsWith('<![CDATA[', open)) {
      place = after(source, ']]>', open + 9)
      const end = source.startsWith(']]>', place - 3) ? place - 3 : place
      yield { kind: 'text', text: source.slice(open + 9, end) }
    } else if (source.startsWith('<?', open)) place = after(source, '?>', open + 2)
    else if (source.startsWith('<!', open)) {
      const end = after(source, '>', open)
      const inner = source.indexOf('[', open)
      place = inner >= 0 && inner < end ? after(source, '>', after(source, ']', inner)) : end
    } else if (source.startsWith('</', open)) {
      place = after(source, '>', open)
      yield { kind: 'close', name: localName(source.slice(open + 2, place - 1)) }
    } else if (isNameStart(source[open + 1])) {
      const end = endOfTag(source, open + 1)
      const tag = source.slice(open + 1, end)
      const name = localName(tag)
      yield { kind: 'open', name, attributes: tag, isEmpty: tag.endsWith('/') }
      place = end + 1
      if (raw?.has(name.toLowerCase()) && !tag.endsWith('/')) place = endTagOf(name, source, place)
    } else {
      yield { kind: 'text', text: '<' }
      place = open + 1
    }
  }
}

/** The value of an attribute, with or without a prefix; undefined when the tag does not have it. */
export const attributeOf = (attributes: string, name: string): string | undefined => {
  for (const [, found, double, single] of attributes.matchAll(/\s([^\s=/>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (found === name || found?.endsWith(`:${name}`)) return decodeEntities(double ?? single ?? '')
  }
  return undefined
}
