import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPrompt, thingsMax } from './read-prompt.js'
import { readRefusals, refuse } from './refuse.js'

/** The things of a prompt, short enough for tables: `3 cat`, `automobile #e02424`. */
const thingsIn = (prompt: string) =>
  readPrompt(prompt).brief.things.map(({ icons: [icon], count, colours, size }) =>
    [count === 1 ? '' : count, size === 1 ? '' : `x${size}`, icon, ...colours].filter((part) => part !== '').join(' '),
  )

const red = '#e02424'
const blue = '#2563d9'
const green = '#2f9e3f'

test('things, their number, colour and size', () => {
  const table: [prompt: string, things: string[]][] = [
    ['a cat', ['cat']],
    ['three cats', ['3 cat']],
    ['Cats and dogs', ['3 cat', '3 dog']],
    ['a red car', [`automobile ${red}`]],
    ['two red cars and a blue bus', [`2 automobile ${red}`, `bus ${blue}`]],
    ['red, blue and green balloons', [`3 balloon ${red} ${blue} ${green}`]],
    ['a flock of birds', ['9 dove']],
    ['a dozen geese', ['12 goose']],
    ['7 sheep', ['7 ewe']],
    ['a huge elephant and a tiny mouse', ['x1.8 elephant', 'x0.45 mouse']],
    ['an orange', ['tangerine']],
    ['an orange cat', ['cat #f5821f']],
    ['a kitten, a puppy, wolves and mice', ['cat', 'dog', '3 wolf', '3 mouse']],
    ['a hot-air balloon', ['balloon']],
    ['a fire engine', ['fire-engine']],
    ['a black sheep among white sheep', ['ewe #2b2b30', '5 ewe #f7f7f5']],
    ['A cat sleeps. The cat dreams of a fish.', ['cat', 'tropical-fish']],
    ['a cowboy riding a horse', ['horse-racing']],
    ['a man in a red shirt', [`man-standing ${red}`]],
    ['a house with a door', ['house']],
    ['🦊 and 🚀', ['fox', 'rocket']],
    ['un gato rojo', [`cat ${red}`]],
    ['eine Katze und zwei Pferd', ['cat', '2 horse']],
    ['quantum entanglement of bureaucracy', []],
    ['', []],
  ]
  for (const [prompt, things] of table) assert.deepEqual(thingsIn(prompt), things, prompt)
})

test('where things stand to each other', () => {
  const table: [prompt: string, first: number, kind: string, second: number][] = [
    ['a bird on a tree', 0, 'on', 1],
    ['a dog next to a house', 0, 'beside', 1],
    ['a dog to the left of a house', 0, 'left', 1],
    ['a dragon behind a castle', 0, 'behind', 1],
    ['a car in front of the church', 0, 'before', 1],
    ['a cat under an umbrella', 0, 'under', 1],
    ['a bee flying over a flower', 0, 'above', 1],
    ['a cat wearing a crown', 1, 'worn', 0],
    ['sunflowers in a vase', 0, 'on', 1],
    ['a vase of sunflowers', 1, 'on', 0],
  ]
  for (const [prompt, first, kind, second] of table)
    assert.deepEqual(readPrompt(prompt).brief.things[first]?.relation, { kind, to: second }, prompt)
  assert.equal(readPrompt('a cat on a beach').brief.things[0]?.relation, undefined)
})

test('places, times, weather, moods, styles and the sky', () => {
  const table: [prompt: string, expected: Record<string, unknown>][] = [
    ['a cat on the beach at sunset', { place: 'beach', time: 'sunset' }],
    ['a fish under the sea', { place: 'underwater' }],
    ['the streets of New York in the rain at night', { place: 'city', weather: 'rain', time: 'night' }],
    ['a cafe with a cake on a table', { place: 'table' }],
    ['a stormy sea', { place: 'sea', weather: 'storm' }],
    ['a moonlit forest', { place: 'forest', time: 'night' }],
    ['a calm lake under a pink sky', { place: 'lake', moods: ['calm'], skyColour: '#f77fb2' }],
    ['a full moon over the mountains', { place: 'mountains', features: ['moon'] }],
    ['a watercolor of a rose', { style: 'Watercolor' }],
    ['pixel art of a robot', { style: 'Pixel Art' }],
    ['a purple field', { place: 'field', groundColour: '#8534b8' }],
    ['foggy morning', { weather: 'fog', time: 'sunrise' }],
    ['una playa de noche', { place: 'beach', time: 'night' }],
  ]
  for (const [prompt, expected] of table) {
    const { brief } = readPrompt(prompt)
    for (const [key, value] of Object.entries(expected))
      assert.deepEqual(brief[key as keyof typeof brief], value, `${prompt}: ${key}`)
  }
})

test('what is in quotes is written, and not read as things', () => {
  const { brief } = readPrompt('a sign saying "FREE DOGS" next to “a cat”')
  assert.deepEqual(brief.texts, ['FREE DOGS', 'a cat'])
  assert.equal(brief.carrier, 'sign')
  assert.deepEqual(brief.things, [])
  assert.deepEqual(readPrompt("a card that reads 'hello'").brief.texts, ['hello'])
})

test('what is refused goes away, with relations to it', () => {
  const read = (prompt: string, negative?: string) => {
    const { brief, refusals } = readPrompt(prompt)
    return refuse(brief, readRefusals(negative, refusals))
  }
  assert.deepEqual(
    read('a cat on a tree next to a dog', 'trees').things.map(({ icons: [icon] }) => icon),
    ['cat', 'dog'],
  )
  assert.equal(read('a cat on a tree', 'tree').things[0]?.relation, undefined)
  assert.deepEqual(read('a red car', 'red').things[0]?.colours, [])
  assert.equal(read('a beach at night', 'night').time, undefined)
  assert.equal(read('a cat in a city', 'city').place, undefined)
  assert.deepEqual(read('"hello"', 'text').texts, [])
  assert.deepEqual(
    read('a park with dogs but without people').things.map(({ icons: [icon] }) => icon),
    ['dog'],
  )
})

test('long prompts are read in bounded size', () => {
  const nouns = [
    'cat',
    'dog',
    'house',
    'tree',
    'apple',
    'boat',
    'rocket',
    'bird',
    'guitar',
    'crown',
    'bee',
    'cake',
    'bus',
    'fox',
  ]
  const { brief } = readPrompt(
    Array.from({ length: 1200 }, (_, index) => `a ${nouns[index % nouns.length]}`).join(', '),
  )
  assert.equal(brief.things.length, thingsMax)
})

test('any text is read', () => {
  const words = fc.constantFrom(
    'cat',
    'red',
    'on',
    'under',
    'wearing',
    'two',
    'no',
    'the',
    'beach',
    ',',
    '.',
    '"',
    '🦊',
    'hat',
    '999',
  )
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(words, { maxLength: 40 }).map((list) => list.join(' ')),
  )
  fc.assert(
    fc.property(texts, fc.option(texts), (prompt, negative) => {
      const { brief, refusals } = readPrompt(prompt)
      const { things } = refuse(brief, readRefusals(negative ?? undefined, refusals))
      for (const { relation, icons, count } of things) {
        assert.ok(icons.length > 0 && count >= 1 && count <= 24)
        if (relation) assert.ok(things[relation.to] !== undefined)
      }
    }),
    { numRuns: 150 },
  )
})
