export type Token =
  | { kind: 'word'; text: string }
  | { kind: 'emoji'; text: string }
  | { kind: 'comma' }
  | { kind: 'stop' }

const charactersMax = 7500
const tokensMax = 1500

const quoted = /"([^"]{1,400})"|“([^”]{1,400})”|„([^“”]{1,400})[“”]|«([^»]{1,400})»|「([^」]{1,400})」/g
const spoken =
  /\b(?:saying|says|said|reads|reading|read|titled|labeled|labelled|written|words?|text)\b[\s:]*'([^'\n]{1,200})'/gi
const parts =
  /(\p{Extended_Pictographic}(?:\uFE0F|\u200D\p{Extended_Pictographic}|\p{Emoji_Modifier})*)|([\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*)|([,，、])|([.!?;:\n。！？；]|--+|—)/gu

/** Small letters without accents, so that `Café` is `cafe`. */
const plainForm = (word: string) =>
  word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/’/g, "'").replace(/'s$/, '')

/** The words of a prompt, and what it has in quotes. */
export const splitPrompt = (prompt: string): { tokens: Token[]; texts: string[] } => {
  const texts: string[] = []
  const keep = (_: string, ...groups: unknown[]) => {
    const text = groups.find((group): group is string => typeof group === 'string' && group.trim() !== '')
    if (text !== undefined) texts.push(text.trim())
    return ' , '
  }
  const rest = prompt.slice(0, charactersMax).replace(quoted, keep).replace(spoken, keep)
  const tokens: Token[] = []
  for (const [, emoji, word, comma] of rest.matchAll(parts)) {
    if (tokens.length >= tokensMax) break
    if (emoji !== undefined) tokens.push({ kind: 'emoji', text: emoji })
    else if (word !== undefined) tokens.push({ kind: 'word', text: plainForm(word) })
    else tokens.push(comma === undefined ? { kind: 'stop' } : { kind: 'comma' })
  }
  return { tokens, texts: texts.slice(0, 3) }
}

const irregular: Record<string, string> = {
  men: 'man',
  women: 'woman',
  mice: 'mouse',
  geese: 'goose',
  feet: 'foot',
  teeth: 'tooth',
  oxen: 'ox',
  leaves: 'leaf',
  wolves: 'wolf',
  knives: 'knife',
  loaves: 'loaf',
  elves: 'elf',
  calves: 'calf',
  octopi: 'octopus',
  cacti: 'cactus',
  policemen: 'policeman',
  fishermen: 'fisherman',
  horsemen: 'horseman',
  snowmen: 'snowman',
  businessmen: 'businessman',
}

/** What a word may be the plural of, best first. */
export const singularsOf = (word: string): string[] => {
  const last = word.slice(word.lastIndexOf(' ') + 1)
  const start = word.slice(0, word.length - last.length)
  const known = Object.hasOwn(irregular, last) ? irregular[last] : undefined
  if (known) return [start + known]
  if (last.length < 4 || !last.endsWith('s') || last.endsWith('ss')) return []
  const found = [word.slice(0, -1)]
  if (last.endsWith('ies')) found.unshift(`${word.slice(0, -3)}y`)
  else if (last.endsWith('ves')) found.push(`${word.slice(0, -3)}f`)
  else if (/(?:[sxz]|ch|sh|o)es$/.test(last)) found.push(word.slice(0, -2))
  return found
}
