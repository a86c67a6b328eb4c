import type { Colour, HueRange } from '../operation.js'
import { type Clause, takeIf } from './clause.js'

const named: Record<string, string> = {
  black: '#000000',
  white: '#ffffff',
  grey: '#808080',
  silver: '#c0c0c0',
  charcoal: '#36454f',
  red: '#e02020',
  crimson: '#dc143c',
  scarlet: '#ff2400',
  maroon: '#800000',
  burgundy: '#800020',
  ruby: '#e0115f',
  orange: '#ff8c00',
  coral: '#ff7f50',
  peach: '#ffcba4',
  salmon: '#fa8072',
  amber: '#ffbf00',
  rust: '#b7410e',
  yellow: '#ffd800',
  gold: '#ffd700',
  golden: '#ffd700',
  mustard: '#e1ad01',
  cream: '#fffdd0',
  ivory: '#fffff0',
  beige: '#f5f5dc',
  tan: '#d2b48c',
  brown: '#7b4a1e',
  chocolate: '#5a3310',
  bronze: '#cd7f32',
  copper: '#b87333',
  green: '#1fa030',
  lime: '#80e000',
  olive: '#808000',
  mint: '#98ffb0',
  emerald: '#50c878',
  forest: '#228b22',
  teal: '#008080',
  turquoise: '#40e0d0',
  aqua: '#00e5ee',
  cyan: '#00d0e8',
  blue: '#2050e0',
  navy: '#0a1f5c',
  azure: '#2a8cff',
  indigo: '#4b0082',
  sapphire: '#0f52ba',
  purple: '#8020c0',
  violet: '#8f4ae0',
  lavender: '#c9b6f2',
  lilac: '#c8a2c8',
  plum: '#8e4585',
  magenta: '#e000c0',
  fuchsia: '#ff00c8',
  pink: '#ff6fb0',
  rose: '#ff4d8d',
}

const words = Object.keys(named).join('|')
/** A colour in a prompt, without groups. */
export const colourWords = `(?<![a-z])(?:(?:very |rather )?(?:dark|deep|light|pale|bright|pastel|soft|neon|vivid)[ -])?(?:sky|hot|royal|forest|navy|rose|off)?[ -]?\\b(?:${words})\\b|#[0-9a-f]{6}\\b|#[0-9a-f]{3}\\b`

const lastWord = new RegExp(`(${words})$`)

export const black: Colour = [0, 0, 0]
export const white: Colour = [255, 255, 255]

const fromHex = (hex: string): Colour => {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit).join('') : hex.slice(1)
  const value = Number.parseInt(digits, 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

const mix = (from: Colour, to: Colour, part: number): Colour =>
  from.map((value, index) => Math.round(value + ((to[index] as number) - value) * part)) as unknown as Colour

/** `sky blue`, `dark red`, `#ff8800`. */
export const colourOf = (text: string): Colour | undefined => {
  const trimmed = text.trim()
  if (trimmed.startsWith('#')) return /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/.test(trimmed) ? fromHex(trimmed) : undefined
  if (/sky[ -]?blue/.test(trimmed)) return [118, 190, 240]
  if (/hot[ -]?pink/.test(trimmed)) return [255, 80, 170]
  if (/off[ -]?white/.test(trimmed)) return [247, 245, 238]
  const name = lastWord.exec(trimmed)?.[1]
  const hex = name === undefined ? undefined : named[name]
  if (hex === undefined) return undefined
  const colour = fromHex(hex)
  if (/\b(?:dark|deep)\b/.test(trimmed)) return mix(colour, black, 0.45)
  if (/\b(?:light|pale|pastel|soft)\b/.test(trimmed)) return mix(colour, white, 0.5)
  return colour
}

/** For `takeColour`: a colour after these words, if they are there. */
export const colourAfter = (words: string): RegExp => new RegExp(`(?:${words})?(${colourWords})`)
const anyColour = colourAfter('')

export const takeColour = (clause: Clause, pattern = anyColour): { at: number; value: Colour } | undefined =>
  takeIf(clause, pattern, (groups) => colourOf(groups[1] ?? ''))

/** What people call by the name of this colour. */
export const hueRangeOf = (text: string): HueRange | undefined => {
  const colour = colourOf(text)
  if (!colour) return undefined
  const [red, green, blue] = colour
  const most = Math.max(...colour)
  const least = Math.min(...colour)
  if (most - least < 24) return { grey: most > 200 ? 'white' : most < 70 ? 'black' : 'grey' }
  const spread = most - least
  const sixth =
    most === red ? (green - blue) / spread : most === green ? (blue - red) / spread + 2 : (red - green) / spread + 4
  const centre = Math.round((sixth * 60 + 360) % 360)
  // People call much green, from leaves to the sea, and little yellow.
  if (centre > 90 && centre < 165) return { centre: 110, reach: 46 }
  const reach = centre > 165 && centre < 300 ? 36 : 22
  return { centre, reach }
}
