/** A colour as eyes see it (OKLCH): lightness from 0 to 1, chroma from 0 to about 0.3, hue in degrees. */
export type Colour = { l: number; c: number; h: number }

const toLinear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const toGamma = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055)
const degrees = (radians: number) => ((radians * 180) / Math.PI + 360) % 360

type Lab = [l: number, a: number, b: number]

export const labOf = (red: number, green: number, blue: number): Lab => {
  const [r, g, b] = [toLinear(red / 255), toLinear(green / 255), toLinear(blue / 255)]
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const middle = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
  ]
}

const hexOfLab = ([l, a, b]: Lab): string => {
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  const channels = [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ]
  const digits = channels.map((value) => {
    const byte = Math.round(255 * Math.min(1, Math.max(0, toGamma(Math.max(0, value)))))
    return byte.toString(16).padStart(2, '0')
  })
  return `#${digits.join('')}`
}

const labOfHex = (hex: string): Lab => {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit).join('') : hex.slice(1, 7)
  const value = Number.parseInt(digits, 16)
  return labOf((value >> 16) & 255, (value >> 8) & 255, value & 255)
}

export const colourOfLab = ([l, a, b]: Lab): Colour => ({ l, c: Math.hypot(a, b), h: degrees(Math.atan2(b, a)) })

export const colourOf = (hex: string): Colour => colourOfLab(labOfHex(hex))

export const hexOf = ({ l, c, h }: Colour): string => {
  const angle = (h * Math.PI) / 180
  return hexOfLab([Math.min(1, Math.max(0, l)), c * Math.cos(angle), c * Math.sin(angle)])
}

/** The colour between two, `share` of the way to the second. */
export const mix = (from: string, to: string, share: number): string => {
  const [first, second] = [labOfHex(from), labOfHex(to)]
  const at = (index: 0 | 1 | 2) => first[index] + (second[index] - first[index]) * share
  return hexOfLab([at(0), at(1), at(2)])
}

export const lighten = (hex: string, by: number): string => {
  const colour = colourOf(hex)
  return hexOf({ ...colour, l: colour.l + by })
}

/** How a thing of this colour looks in light of that colour. */
export const inLight = (hex: string, light: string, strength: number): string => {
  const channel = (colour: string, at: number) => Number.parseInt(colour.slice(at, at + 2), 16)
  const full = hex.length === 4 ? `#${[...hex.slice(1)].map((digit) => digit + digit).join('')}` : hex
  const digits = [1, 3, 5].map((at) => {
    const value = channel(full, at)
    const lit = (value * channel(light, at)) / 255
    return Math.round(value + (lit - value) * strength)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${digits.join('')}`
}

/** How far two hues are apart, 0 to 180 degrees. */
export const hueDistance = (first: number, second: number): number => {
  const apart = Math.abs(first - second) % 360
  return apart > 180 ? 360 - apart : apart
}

export type Recolour = (hex: string) => string

const painted = /(fill|stroke|stop-color|flood-color)="(#[0-9a-fA-F]{3,8})"/g

/** Changes each colour of a drawing. Texts cannot look like one, because their quotes are escaped. */
export const recolour = (svg: string, change: Recolour): string => {
  const known = new Map<string, string>()
  return svg.replace(painted, (_, attribute: string, hex: string) => {
    let changed = known.get(hex)
    if (changed === undefined) {
      changed = change(hex)
      known.set(hex, changed)
    }
    return `${attribute}="${changed}"`
  })
}
