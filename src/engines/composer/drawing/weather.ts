import type { Random } from '../random.js'
import { n, type Page } from './page.js'
import { hillPath } from './shapes.js'
import type { Stage } from './stage.js'

const indoors = new Set(['room', 'table', 'studio', 'underwater', 'space', 'moon'])

/** What falls or hangs in the air, before everything else. */
export const drawWeather = ({ page, plan, setting: { weather, place, time, light }, random }: Stage) => {
  if (indoors.has(place)) return
  switch (weather) {
    case 'storm':
      drawLightning(page, random.fork('lightning'), plan.horizon)
      return drawRain(page, random.fork('rain'), 1.4)
    case 'rain':
      return drawRain(page, random.fork('rain'), 1)
    case 'snow':
      return drawSnow(page, random.fork('snow'))
    case 'fog': {
      const fog = random.fork('fog')
      for (const share of [0.5, 0.64, 0.78, 0.92]) {
        const fill = page.down([
          [0, time === 'night' ? '#5f6b86' : light.skyBottom, 0],
          [0.3, time === 'night' ? '#5f6b86' : light.skyBottom, 0.5],
          [1, time === 'night' ? '#5f6b86' : light.skyBottom, 0.1],
        ])
        const path = hillPath(fog, {
          y: page.height * share,
          amplitude: 30,
          waves: 1,
          width: page.width,
          bottom: Math.min(page.height, page.height * (share + 0.3)),
        })
        page.add(`<path d="${path}" fill="${fill}"/>`)
      }
      return
    }
    default:
      return
  }
}

const drawRain = (page: Page, random: Random, strength: number) => {
  const drops: string[] = []
  const number = Math.round(((page.width * page.height) / 5200) * strength)
  for (let index = 0; index < number; index++) {
    const [x, y, length] = [random.between(-20, page.width), random.between(-30, page.height), random.between(14, 44)]
    drops.push(`M${n(x)} ${n(y)}l${n(-length * 0.22)} ${n(length)}`)
  }
  page.add(
    `<path d="${drops.join('')}" stroke="#dfeaf4" stroke-width="1.6" stroke-linecap="round" fill="none" opacity=".5"/>`,
  )
}

const drawSnow = (page: Page, random: Random) => {
  for (const [share, radius, opacity] of [
    [1, 2.2, 0.75],
    [0.5, 4, 0.85],
    [0.12, 8, 0.6],
  ] as const) {
    const flakes: string[] = []
    const number = Math.round(((page.width * page.height) / 6000) * share)
    for (let index = 0; index < number; index++) {
      const r = radius * random.between(0.6, 1.3)
      flakes.push(
        `M${n(random.between(0, page.width) - r)} ${n(random.between(0, page.height))}a${n(r)} ${n(r)} 0 1 1 ${n(r * 2)} 0a${n(r)} ${n(r)} 0 1 1 ${n(-r * 2)} 0Z`,
      )
    }
    page.add(`<path d="${flakes.join('')}" fill="#ffffff" opacity="${opacity}"/>`)
  }
}

const drawLightning = (page: Page, random: Random, horizon: number) => {
  let [x, y] = [page.width * random.between(0.2, 0.8), 0]
  const [left, right]: [string[], string[]] = [[], []]
  let wide = 9
  while (y < horizon) {
    left.push(`${n(x - wide)} ${n(y)}`)
    right.unshift(`${n(x + wide)} ${n(y)}`)
    x += random.between(-46, 46)
    y += random.between(34, 74)
    wide *= 0.87
  }
  const glow = page.round([
    [0, '#f0f2ff', 0.5],
    [1, '#f0f2ff', 0],
  ])
  page.add(`<ellipse cx="${n(x)}" cy="${n(horizon * 0.4)}" rx="260" ry="${n(horizon * 0.6)}" fill="${glow}"/>`)
  page.add(`<path d="M${[...left, ...right].join('L')}Z" fill="#fdfbff"/>`)
}
