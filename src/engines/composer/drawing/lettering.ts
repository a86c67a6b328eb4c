import { drawableText, fontFamily } from '../../pixels/font.js'
import type { Box } from '../layout/arrange.js'
import type { GroundPlan } from '../layout/ground-plan.js'
import type { Random } from '../random.js'
import type { Carrier } from '../reading/lexicon.js'
import { escapeText, n, type Page } from './page.js'

const charactersMax = 90
/** The mean width of a bold letter, in shares of its height; a little too much rather than too little. */
const letterWidth = 0.64

/** The text in lines of about the same length, at most four. */
export const linesOf = (text: string): string[] => {
  const short = text.length > charactersMax ? `${text.slice(0, charactersMax - 1).trimEnd()}…` : text
  const perLine = Math.max(8, Math.ceil(short.length / 4), Math.ceil(Math.sqrt(short.length * 5)))
  const lines: string[] = []
  for (const word of short.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= perLine) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.slice(0, 4)
}

export type Lettering = { box: Box; draw(page: Page): void }

/** A place and a form for what the prompt has in quotes; nothing when the font cannot write it. */
export const planLettering = (
  texts: string[],
  carrier: Carrier | undefined,
  plan: GroundPlan,
  random: Random,
  isTitleDark: boolean,
): Lettering | undefined => {
  const text = drawableText(texts.join(' · '))
  if (text === '') return undefined
  const lines = linesOf(text)
  const letters = Math.max(...lines.map((line) => Array.from(line).length))
  const { width, height, floor, isFloating } = plan
  const wideMax = width * (carrier === undefined ? 0.86 : 0.42)
  const highMax = height * 0.2
  const size = Math.min(
    wideMax / (letters * letterWidth),
    highMax / (lines.length * 1.2),
    carrier === undefined ? 130 : 92,
  )
  const [wide, high] = [letters * size * letterWidth, lines.length * size * 1.2]

  const write = (page: Page, x: number, top: number, attributes: string) => {
    for (const [index, line] of lines.entries())
      page.add(
        `<text x="${n(x)}" y="${n(top + size * (0.98 + index * 1.2))}" text-anchor="middle" font-family="${fontFamily}" font-weight="800" font-size="${n(size)}" ${attributes}>${escapeText(line)}</text>`,
      )
  }
  const isLeft = random.chance(0.5)
  const margin = size * 0.5
  switch (carrier) {
    case 'sign': {
      const x = isLeft ? width * 0.06 + wide / 2 + margin : width * 0.94 - wide / 2 - margin
      const foot = isFloating ? height * 0.9 : floor.far + (floor.near - floor.far) * 0.7
      const post = isFloating ? 0 : Math.min(150, height * 0.14)
      const top = foot - post - high - margin * 1.2
      const box = { left: x - wide / 2 - margin, right: x + wide / 2 + margin, top, bottom: foot }
      return {
        box,
        draw: (page) => {
          const wood = page.across([
            [0, '#8a5a33'],
            [0.5, '#a97142'],
            [1, '#7d5030'],
          ])
          if (post > 0)
            page.add(
              `<rect x="${n(x - 11)}" y="${n(foot - post - 8)}" width="22" height="${n(post + 8)}" fill="${wood}"/>`,
            )
          page.add(
            `<rect x="${n(box.left)}" y="${n(top)}" width="${n(wide + margin * 2)}" height="${n(high + margin * 1.2)}" rx="14" fill="#6f4526"/>`,
          )
          page.add(
            `<rect x="${n(box.left + 7)}" y="${n(top + 7)}" width="${n(wide + margin * 2 - 14)}" height="${n(high + margin * 1.2 - 14)}" rx="9" fill="#f8edd6"/>`,
          )
          write(page, x, top + margin * 0.55, 'fill="#4a2d18"')
        },
      }
    }
    case 'bubble': {
      const x = isLeft ? width * 0.05 + wide / 2 + margin : width * 0.95 - wide / 2 - margin
      const top = height * 0.06
      const bottom = top + high + margin * 1.3
      return {
        box: { left: x - wide / 2 - margin, right: x + wide / 2 + margin, top, bottom: bottom + 40 },
        draw: (page) => {
          const tip = isLeft ? x + wide * 0.3 : x - wide * 0.3
          const toward = isLeft ? 1 : -1
          page.add(
            `<path d="M${n(tip - 26)} ${n(bottom - 4)}h52l${n(toward * 34)} 62Z" fill="#ffffff"/><rect x="${n(x - wide / 2 - margin)}" y="${n(top)}" width="${n(wide + margin * 2)}" height="${n(bottom - top)}" rx="${n(Math.min(60, (bottom - top) / 2))}" fill="#ffffff"/>`,
          )
          write(page, x, top + margin * 0.6, 'fill="#26262b"')
        },
      }
    }
    default: {
      const top = height * 0.05
      const colour = isTitleDark ? '#22283a' : '#ffffff'
      return {
        box: { left: (width - wide) / 2, right: (width + wide) / 2, top, bottom: top + high },
        draw: (page) => {
          if (!isTitleDark) write(page, width / 2 + size * 0.03, top + size * 0.05, 'fill="#0c1020" opacity=".45"')
          write(page, width / 2, top, `fill="${colour}"`)
        },
      }
    }
  }
}
