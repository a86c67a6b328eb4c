import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isDrawable } from '../art/art-set.js'
import { loadLexicon } from '../reading/lexicon.js'
import { readPrompt } from '../reading/read-prompt.js'
import { readRefusals, refuse } from '../reading/refuse.js'
import { notShown, pictureOfClass } from '../vocabulary/classes.js'
import { createJudge } from './judge.js'
import { judgeKin } from './judge-kin.js'
import { createNouns } from './nouns.js'
import { createReadKin, lookupsMax } from './read-kin.js'

const nouns = createNouns()
const readKin = createReadKin({ nouns })
const read = (prompt: string) => readPrompt(prompt, readKin).brief
const iconsIn = (prompt: string) => read(prompt).things.map(({ icons: [icon] }) => icon)

/** Nouns that are not in the vocabulary, by what they are shown as. */
const shownAs: Record<string, string> = {
  dog: `spaniel, greyhound, chihuahua, bulldog, collie, dachshund, rottweiler, pug, mastiff, great dane, german shepherd,
    sheepdog, cocker spaniel`,
  cat: 'siamese cat, ocelot',
  leopard: 'bobcat, snow leopard',
  peacock: 'peahen',
  badger: 'wolverine, stoat',
  mouse: 'vole, shrew',
  chipmunk: 'marmot, groundhog',
  kangaroo: 'wallaby',
  monkey: 'baboon, macaque, mandrill, lemur',
  orangutan: 'gibbon',
  whale: 'narwhal, sperm whale',
  horse: 'palomino, colt, appaloosa, racehorse',
  deer: 'springbok, roebuck, gnu',
  ox: 'zebu',
  'tropical-fish': 'stingray, barracuda, swordfish, piranha, guppy, eel',
  shark: 'hammerhead shark, great white shark',
  eagle: 'osprey, kestrel, goshawk, bald eagle',
  bird: 'woodpecker, magpie, cuckoo, wren, pelican, kingfisher, chaffinch, goldfinch',
  duck: 'eider, teal duck',
  owl: 'barn owl',
  snake: 'anaconda, rattlesnake, boa constrictor, mamba',
  lizard: 'skink, axolotl',
  sauropod: 'triceratops, stegosaurus',
  frog: 'bullfrog',
  beetle: 'cicada, weevil, scarab',
  ant: 'termite',
  lobster: 'crayfish',
  'deciduous-tree': 'sycamore, aspen, poplar, acacia, magnolia, eucalyptus, banyan, baobab',
  'evergreen-tree': 'sequoia, larch, tamarack',
  cactus: 'saguaro',
  tulip: 'carnation, chrysanthemum, peony, marigold, petunia, daffodil',
  house: 'chalet, manor, warehouse, parsonage',
  castle: 'chateau',
  church: 'basilica, abbey',
  'convenience-store': 'bakery, pharmacy, bookshop, boutique, delicatessen',
  factory: 'brewery, refinery, steelworks',
  hotel: 'motel, inn',
  tent: 'tepee, pavilion',
  ship: 'frigate, destroyer, freighter, battleship',
  sailboat: 'brig, sloop, ketch, trimaran',
  automobile: 'roadster, station wagon, hearse, limo, minicar',
  'delivery-truck': 'garbage truck, dump truck',
  airplane: 'bomber, seaplane, jumbo jet',
  bicycle: 'unicycle, tandem',
  tractor: 'bulldozer',
  singer: 'violinist, pianist, drummer, soprano, comedian',
  'person-standing': `plumber, lawyer, librarian, blacksmith, shepherd, waiter, poet, nun, pirate, gladiator, butler,
    sculptor, captain, pope`,
  'health-worker': 'dentist, psychiatrist, midwife',
  scientist: 'biologist, astronomer, archaeologist',
  'person-running': 'quarterback, acrobat, goalkeeper',
  guitar: 'mandolin, zither',
  flute: 'clarinet, bassoon, oboe',
  trumpet: 'tuba, cornet',
  'musical-keyboard': 'harpsichord',
  drum: 'tambourine',
  dagger: 'sabre, rapier, scimitar, machete, cutlass',
  'water-pistol': 'rifle, musket, shotgun',
  axe: 'tomahawk, battle-ax',
  hammer: 'mallet',
  'wine-glass': 'chardonnay, merlot, sherry',
  'tumbler-glass': 'vodka, cognac, tequila',
  'cocktail-glass': 'daiquiri, margarita',
  bread: 'brioche, pumpernickel',
  'steaming-bowl': 'gazpacho, minestrone, goulash, chowder',
  'cheese-wedge': 'gouda, brie, mozzarella, camembert',
  peach: 'nectarine, plum, apricot',
  mango: 'papaya, guava',
  cookie: 'gingersnap, macaroon',
  coat: 'parka, overcoat, cardigan, anorak',
  'running-shoe': 'moccasin, loafer',
  'billed-cap': 'beret, beanie',
  chair: 'recliner, rocking chair, bench',
  'couch-and-lamp': 'loveseat, divan',
  'light-bulb': 'chandelier',
  'mantelpiece-clock': 'grandfather clock, cuckoo clock',
  'open-book': 'dictionary, encyclopedia, paperback',
  'gem-stone': 'opal, amethyst, topaz, garnet',
  rock: 'granite, limestone, obsidian',
}

