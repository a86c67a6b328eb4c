import { hexOf, lighten, mix } from '../colour.js'
import type { Random } from '../random.js'
import type { MoodName } from '../vocabulary/surroundings.js'
import { n, type Page } from './page.js'
import { hillPath } from './shapes.js'

const moodColours: Record<MoodName, { l: number; c: number; h: number }> = {
  calm: { l: 0.78, c: 0.07, h: 210 },
  gloomy: { l: 0.36, c: 0.05, h: 265 },
  cheerful: { l: 0.76, c: 0.17, h: 70 },
  romantic: { l: 0.7, c: 0.14, h: 5 },
  warm: { l: 0.7, c: 0.14, h: 50 },
  cold: { l: 0.74, c: 0.1, h: 235 },
  magical: { l: 0.55, c: 0.18, h: 300 },
}

/** Five colours that go together, from dark to light. */
const choosePalette = (random: Random, mood: MoodName | undefined, colours: string[]): string[] => {
  const base = mood ? moodColours[mood] : { l: 0.66, c: random.between(0.1, 0.16), h: random.between(0, 360) }
  const spread = random.pick([28, 45, 70])
  const palette = [-2, -1, 0, 1, 2].map((step) =>
    hexOf({
      l: Math.min(0.93, Math.max(0.22, base.l + step * 0.13)),
      c: base.c * (step === 2 ? 0.5 : 1),
      h: base.h + step * spread,
    }),
  )
  colours.slice(0, 3).forEach((hex, index) => {
    palette[index + 1] = hex
  })
  return palette
}

type Draw = (page: Page, random: Random, palette: string[]) => void

const drawRibbons: Draw = (page, random, palette) => {
  for (let index = 0; index < 9; index++) {
    const colour = palette[(index + 1) % palette.length] as string
    const fill = page.across([
      [0, lighten(colour, 0.08), 0.9],
      [1, mix(colour, palette[(index + 2) % palette.length] as string, 0.8), 0.75],
    ])
    const y = page.height * (0.2 + index * 0.1)
    page.add(
      `<path d="${hillPath(random, { y, amplitude: page.height * 0.09, waves: random.between(0.4, 1.1), width: page.width, bottom: page.height })}" fill="${fill}"/>`,
    )
  }
}

const drawOrbits: Draw = (page, random, palette) => {
  const [x, y] = [page.width * random.between(0.35, 0.65), page.height * random.between(0.38, 0.62)]
  const reach = Math.min(page.width, page.height) * 0.48
  page.add(
    `<circle cx="${n(x)}" cy="${n(y)}" r="${n(reach * 1.7)}" fill="${page.round([
      [0, palette[4] as string, 0.7],
      [1, palette[4] as string, 0],
    ])}"/>`,
  )
  for (let index = 0; index < 15; index++) {
    const r = reach * (0.14 + index * 0.085)
    const angle = random.between(0, Math.PI * 2)
    const colour = random.pick(palette)
    page.add(
      `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(r * 1.25)}" ry="${n(r * 0.8)}" fill="none" stroke="${colour}" stroke-width="${n(random.between(1.5, 9))}" opacity=".7" transform="rotate(${n(index * 7)} ${n(x)} ${n(y)})"/>`,
    )
    const dot = 7 + random.next() ** 2 * 46
    const ball = page.round([
      [0, lighten(colour, 0.16)],
      [1, lighten(colour, -0.06)],
    ])
    page.add(
      `<circle cx="${n(x + Math.cos(angle) * r * 1.15)}" cy="${n(y + Math.sin(angle) * r * 0.9)}" r="${n(dot)}" fill="${ball}"/>`,
    )
  }
}

/** Quarter circles, discs and stripes in squares. */
const drawTiles: Draw = (page, random, palette) => {
  const side = Math.max(page.width, page.height) / random.whole(5, 7)
  for (let top = 0; top < page.height; top += side)
    for (let left = 0; left < page.width; left += side) {
      const [ground, form] = [random.pick(palette), random.pick(palette)]
      const turn = `rotate(${random.whole(0, 3) * 90} ${n(left + side / 2)} ${n(top + side / 2)})`
      page.add(
        `<rect x="${n(left)}" y="${n(top)}" width="${n(side + 0.7)}" height="${n(side + 0.7)}" fill="${ground}"/>`,
      )
      const forms = [
        `<path d="M${n(left)} ${n(top)}h${n(side)}A${n(side)} ${n(side)} 0 0 1 ${n(left)} ${n(top + side)}Z" fill="${form}" transform="${turn}"/>`,
        `<circle cx="${n(left + side / 2)}" cy="${n(top + side / 2)}" r="${n(side * 0.36)}" fill="${form}"/>`,
        `<path d="M${n(left)} ${n(top)}L${n(left + side)} ${n(top + side)}H${n(left)}Z" fill="${form}" transform="${turn}"/>`,
        `<path d="M${n(left)} ${n(top)}h${n(side)}A${n(side / 2)} ${n(side / 2)} 0 0 1 ${n(left)} ${n(top)}Z" fill="${form}" transform="${turn}"/>`,
      ]
      page.add(random.pick(forms))
    }
}

/** Points that are tied to their neighbours. */
const drawWeb: Draw = (page, random, palette) => {
  const points = Array.from({ length: 46 }, () => ({
    x: random.between(0.03, 0.97) * page.width,
    y: random.between(0.03, 0.97) * page.height,
  }))
  const lines: string[] = []
  for (const [index, { x, y }] of points.entries()) {
    const near = points
      .slice(index + 1)
      .map((other) => ({ other, apart: Math.hypot(other.x - x, other.y - y) }))
      .sort((first, second) => first.apart - second.apart)
      .slice(0, 3)
    for (const { other } of near)
      lines.push(
        `M${n(x)} ${n(y)}Q${n((x + other.x) / 2 + random.between(-50, 50))} ${n((y + other.y) / 2 + random.between(-50, 50))} ${n(other.x)} ${n(other.y)}`,
      )
  }
  page.add(`<path d="${lines.join('')}" fill="none" stroke="${palette[4]}" stroke-width="2.4" opacity=".6"/>`)
  for (const { x, y } of points) {
    const colour = random.pick(palette.slice(1))
    const r = 6 + random.next() ** 3 * 64
    page.add(
      `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r * 1.9)}" fill="${page.round([
        [0, colour, 0.55],
        [1, colour, 0],
      ])}"/><circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${page.round([
        [0, lighten(colour, 0.14)],
        [1, colour],
      ])}"/>`,
    )
  }
}

/** A composition for words that name nothing to show; its forms and colours follow from them. */
export const drawAbstract = (
  page: Page,
  random: Random,
  mood: MoodName | undefined,
  colours: string[],
  isTransparent: boolean,
) => {
  const palette = choosePalette(random.fork('palette'), mood, colours)
  if (!isTransparent)
    page.add(
      `<rect width="${n(page.width)}" height="${n(page.height)}" fill="${page.down([
        [0, palette[0] as string],
        [1, mix(palette[0] as string, palette[2] as string, 0.75)],
      ])}"/>`,
    )
  random.fork('form').pick([drawRibbons, drawOrbits, drawTiles, drawWeb])(page, random.fork('drawing'), palette)
}
