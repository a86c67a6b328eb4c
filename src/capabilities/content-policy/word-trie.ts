import { letterAgain, type Word } from './read-words.js'

type Node = { next: Map<string, Node>; whole: number[]; beginnings: number[] }

/** A set of words was found; usually in a single word of the prompt, else in several that belong together. */
export type Found = { id: number; length: number }

/** Finds any number of sets of words at once, each under the id it was added with. */
export type WordTrie = {
  add(form: string, id: number): void
  addBeginning(form: string, id: number): void
  /** All that begins at a word; nearly always within it, or else in what follows when it was taken apart. */
  findAt(words: readonly Word[], start: number): Found[]
}

export const createWordTrie = (): WordTrie => {
  const root = createNode()
  const nodeOf = (form: string): Node => {
    let node = root
    for (const letter of form) {
      const next = node.next.get(letter) ?? createNode()
      node.next.set(letter, next)
      node = next
    }
    return node
  }
  return {
    add: (form, id) => nodeOf(form).whole.push(id),
    addBeginning: (form, id) => nodeOf(form).beginnings.push(id),
    findAt(words, start) {
      const found: Found[] = []
      let nodes = [root]
      let hasLetter = false
      // Ends soon, however long the prompt is: no path through the trie is longer than the longest word in it.
      for (let index = start; index < words.length; index++) {
        const word = words[index]!
        if (index > start && !word.mayContinue) break
        hasLetter ||= word.hasLetter
        const isNumber = !word.hasLetter && word.text.length > 1 && !words[start + 1]?.mayContinue
        nodes = follow(nodes, word.text, isNumber, (id) => found.push({ id, length: index + 1 - start }))
        if (nodes.length === 0) break
        // 4-5-5 is a number, although each of its digits may stand for a letter.
        if (!hasLetter && index > start) continue
        for (const { whole } of nodes) for (const id of whole) found.push({ id, length: index + 1 - start })
      }
      return found
    },
  }
}

const createNode = (): Node => ({ next: new Map(), whole: [], beginnings: [] })

/** Where the letters of a word lead. A word with signs in it can be read in several ways, so these are several places. */
const follow = (from: Node[], text: string, isNumber: boolean, onBeginning: (id: number) => void): Node[] => {
  let nodes = from
  let before = ''
  for (const letter of text) {
    const isAgain = letter === letterAgain
    const readings = isNumber ? letter : readingsOf(isAgain ? before : letter)
    const next = step(nodes, readings)
    nodes = isAgain ? [...new Set([...nodes, ...next])] : next
    if (nodes.length === 0) return nodes
    for (const { beginnings } of next) for (const id of beginnings) onBeginning(id)
    if (!isAgain) before = letter
  }
  return nodes
}

const step = (nodes: Node[], readings: string): Node[] => {
  const reached: Node[] = []
  for (const node of nodes) {
    for (const letter of readings) {
      const next = node.next.get(letter)
      if (next) reached.push(next)
    }
  }
  return reached
}

/** What a sign may stand for, itself included. A star hides a vowel. */
const readings: Record<string, string> = {
  '0': '0o',
  '1': '1il',
  '3': '3e',
  '4': '4a',
  '5': '5s',
  '6': '6gb',
  '7': '7t',
  '8': '8b',
  '9': '9g',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'il',
  '+': 't',
  '€': 'e',
  '*': 'aeiou',
}

const readingsOf = (letter: string): string => (Object.hasOwn(readings, letter) ? readings[letter]! : letter)
