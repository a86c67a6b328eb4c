import { lighten, mix } from '../colour.js'
import type { Random } from '../random.js'
import { n, type Page } from './page.js'
import { cloudPath } from './shapes.js'
import type { Stage } from './stage.js'

/** The sky with all that belongs to it, down to the horizon and a little below. */
export const drawSky = (stage: Stage) => {
  const { page, plan, setting, random } = stage
  const { light, time, weather, features } = setting
  const bottom = Math.min(page.height, plan.horizon + 60)
  const fill = page.down([
    [0, light.skyTop],
    [0.62, light.skyMiddle],
    [1, light.skyBottom],
  ])
  page.add(`<rect width="${n(page.width)}" height="${n(bottom)}" fill="${fill}"/>`)
  const isCovered = weather === 'rain' || weather === 'storm' || weather === 'cloudy' || weather === 'snow'
  if (features.has('stars') && !isCovered)
    drawStars(page, random.fork('stars'), plan.horizon, Math.round((page.width * plan.horizon) / 4200))
  if (features.has('aurora')) drawAurora(page, random.fork('aurora'), plan.horizon)
  if (!isCovered || features.has('sun') || features.has('moon')) drawSunOrMoon(stage)
  if (features.has('rainbow')) drawRainbow(page, random.fork('rainbow'), plan.horizon)
  if (setting.hasClouds) drawClouds(stage, isCovered ? 'many' : time === 'night' ? 'few' : 'some')
}

export const drawStars = (page: Page, random: Random, bottom: number, number: number) => {
  const dots: Record<'faint' | 'clear', string[]> = { faint: [], clear: [] }
  for (let index = 0; index < Math.min(number, 700); index++) {
    const radius = 0.7 + random.next() ** 4 * 2.6
    const [x, y] = [random.between(0, page.width), random.next() ** 1.3 * bottom]
    dots[radius < 1.5 ? 'faint' : 'clear'].push(
      `M${n(x - radius)} ${n(y)}a${n(radius)} ${n(radius)} 0 1 1 ${n(radius * 2)} 0a${n(radius)} ${n(radius)} 0 1 1 ${n(-radius * 2)} 0Z`,
    )
  }
  page.add(
    `<path fill="#ffffff" opacity=".6" d="${dots.faint.join('')}"/><path fill="#fffbe8" opacity=".95" d="${dots.clear.join('')}"/>`,
  )
}

const drawSunOrMoon = ({ page, plan, setting: { light, time, features } }: Stage) => {
  const isMoon = features.has('moon') || (time === 'night' && !features.has('sun'))
  const [x, y] = [page.width * light.sunX, plan.horizon * light.sunY]
  const radius = isMoon ? 52 : time === 'day' ? 50 : 74
  const reach = radius * (time === 'day' ? 6 : 8)
  const glow = page.round([
    [0, light.sun, isMoon ? 0.5 : 0.95],
    [0.22, light.sun, isMoon ? 0.2 : 0.45],
    [1, light.sun, 0],
  ])
  page.add(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(reach)}" fill="${glow}"/>`)
  const disc = page.round([
    [0, lighten(light.sun, 0.06)],
    [1, light.sun],
  ])
  page.add(`<circle cx="${n(x)}" cy="${n(y)}" r="${radius}" fill="${disc}"/>`)
  if (!isMoon) return
  const craters = [
    [-0.35, -0.2, 0.22],
    [0.28, 0.12, 0.28],
    [-0.12, 0.46, 0.16],
    [0.3, -0.44, 0.13],
    [-0.55, 0.24, 0.11],
  ] as const
  for (const [dx, dy, r] of craters)
    page.add(
      `<circle cx="${n(x + dx * radius)}" cy="${n(y + dy * radius)}" r="${n(r * radius)}" fill="#b9b7b0" opacity=".32"/>`,
    )
}

const drawClouds = (
  { page, plan, setting: { light, time, weather }, random: all }: Stage,
  amount: 'few' | 'some' | 'many',
) => {
  const random = all.fork('clouds')
  const density = { few: 1.6, some: 3.6, many: 9 }[amount]
  const number = Math.round(density * Math.sqrt(page.width / 1000) * random.between(0.8, 1.3))
  const bright =
    weather === 'storm' ? '#5a6274' : weather === 'rain' ? '#9aa5b1' : time === 'night' ? '#5b6ea8' : '#ffffff'
  for (let index = 0; index < number; index++) {
    const depth = (index + 0.5) / number
    const y = plan.horizon * (0.78 - depth * 0.68) * random.between(0.9, 1.1)
    const width = (130 + depth * 240) * random.between(0.7, 1.35)
    const top = mix(bright, light.skyMiddle, 0.16)
    const fill = page.down([
      [0, top, amount === 'many' ? 0.95 : 0.92],
      [1, mix(top, light.skyBottom, 0.75), amount === 'many' ? 0.8 : 0.5],
    ])
    const x = random.between(-0.05, 1.05) * page.width
    // A cloud before the moon would hide it, and a prompt may have asked for it.
    const isBefore =
      Math.abs(x - page.width * light.sunX) < width * 0.62 && Math.abs(y - plan.horizon * light.sunY) < width * 0.4
    if (isBefore && amount !== 'many') continue
    page.add(`<path fill="${fill}" d="${cloudPath(random, x, y, width)}"/>`)
  }
}

const drawRainbow = (page: Page, random: Random, horizon: number) => {
  const x = page.width * random.between(0.35, 0.65)
  const radius = Math.min(page.width * 0.48, horizon * 0.86)
  const bands = ['#e8413c', '#f58a2c', '#f9d94a', '#4fb457', '#3f8fe0', '#5a4fc0', '#8e4fc0']
  const width = radius * 0.035
  const arcs = bands.map((colour, index) => {
    const r = radius - index * width
    return `<path d="M${n(x - r)} ${n(horizon)}A${n(r)} ${n(r)} 0 0 1 ${n(x + r)} ${n(horizon)}" fill="none" stroke="${colour}" stroke-width="${n(width + 0.6)}"/>`
  })
  page.add(`<g opacity=".62">${arcs.join('')}</g>`)
}

const drawAurora = (page: Page, random: Random, horizon: number) => {
  const colours = ['#43f0a5', '#3fd8c8', '#7a6cf0', '#c45fe0']
  for (let index = 0; index < 4; index++) {
    const base = horizon * random.between(0.35, 0.7)
    const tall = horizon * random.between(0.3, 0.5)
    const waves = [random.between(0.6, 1.4), random.between(0, 6)] as const
    const points: [number, number][] = []
    for (let step = 0; step <= 40; step++) {
      const share = step / 40
      points.push([
        share * page.width,
        base + Math.sin(share * waves[0] * 6.28 + waves[1]) * 70 + Math.sin(share * 9 + waves[1]) * 18,
      ])
    }
    const lower = points.map(([x, y]) => `${n(x)} ${n(y)}`)
    const upper = points.map(([x, y]) => `${n(x)} ${n(y - tall)}`).reverse()
    const colour = colours[index % colours.length] as string
    const fill = page.down([
      [0, colour, 0],
      [0.7, colour, 0.32],
      [0.9, colour, 0.46],
      [1, colour, 0],
    ])
    page.add(`<path d="M${lower.join('L')}L${upper.join('L')}Z" fill="${fill}"/>`)
  }
}