const nothing = `
  justice bureaucracy happiness freedom economy physics theory democracy philosophy wisdom courage memory knowledge truth
  beauty silence music history religion politics science peace war hope fear anger luck fate infinity eternity chaos entropy
  gravity energy speed language grammar algebra problem question answer decision meeting journey success failure danger noise
  tuesday january seventeen million percent meter mozart shakespeare hitler jennifer william venetian american
  blood water air smoke dust wall hair head hand body face middle corner edge match state company government club fan game
  party song dream plan view background illustration masterpiece bokeh detail style concept quality
  pomegranate artichoke leek armadillo ostrich hyena windmill chariot locket bridge fence typewriter cannon
  whore bitch bastard retard slave condom corpse noose swastika`
  .trim()
  .split(/\s+/)

test('nouns that the vocabulary does not have are shown as what they are kinds of', () => {
  const table = Object.entries(shownAs).flatMap(([icon, list]) =>
    list.split(/,\s*/).map((noun) => [noun, icon] as const),
  )
  assert.ok(table.length >= 120)
  const others = table.flatMap(([noun, icon]) => {
    const found = iconsIn(`a ${noun}`)
    return found.length === 1 && found[0] === icon ? [] : [`${noun}: ${found}, not ${icon}`]
  })
  assert.deepEqual(others, [])
  const known = table.filter(([noun]) => loadLexicon().has(noun)).map(([noun]) => noun)
  assert.deepEqual(known, [], 'these say nothing about kin')
})

test('what cannot be seen, names, and what would be shown as something else stay away', () => {
  const seen = nothing.filter((word) => iconsIn(`a ${word}`).length > 0 || iconsIn(word).length > 0)
  assert.deepEqual(seen, [])
})

test('places have kin too, and names of places count where something is said to be in them', () => {
  const table: [prompt: string, place: string | undefined][] = [
    ['a duck on a brook', 'lake'],
    ['a walk along the creek', 'lake'],
    ['a boulevard', 'city'],
    ['a band in Chicago', 'city'],
    ['a picnic near the Thames', 'field'],
    ['a boat on the river near Chicago', 'lake'],
    ['Charlotte reads', undefined],
    ['Florence and Austin', undefined],
  ]
  for (const [prompt, place] of table) assert.equal(read(prompt).place, place, prompt)
})

test('number, colour, size and relations belong to kin as to anything else', () => {
  const table: [prompt: string, things: object[]][] = [
    ['three red schooners', [{ icons: ['sailboat'], count: 3, colours: ['#e02424'], size: 1 }]],
    ['two spaniels', [{ icons: ['dog'], count: 2, colours: [], size: 1 }]],
    ['an orange spaniel', [{ icons: ['dog'], count: 1, colours: ['#f5821f'], size: 1 }]],
    ['a brown bear', [{ icons: ['bear'], count: 1, colours: ['#84532c'], size: 1 }]],
    [
      'a tiny spaniel on a huge recliner',
      [
        { icons: ['dog'], count: 1, colours: [], size: 0.45, relation: { kind: 'on', to: 1 } },
        { icons: ['chair'], count: 1, colours: [], size: 1.8 },
      ],
    ],
  ]
  for (const [prompt, things] of table) assert.deepEqual(read(prompt).things, things, prompt)
})

test('words that only describe, and verbs, are no things', () => {
  const table: [prompt: string, icons: string[]][] = [
    ['a running man', ['man-standing']],
    ['light blue', []],
    ['a granite castle', ['castle']],
    ['a violinist dog', ['dog']],
    ['a dog barks', ['dog']],
    ['dogs bark', ['dog']],
    ['a cat to punt', ['cat']],
    ['a beautiful drawing of a cat, highly detailed masterpiece, trending', ['cat']],
    ['a portrait with dramatic lighting, shallow depth of field', ['framed-picture']],
    ['a sea urchin', []],
    ['a hot tub time machine', ['bathtub', 'hourglass-not-done', 'gear']],
    ['un perro con el hombre', ['dog', 'man-standing']],
  ]
  for (const [prompt, icons] of table) assert.deepEqual(iconsIn(prompt), icons, prompt)
})

