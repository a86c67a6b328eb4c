import { Resvg } from '@resvg/resvg-js'
import type { Colour, Lettering } from '../operation.js'
import { lumaOf } from './colour-matrix.js'
import type { Session } from './session.js'

type Font = { files: string[]; family: string }
const linesMax = 40

const escaped = (text: string) =>
  // Control characters are no XML; what the font does not have is drawn as a box.
  text.replace(/[^\P{C}\n]/gu, ' ').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const hex = (colour: Colour) => `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`

/** Breaks lines at about so many characters, words that are longer as well. */
export const wrapped = (text: string, charactersMax: number): string[] =>
  text
    .split('\n')
    .flatMap((line) => {
      const lines: string[] = ['']
      for (const word of line
        .split(/\s+/)
        .flatMap((one) => one.match(new RegExp(`.{1,${charactersMax}}`, 'gu')) ?? [])) {
        const last = lines[lines.length - 1] as string
        if (last === '') lines[lines.length - 1] = word
        else if (last.length + 1 + word.length <= charactersMax) lines[lines.length - 1] = `${last} ${word}`
        else lines.push(word)
      }
      return lines
    })
    .slice(0, linesMax)

const svgOf = (width: number, height: number, body: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>`

const render = (svg: string, { files, family }: Font) =>
  new Resvg(svg, { font: { fontFiles: files, loadSystemFonts: false, defaultFontFamily: family } })

const linesOf = (lines: string[], x: number, y: number, size: number, anchor: string, attributes: string) =>
  lines
    .map(
      (line, index) =>
        `<text x="${x}" y="${y + index * size * 1.2}" font-size="${size}" text-anchor="${anchor}" ${attributes}>${escaped(line)}</text>`,
    )
    .join('')

/** Writes on the picture: as large as was asked for, smaller where it would not fit. */
export const write = async (session: Session, lettering: Lettering) => {
  const { canvas } = session
  const { width, height } = canvas
  const font = await session.tools.font()
  const text = lettering.look === 'meme' ? lettering.text.toUpperCase() : lettering.text
  const margin = Math.round(Math.min(width, height) * (lettering.look === 'banner' ? 0.02 : 0.04))
  const room = width - 2 * margin
  const weight = lettering.isBold ? 'font-weight="800"' : 'font-weight="500"'
  let size = Math.max(6, lettering.size * height)
  let lines: string[] = []
  let widest = 0
  for (let round = 0; round < 12; round++) {
    lines = wrapped(text, Math.max(4, Math.floor(room / (size * 0.52))))
    const box = render(
      svgOf(width, height, linesOf(lines, 0, size, size, 'start', `font-family="${font.family}" ${weight}`)),
      font,
    ).getBBox()
    widest = box?.width ?? 0
    const fits = widest <= room && lines.length * size * 1.2 <= height * 0.8
    if (fits || size <= 6) break
    size = Math.max(6, size * Math.min(0.85, room / Math.max(1, widest)))
  }
  const { place, colour, look } = lettering
  const anchor = place.x === 'left' ? 'start' : place.x === 'right' ? 'end' : 'middle'
  const x = place.x === 'left' ? margin : place.x === 'right' ? width - margin : width / 2
  const tall = lines.length * size * 1.2
  const top = place.y === 'top' ? margin : place.y === 'bottom' ? height - margin - tall : (height - tall) / 2
  const first = top + size * 0.95
  const ink: Colour = colour ?? [255, 255, 255]
  const outline: Colour = lumaOf(ink) > 110 ? [0, 0, 0] : [255, 255, 255]
  const stroke = look === 'meme' ? size * 0.12 : look === 'banner' ? 0 : size * 0.1
  const family = `font-family="${font.family}" ${weight}`
  const banner =
    look === 'banner'
      ? `<rect x="0" y="${top - margin}" width="${width}" height="${tall + 2 * margin}" fill="${hex(outline)}" fill-opacity="0.65"/>`
      : ''
  // The outline lies under the letters, so that they stay as thick as they are.
  const outlined =
    stroke > 0
      ? linesOf(
          lines,
          x,
          first,
          size,
          anchor,
          `${family} fill="none" stroke="${hex(outline)}" stroke-opacity="${look === 'watermark' ? 0.35 : 0.85}" stroke-width="${stroke}" stroke-linejoin="round"`,
        )
      : ''
  const turned = lettering.degrees === 0 ? '' : `transform="rotate(${lettering.degrees} ${width / 2} ${height / 2})"`
  const body = `<g opacity="${lettering.opacity}" ${turned}>${banner}${outlined}${linesOf(lines, x, first, size, anchor, `${family} fill="${hex(ink)}"`)}</g>`
  const picture = render(svgOf(width, height, body), font)
    .render()
    .asPng()
  await canvas.pipe('composite', (base) => base.composite([{ input: picture, left: 0, top: 0 }]))
}
