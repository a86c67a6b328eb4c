import type { Art } from '../art/art-set.js'
import { type Recolour, recolour } from '../colour.js'

/** Numbers in drawings, short and the same everywhere. */
export const n = (value: number): string => String(Math.round(value * 100) / 100)

/** For scales, where a hundredth is much. */
const fine = (value: number): string => String(Math.round(value * 10_000) / 10_000)

export const escapeText = (text: string): string =>
  text
    // Half of a pair and control characters are not allowed in XML at all.
    .replace(/\p{C}/gu, '')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

export type Stop = [offset: number, colour: string, opacity?: number]

/** A drawing that grows from back to front. */
export type Page = {
  width: number
  height: number
  add(svg: string): void
  /** Fills for shapes, as values of `fill`. */
  down(stops: Stop[]): string
  across(stops: Stop[]): string
  /** From the middle of the shape to its edge. */
  round(stops: Stop[]): string
  /** Draws art so that its ink stands on a foot. The key names the change of colours. */
  put(
    art: Art,
    at: { x: number; foot: number; height: number; isFlipped?: boolean },
    key: string,
    change: Recolour,
  ): void
  /** The same, as a shadow that lies on the ground, to the side that `lean` says. */
  putShadow(
    art: Art,
    at: { x: number; foot: number; height: number; isFlipped?: boolean },
    lean: number,
    colour: string,
    opacity: number,
  ): void
  svg(pixelWidth: number, pixelHeight: number): string
}

const stopsOf = (stops: Stop[]) =>
  stops
    .map(([offset, colour, opacity]) => {
      const faint = opacity === undefined ? '' : ` stop-opacity="${n(opacity)}"`
      return `<stop offset="${n(offset)}" stop-color="${colour}"${faint}/>`
    })
    .join('')

export const createPage = (width: number, height: number): Page => {
  const definitions: string[] = []
  const drawn: string[] = []
  const known = new Map<string, string>()

  const define = (key: string, make: (id: string) => string) => {
    let id = known.get(key)
    if (id === undefined) {
      id = `d${known.size}`
      known.set(key, id)
      definitions.push(make(id))
    }
    return id
  }
  const gradient = (kind: 'linear' | 'radial', direction: string, stops: Stop[]) => {
    const content = stopsOf(stops)
    const id = define(`${kind} ${direction} ${content}`, (name) => {
      return `<${kind}Gradient id="${name}"${direction}>${content}</${kind}Gradient>`
    })
    return `url(#${id})`
  }
  const coloured = (art: Art, key: string, change: Recolour) =>
    define(`${art.name} ${key}`, (id) => {
      const body = art.body.replace(/(\bid="|url\(#|href="#)/g, `$1${id}`)
      return `<g id="${id}">${recolour(body, change)}</g>`
    })
  const scaleFor = ({ ink, side }: Art, height: number) => height / ((ink.bottom - ink.top) * side)

  return {
    width,
    height,
    add: (svg) => void drawn.push(svg),
    down: (stops) => gradient('linear', ' x1="0" y1="0" x2="0" y2="1"', stops),
    across: (stops) => gradient('linear', ' x1="0" y1="0" x2="1" y2="0"', stops),
    round: (stops) => gradient('radial', '', stops),
    put(art, { x, foot, height, isFlipped = false }, key, change) {
      const scale = scaleFor(art, height)
      const middle = ((art.ink.left + art.ink.right) / 2) * art.side
      const flip = isFlipped ? -1 : 1
      const [left, top] = [x - middle * scale * flip, foot - art.ink.bottom * art.side * scale]
      const id = coloured(art, key, change)
      drawn.push(
        `<use href="#${id}" transform="matrix(${[scale * flip, 0, 0, scale, left, top].map(fine).join(' ')})"/>`,
      )
    },
    putShadow(art, { x, foot, height, isFlipped = false }, lean, colour, opacity) {
      const scale = scaleFor(art, height)
      const middle = ((art.ink.left + art.ink.right) / 2) * art.side
      const flip = isFlipped ? -1 : 1
      const id = coloured(art, `shadow ${colour}`, () => colour)
      // The art is laid down: its top goes to the side and a little towards the viewer.
      const flat = -0.17
      const bottom = art.ink.bottom * art.side
      const [left, top] = [x - middle * scale * flip + lean * scale * bottom, foot - bottom * scale * flat]
      const matrix = [scale * flip, 0, -lean * scale, scale * flat, left, top].map(fine).join(' ')
      drawn.push(`<g opacity="${n(opacity)}"><use href="#${id}" transform="matrix(${matrix})"/></g>`)
    },
    svg: (pixelWidth, pixelHeight) =>
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${pixelWidth}" height="${pixelHeight}" viewBox="0 0 ${n(width)} ${n(height)}" preserveAspectRatio="none"><defs>${definitions.join('')}</defs>${drawn.join('')}</svg>`,
  }
}
