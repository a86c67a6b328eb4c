import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { isDrawable } from './art/art-set.js'
import { drawScene, type SceneOrder } from './draw-scene.js'
import { boxOf } from './layout/arrange.js'
import { knownLooks } from './looks/looks.js'
import { crowds, kinds, riding } from './vocabulary/kinds.js'
import { moreNames } from './vocabulary/more-things.js'
import { styleWords } from './vocabulary/styles.js'
import { names } from './vocabulary/things.js'

const order = (prompt: string, more: Partial<SceneOrder> = {}): SceneOrder => ({
  prompt,
  negativePrompt: undefined,
  width: 512,
  height: 512,
  seed: 1,
  index: 0,
  style: undefined,
  isTransparent: false,
  palette: undefined,
  ...more,
})
const iconsIn = (prompt: string, more?: Partial<SceneOrder>) => {
  const { actors, placed } = drawScene(order(prompt, more))
  return placed.map(({ item }) => actors[item]?.art.name.replace(/ with body$/, ''))
}

test('as many are placed as were asked for, up to 24 in all', () => {
  const table: [prompt: string, number: number][] = [
    ['a cat', 1],
    ['three cats', 3],
    ['five dogs and two horses', 7],
    ['a hundred balloons', 20],
    ['twenty cats, twenty dogs and twenty birds', 24],
  ]
  for (const [prompt, number] of table) assert.equal(iconsIn(prompt).length, number, prompt)
})

test('relations hold in the picture, whatever the seed', () => {
  const pair = (prompt: string, seed: number) => {
    const { placed } = drawScene(order(prompt, { seed, width: 768 }))
    const find = (index: number) => boxOf(placed.find(({ item }) => item === index) as (typeof placed)[number])
    return [find(0), find(1)] as const
  }
  const middle = ({ left, right }: { left: number; right: number }) => (left + right) / 2
  for (let seed = 0; seed < 12; seed++) {
    const [leftDog, house] = pair('a dog to the left of a house', seed)
    assert.ok(middle(leftDog) < middle(house), `left, seed ${seed}`)
    const [rightDog, hut] = pair('a dog to the right of a hut', seed)
    assert.ok(middle(rightDog) > middle(hut), `right, seed ${seed}`)
    const [bird, tree] = pair('a bird on a tree', seed)
    assert.ok(bird.bottom < (tree.top + tree.bottom) / 2 && bird.bottom > tree.top, `on, seed ${seed}`)
    assert.ok(bird.left < tree.right && bird.right > tree.left, `on, seed ${seed}`)
    const [behind, castle] = pair('a dragon behind a castle', seed)
    assert.ok(behind.bottom < castle.bottom, `behind, seed ${seed}`)
    const [before, church] = pair('a car in front of a church', seed)
    assert.ok(before.bottom > church.bottom, `before, seed ${seed}`)
  }
})

test('things stay in the picture and hardly cover each other, in any shape of picture', () => {
  const shapes = [
    [512, 512],
    [1344, 576],
    [576, 1344],
    [64, 64],
    [4096, 1024],
  ] as const
  for (const [width, height] of shapes)
    for (let seed = 0; seed < 6; seed++)
      for (const prompt of ['a cat and a dog', 'three boats on the sea', 'a house, a tree and a car', 'a red car']) {
        const { placed } = drawScene(order(prompt, { width, height, seed }))
        const unit = 1000 / Math.min(width, height)
        for (const { left, right, top, bottom } of placed.map(boxOf)) {
          const outside = Math.max(0, -left, right - width * unit) / (right - left)
          assert.ok(
            outside < 0.12 && top > -1 && bottom < height * unit + 20,
            `${prompt} ${width}x${height} seed ${seed}`,
          )
        }
      }
})

test('what is big is larger than what is small', () => {
  const { placed } = drawScene(order('a huge elephant next to a tiny mouse'))
  const [elephant, mouse] = [0, 1].map((index) => placed.find(({ item }) => item === index)?.height as number)
  assert.ok((elephant as number) > 4 * (mouse as number))
})

test('refused things are not there, in the scenery neither', () => {
  assert.deepEqual(iconsIn('a cat and a dog', { negativePrompt: 'dogs' }), ['cat'])
  const scenery = (negativePrompt: string | undefined) => drawScene(order('a beach', { negativePrompt })).svg.length
  assert.ok(scenery('palm trees') < scenery(undefined) - 1000)
})

test('words that name nothing make an abstract composition that follows from them', () => {
  const abstract = drawScene(order('quantum entanglement of bureaucracy'))
  assert.equal(abstract.setting, undefined)
  assert.notEqual(abstract.svg, drawScene(order('the ontology of paperwork')).svg)
  assert.equal(drawScene(order('')).setting, undefined)
})

test('what is written into a picture cannot leave its place in the drawing', () => {
  const { svg } = drawScene(order('a sign saying "<script>&\']]>"'))
  assert.ok(svg.includes('&#60;script&#62;&#38;&#39;]]&#62;'))
  assert.ok(!svg.includes('<script'))
})

test('every style of the catalogue has a look of its own, and every style word means one of them', () => {
  const { styles } = parse(readFileSync('catalog/styles.yaml', 'utf8')) as { styles: string[] }
  assert.deepEqual(knownLooks().sort(), [...styles].sort())
  for (const style of Object.keys(styleWords)) assert.ok(styles.includes(style), style)
  const drawings = styles.map((style) => {
    const { svg, look } = drawScene(order('a red house in the mountains', { style }))
    return `${svg} ${look.grain} ${look.vignette} ${look.bloom}`
  })
  assert.equal(new Set(drawings).size, styles.length)
})

test('a style in the prompt counts, unless the call names another', () => {
  assert.equal(drawScene(order('a cat in watercolor')).style, 'Watercolor')
  assert.equal(drawScene(order('a cat in watercolor', { style: 'Anime' })).style, 'Anime')
})

test('every picture that the vocabulary names exists', () => {
  const lists = [...Object.values(kinds), ...Object.values(crowds).map(({ icons }) => icons)].flatMap((list) =>
    list.split(' '),
  )
  const icons = [...Object.keys(names), ...Object.keys(moreNames), ...riding.values(), ...lists]
  assert.deepEqual(
    icons.filter((icon) => !isDrawable(icon)),
    [],
  )
})
