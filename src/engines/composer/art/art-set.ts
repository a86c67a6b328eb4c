import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Resvg } from '@resvg/resvg-js'
import { type Colour, colourOfLab, hueDistance, labOf } from '../colour.js'

/** A rectangle in shares of the square that a piece of art fills. */
export type Ink = { left: number; top: number; right: number; bottom: number }

export type Art = {
  name: string
  /** What is inside `<svg>`. */
  body: string
  /** The side of the square that it is drawn in. */
  side: number
  ink: Ink
  /** Where the top of it is, from left to right: a head, usually. */
  topX: number
  /** The colour that most of it has. */
  colour: Colour
}

export type ArtSet = {
  has(name: string): boolean
  names(): string[]
  art(name: string): Art
  /** What is in the file, not measured. */
  source(name: string): Pick<Art, 'body' | 'side'>
}

type IconFile = {
  icons: Record<string, { body: string; width?: number }>
  aliases?: Record<string, { parent: string }>
  width?: number
}

const require = createRequire(import.meta.url)
const readJson = <T>(file: string) => JSON.parse(readFileSync(require.resolve(file), 'utf8')) as T

const namedColours: Record<string, string> = {
  red: '#ff0000',
  gray: '#808080',
  silver: '#c0c0c0',
  currentColor: '#333333',
}

const withHexColours = (body: string) =>
  body.replace(
    /(fill|stroke|stop-color)="(red|gray|silver|currentColor)"/g,
    (_, at, name) => `${at}="${namedColours[name]}"`,
  )

/** A drawing of one piece of art alone. */
export const drawingOf = ({ body, side }: Pick<Art, 'body' | 'side'>, pixels: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 ${side} ${side}" width="${pixels}" height="${pixels}">${body}</svg>`

const probePixels = 48

/** Looks at a small rendering: where the ink is, and which colour there is most of. */
const measure = (body: string, side: number): Pick<Art, 'ink' | 'topX' | 'colour'> => {
  const { pixels } = new Resvg(drawingOf({ body, side }, probePixels), { font: { loadSystemFonts: false } }).render()
  const ink = { left: probePixels, top: probePixels, right: 0, bottom: 0 }
  const bins = new Map<string, { weight: number; lab: [number, number, number] }>()
  for (let y = 0; y < probePixels; y++)
    for (let x = 0; x < probePixels; x++) {
      const at = (y * probePixels + x) * 4
      const alpha = pixels[at + 3] as number
      if (alpha < 60) continue
      ink.left = Math.min(ink.left, x)
      ink.top = Math.min(ink.top, y)
      ink.right = Math.max(ink.right, x + 1)
      ink.bottom = Math.max(ink.bottom, y + 1)
      if (alpha < 250) continue
      const lab = labOf(pixels[at] as number, pixels[at + 1] as number, pixels[at + 2] as number)
      const { c, h, l } = colourOfLab(lab)
      // Colour counts more than grey: wheels and outlines are not what a car is painted with.
      const key = c < 0.05 ? `grey ${Math.floor(l * 3)}` : `hue ${Math.floor(h / 30)}`
      const bin = bins.get(key) ?? { weight: 0, lab: [0, 0, 0] }
      const weight = 0.25 + c * 6
      bin.weight += weight
      for (const index of [0, 1, 2] as const) bin.lab[index] += lab[index] * weight
      bins.set(key, bin)
    }
  const [most] = [...bins.values()].sort((first, second) => second.weight - first.weight)
  const colour = most
    ? colourOfLab(most.lab.map((value) => value / most.weight) as [number, number, number])
    : { l: 0.5, c: 0, h: 0 }
  if (ink.right === 0) return { ink: { left: 0, top: 0, right: 1, bottom: 1 }, topX: 0.5, colour }
  const share = (value: number) => value / probePixels
  const topRows = Math.max(2, Math.round((ink.bottom - ink.top) * 0.14))
  let [sum, number] = [0, 0]
  for (let y = ink.top; y < ink.top + topRows; y++)
    for (let x = 0; x < probePixels; x++)
      if ((pixels[(y * probePixels + x) * 4 + 3] as number) > 128) {
        sum += x + 0.5
        number++
      }
  return {
    ink: { left: share(ink.left), top: share(ink.top), right: share(ink.right), bottom: share(ink.bottom) },
    topX: number === 0 ? 0.5 : sum / number / probePixels,
    colour,
  }
}

const load = (packageName: string, unusable: ReadonlySet<string> = new Set()): ArtSet => {
  const file = readJson<IconFile>(`${packageName}/icons.json`)
  const side = file.width ?? 16
  const known = new Map<string, Art>()
  const iconOf = (name: string) => file.icons[name] ?? file.icons[file.aliases?.[name]?.parent ?? '']
  const source = (name: string) => {
    const icon = iconOf(name)
    if (!icon) throw new Error(`no art is called ${name}`)
    return { body: `<g fill="#202020">${withHexColours(icon.body)}</g>`, side: icon.width ?? side }
  }
  return {
    has: (name) => iconOf(name) !== undefined && !unusable.has(name),
    names: () => Object.keys(file.icons).filter((name) => !unusable.has(name)),
    source,
    art(name) {
      const found = known.get(name)
      if (found) return found
      const { body, side } = source(name)
      const art = { name, body, side, ...measure(body, side) }
      known.set(name, art)
      return art
    },
  }
}

const once = <T>(make: () => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/**
 * These have strokes far outside of their square: dirt in a scene, and the renderer ends the whole process when a layer
 * lies too far outside of the picture.
 */
const straying = new Set([
  'closed-umbrella',
  'crossed-swords',
  'eight-pointed-star',
  'fountain',
  'gorilla',
  'heavy-equals-sign',
  'package',
  'rainbow-flag',
])

/** Noto Emoji, with shades and details. */
export const shadedArt = once(() => load('@iconify-json/noto', straying))

/** Fluent Emoji in flat colours. */
export const flatArt = once(() => load('@iconify-json/fluent-emoji-flat'))

/** Whether one of the sets has it. */
export const isDrawable = (name: string): boolean => shadedArt().has(name) || flatArt().has(name)

export type Catalogue = { categoryOf: Map<string, string>; nameOfCharacter(character: string): string | undefined }

/** Which pictures there are, by kind and by character. */
export const catalogue = once((): Catalogue => {
  const { categories } = readJson<{ categories: Record<string, string[]> }>('@iconify-json/noto/metadata.json')
  const characters = readJson<Record<string, string>>('@iconify-json/noto/chars.json')
  return {
    categoryOf: new Map(
      Object.entries(categories).flatMap(([kind, list]) => list.map((name) => [name, kind] as const)),
    ),
    nameOfCharacter: (character) => {
      const codes = Array.from(character).map((point) => (point.codePointAt(0) as number).toString(16))
      return characters[codes.join('-')] ?? characters[codes.filter((code) => code !== 'fe0f').join('-')]
    },
  }
})

/** Whether a colour belongs to what most of the art is painted with. */
export const isMainColour = (colour: Colour, main: Colour): boolean =>
  main.c < 0.05 ? colour.c < 0.05 && colour.l > 0.25 : colour.c > 0.03 && hueDistance(colour.h, main.h) < 42