test('who refuses a kind does not refuse all that look like it', () => {
  const things = (prompt: string, negative?: string) => {
    const { brief, refusals } = readPrompt(prompt, readKin)
    return refuse(brief, readRefusals(negative, refusals)).things.map(({ icons: [icon] }) => icon)
  }
  assert.deepEqual(things('a dog without spaniels and a cat'), ['dog', 'cat'])
  assert.deepEqual(things('a dog', 'spaniels'), ['dog'])
  assert.deepEqual(things('a spaniel and a cat', 'dogs'), ['cat'])
})

test('nouns of several meanings are judged by the words around them', async () => {
  const needs = { nouns, judge: createJudge() }
  const table: [prompt: string, icon: string][] = [
    ['a boxer with red gloves in the ring', 'person-standing'],
    ['a boxer barking at the mailman', 'dog'],
    ['an admiral on his flagship', 'person-standing'],
    ['an admiral on a flower, wings spread', 'butterfly'],
    ['a cardinal singing on a branch in winter', 'bird'],
    ['a cardinal praying in the cathedral', 'person-standing'],
    ['a cobbler repairing boots', 'person-standing'],
  ]
  for (const [prompt, icon] of table) {
    const { brief } = readPrompt(prompt, await judgeKin(prompt, needs))
    assert.equal(brief.things[0]?.icons[0], icon, prompt)
  }
})

test('the model is asked only about words of several meanings with something around them', async () => {
  const asked: string[] = []
  const judge = async (text: string, descriptions: readonly string[]) => {
    asked.push(text)
    return descriptions.map(() => 0)
  }
  for (const prompt of ['a boxer', 'a spaniel running over the wet meadow', 'a cat and a dog on a table', ''])
    await judgeKin(prompt, { nouns, judge })
  assert.deepEqual(asked, [])
  await judgeKin('a boxer barking at the mailman', { nouns, judge })
  assert.deepEqual(asked, ['a barking at the mailman'])
})

test('a prompt costs a bounded number of small reads, and the same words cost none', () => {
  const own = createNouns()
  const reader = createReadKin({ nouns: own })
  const opened = own.reads()
  readPrompt('a spaniel', reader)
  const once = own.reads() - opened
  assert.ok(once > 10 && once < 200, `${once}`)
  readPrompt('two spaniels and a spaniel', createReadKin({ nouns: own }))
  const plural = own.reads()
  readPrompt('a spaniel and two spaniels', reader)
  assert.equal(own.reads(), plural)

  const words = Object.values(shownAs).join(' ').replaceAll(',', '')
  let finds = 0
  const counting = {
    ...own,
    find: (phrase: string) => {
      finds++
      return own.find(phrase)
    },
  }
  readPrompt(`${words} ${words}`.slice(0, 7500), createReadKin({ nouns: counting }))
  assert.equal(finds, lookupsMax)
  assert.ok(own.reads() - plural < lookupsMax * 120, `${own.reads() - plural}`)
})

test('what a prompt is read as does not depend on what was read before', () => {
  const prompts = ['a schooner near a chalet', 'three spaniels', 'a katana, a rapier and a harpsichord']
  const first = prompts.map((prompt) => readPrompt(prompt, createReadKin({ nouns: createNouns() })))
  assert.deepEqual(
    prompts.toReversed().map((prompt) => readPrompt(prompt, readKin)),
    first.toReversed(),
  )
})

test('any text is looked up', () => {
  const hostile = ['%1:06:00::', '../../etc/passwd', '__proto__', '\u0000', 'a%', '_', "'", '-', '%', 'ÿ', '𝔸']
  for (const text of hostile) assert.deepEqual([text, nouns.find(text)], [text, undefined])
  for (const edge of ["'hood", 'zyrian', 'zzzzzz', '0000']) assert.doesNotThrow(() => nouns.find(edge))
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      for (const { icons } of read(`a ${text} spaniel ${text}`).things) assert.ok(icons.every(isDrawable))
    }),
    { numRuns: 100 },
  )
})

test('every picture of a class exists', () => {
  const icons = [...pictureOfClass.values()].filter((icon) => icon !== notShown).flatMap((icon) => icon.split(' '))
  assert.deepEqual(
    icons.filter((icon) => !isDrawable(icon)),
    [],
  )
})
