import { lighten, mix } from '../../colour.js'
import type { Random } from '../../random.js'
import { n } from '../page.js'
import { hazy, lit, putScenery, type Stage } from '../stage.js'
import { drawGround, drawHills, drawTrees } from './land.js'

/** A row of houses as high as `tall`; windows are lit when it is dark. */
const drawSkyline = (stage: Stage, random: Random, tall: number, far: number) => {
  const { page, plan, setting } = stage
  const isDark = setting.time === 'night' || setting.time === 'sunset'
  let x = -random.between(0, 60)
  const [windows, houses]: [string[], string[]] = [[], []]
  while (x < page.width) {
    const width = random.between(54, 128)
    const height = tall * random.between(0.45, 1)
    const top = plan.horizon - height
    houses.push(`M${n(x)} ${n(plan.horizon + 4)}V${n(top)}h${n(width)}V${n(plan.horizon + 4)}Z`)
    if (random.chance(0.35))
      houses.push(`M${n(x + width * 0.25)} ${n(top + 1)}v${n(-height * 0.1)}h${n(width * 0.5)}v${n(height * 0.1)}Z`)
    if (random.chance(0.25))
      houses.push(`M${n(x + width / 2 - 2)} ${n(top)}v${n(-height * 0.22)}h4v${n(height * 0.22)}Z`)
    const columns = Math.max(2, Math.floor(width / 20))
    const pitch = width / columns
    for (let row = 0; row < Math.floor(height / 26) - 1; row++)
      for (let column = 0; column < columns; column++)
        if (random.chance(isDark ? 0.5 : 0.75))
          windows.push(
            `M${n(x + pitch * (column + 0.25))} ${n(top + 14 + row * 26)}h${n(pitch * 0.5)}v12h${n(-pitch * 0.5)}Z`,
          )
    x += width + random.between(-6, 14)
  }
  const colour = random.pick(['#5f7090', '#6d6a8f', '#587b8f'])
  const fill = page.down([
    [0, hazy(stage, lighten(colour, (far - 0.6) * 0.3), far)],
    [1, hazy(stage, lighten(colour, 0.05), Math.min(0.95, far + 0.2))],
  ])
  page.add(`<path d="${houses.join('')}" fill="${fill}"/>`)
  const glass = isDark ? mix('#ffd98a', setting.light.skyBottom, far * 0.7) : hazy(stage, '#c9e2f2', far)
  page.add(`<path d="${windows.join('')}" fill="${glass}" opacity="${isDark ? 0.9 : 0.55}"/>`)
}

export const drawCity = (stage: Stage) => {
  const { page, plan } = stage
  const random = stage.random.fork('city')
  const tall = Math.min(plan.horizon * 0.72, 560)
  if (stage.setting.time === 'night') {
    const glow = page.down([
      [0, '#e0568f', 0],
      [1, '#f08a6a', 0.5],
    ])
    page.add(
      `<rect y="${n(plan.horizon * 0.35)}" width="${n(page.width)}" height="${n(plan.horizon * 0.65)}" fill="${glow}"/>`,
    )
  }
  drawSkyline(stage, random.fork('far'), tall, 0.62)
  drawSkyline(stage, random.fork('middle'), tall * 0.76, 0.38)
  drawSkyline(stage, random.fork('near'), tall * 0.48, 0.12)
  const deep = page.height - plan.horizon
  page.add(
    `<rect y="${n(plan.horizon)}" width="${n(page.width)}" height="${n(deep)}" fill="${page.down([
      [0, lit(stage, '#a7abb3')],
      [1, lit(stage, '#8e929b')],
    ])}"/>`,
  )
  const road = page.down([
    [0, lit(stage, '#5a5f6a')],
    [1, lit(stage, '#454953')],
  ])
  const [top, bottom] = [plan.horizon + deep * 0.2, page.height - deep * 0.06]
  page.add(`<rect y="${n(top)}" width="${n(page.width)}" height="${n(bottom - top)}" fill="${road}"/>`)
  page.add(`<rect y="${n(top - 4)}" width="${n(page.width)}" height="5" fill="${lit(stage, '#c6c9ce')}"/>`)
  drawLamps(stage, top - 3, Math.min(230, plan.horizon * 0.4))
  const dashes: string[] = []
  for (let x = -20; x < page.width; x += 130) dashes.push(`M${n(x)} ${n((top + bottom) / 2)}h70v7h-74Z`)
  page.add(`<path d="${dashes.join('')}" fill="${lit(stage, '#f2ead2')}" opacity=".8"/>`)
}

/** Lamps along the street; at night they shine. */
const drawLamps = ({ page, setting }: Stage, foot: number, tall: number) => {
  const isOn = setting.time === 'night' || setting.time === 'sunset' || setting.weather === 'storm'
  const glow = page.round([
    [0, '#ffe3a0', 0.85],
    [0.25, '#ffd27a', 0.35],
    [1, '#ffb84a', 0],
  ])
  const number = Math.max(2, Math.round(page.width / 420))
  for (let index = 0; index < number; index++) {
    const x = ((index + 0.5) / number) * page.width
    const top = foot - tall
    page.add(
      `<path d="M${n(x - 3)} ${n(foot)}V${n(top)}q0 -16 16 -16h22v6h-20q-10 0 -10 12V${n(foot)}Z" fill="#2c303a"/><ellipse cx="${n(x + 36)}" cy="${n(top - 10)}" rx="14" ry="7" fill="${isOn ? '#fff0c0' : '#c8ccd2'}"/>`,
    )
    if (isOn)
      page.add(
        `<circle cx="${n(x + 36)}" cy="${n(top - 8)}" r="120" fill="${glow}"/><ellipse cx="${n(x + 36)}" cy="${n(foot + 30)}" rx="130" ry="26" fill="${glow}" opacity=".6"/>`,
      )
  }
}

export const drawRoad = (stage: Stage) => {
  const { page, plan } = stage
  drawHills(stage, '#6f9d5a', 4, 78)
  drawTrees(
    stage,
    ['deciduous-tree', 'evergreen-tree'],
    [{ far: 0.35, number: 7, height: 92, foot: plan.horizon + 14 }],
  )
  drawGround(stage, '#79a857', { isRolling: true })
  const deep = page.height - plan.horizon
  const [top, bottom] = [plan.horizon + deep * 0.3, page.height - deep * 0.1]
  const road = page.down([
    [0, lit(stage, '#6b6f78')],
    [1, lit(stage, '#4f525b')],
  ])
  page.add(`<rect y="${n(top)}" width="${n(page.width)}" height="${n(bottom - top)}" fill="${road}"/>`)
  for (const y of [top + 5, bottom - 12])
    page.add(`<rect y="${n(y)}" width="${n(page.width)}" height="5" fill="${lit(stage, '#f4f1e6')}" opacity=".85"/>`)
  const dashes: string[] = []
  for (let x = -30; x < page.width; x += 150) dashes.push(`M${n(x)} ${n((top + bottom) / 2 - 4)}h84v9h-90Z`)
  page.add(`<path d="${dashes.join('')}" fill="${lit(stage, '#f7d774')}"/>`)
}

export const drawVillage = (stage: Stage) => {
  const { page, plan } = stage
  drawHills(stage, '#79a857', 4, 70)
  const random = stage.random.fork('houses')
  const number = Math.max(3, Math.round((page.width / 1000) * 5))
  for (let index = 0; index < number; index++) {
    const x = ((index + random.between(0.2, 0.8)) / number) * page.width
    putScenery(
      stage,
      random.pick(['house', 'house-with-garden', 'deciduous-tree', 'house', 'church']),
      { x, foot: plan.horizon + 16, height: random.between(90, 130) },
      0.3,
    )
  }
  drawGround(stage, '#7fb055', { isRolling: true })
}

const walls = ['#e9dcc6', '#cfdcd6', '#e8cfc4', '#cdd6e6', '#dfe0c8']

export const drawRoom = (stage: Stage) => {
  const { page, plan, setting } = stage
  const random = stage.random.fork('room')
  const wall = setting.groundColour ?? random.pick(walls)
  page.add(
    `<rect width="${n(page.width)}" height="${n(plan.horizon + 2)}" fill="${page.down([
      [0, lit(stage, lighten(wall, -0.05))],
      [1, lit(stage, wall)],
    ])}"/>`,
  )
  drawWindow(stage, random)
  page.add(`<rect y="${n(plan.horizon - 20)}" width="${n(page.width)}" height="22" fill="${lit(stage, '#fbf7ee')}"/>`)
  const wood = '#b98452'
  page.add(
    `<rect y="${n(plan.horizon)}" width="${n(page.width)}" height="${n(page.height - plan.horizon)}" fill="${page.down([
      [0, lit(stage, lighten(wood, -0.05))],
      [1, lit(stage, lighten(wood, 0.03))],
    ])}"/>`,
  )
  const boards: string[] = []
  const centre = page.width / 2
  for (let x = -page.width; x < page.width * 2; x += 120)
    boards.push(
      `M${n(centre + (x - centre) * 0.6)} ${n(plan.horizon)}L${n(x)} ${n(page.height)}h3L${n(centre + (x - centre) * 0.6 + 2)} ${n(plan.horizon)}Z`,
    )
  page.add(`<path d="${boards.join('')}" fill="${lit(stage, '#7d5330')}" opacity=".5"/>`)
  const rug = random.pick(['#b8504a', '#4a6fa5', '#5c8a6a', '#8a5a92'])
  const [cy, deep] = [(plan.horizon + page.height) / 2 + 20, page.height - plan.horizon]
  for (const [scale, colour] of [
    [1, rug],
    [0.86, lighten(rug, 0.14)],
    [0.8, rug],
  ] as const)
    page.add(
      `<ellipse cx="${n(centre)}" cy="${n(cy)}" rx="${n(page.width * 0.38 * scale)}" ry="${n(deep * 0.36 * scale)}" fill="${lit(stage, colour)}"/>`,
    )
}

const drawWindow = ({ page, plan, setting: { light, features } }: Stage, random: Random) => {
  const [w, h] = [Math.min(300, page.width * 0.3), Math.min(330, plan.horizon * 0.52)]
  const [x, y] = [
    page.width * (random.chance(0.5) ? 0.1 : 0.9) - (random.chance(0.5) ? 0 : w * 0.2),
    plan.horizon * 0.16,
  ]
  const left = Math.min(page.width - w - 50, Math.max(50, x - w / 2))
  const pane = page.down([
    [0, light.skyTop],
    [1, light.skyBottom],
  ])
  page.add(
    `<rect x="${n(left - 14)}" y="${n(y - 14)}" width="${n(w + 28)}" height="${n(h + 28)}" rx="6" fill="#fdfaf3"/>`,
  )
  page.add(`<rect x="${n(left)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="${pane}"/>`)
  page.add(
    `<circle cx="${n(left + w * 0.7)}" cy="${n(y + h * 0.28)}" r="22" fill="${light.sun}" opacity="${features.has('stars') ? 0.95 : 0.8}"/>`,
  )
  page.add(
    `<path d="M${n(left + w / 2 - 5)} ${n(y)}h10v${n(h)}h-10ZM${n(left)} ${n(y + h / 2 - 5)}h${n(w)}v10h${n(-w)}Z" fill="#fdfaf3"/>`,
  )
  page.add(`<rect x="${n(left - 26)}" y="${n(y + h + 12)}" width="${n(w + 52)}" height="16" rx="4" fill="#efe8da"/>`)
}

/** A table before a wall, as near as those who sit at it see it. */
export const drawTable = (stage: Stage) => {
  const { page, plan, setting } = stage
  const random = stage.random.fork('table')
  const wall = random.pick(walls)
  page.add(
    `<rect width="${n(page.width)}" height="${n(page.height)}" fill="${page.down([
      [0, lit(stage, lighten(wall, -0.09))],
      [1, lit(stage, wall)],
    ])}"/>`,
  )
  drawWindow(stage, random)
  const glow = page.round([
    [0, '#fff3d6', 0.55],
    [1, '#fff3d6', 0],
  ])
  page.add(
    `<ellipse cx="${n(page.width / 2)}" cy="${n(plan.horizon * 0.8)}" rx="${n(page.width * 0.6)}" ry="${n(plan.horizon * 0.6)}" fill="${glow}"/>`,
  )
  const wood = setting.groundColour ?? random.pick(['#b87f4c', '#9c6a42', '#c99a66'])
  const [top, edge] = [plan.horizon - 10, page.height * 0.955]
  page.add(
    `<rect y="${n(top)}" width="${n(page.width)}" height="${n(page.height - top)}" fill="${page.down([
      [0, lit(stage, lighten(wood, 0.05))],
      [1, lit(stage, lighten(wood, -0.05))],
    ])}"/>`,
  )
  const fibres: string[] = []
  for (let index = 0; index < 26; index++) {
    const y = top + 6 + random.next() ** 0.8 * (edge - top)
    const [x, length] = [random.between(-0.1, 0.9) * page.width, random.between(0.2, 0.7) * page.width]
    fibres.push(`M${n(x)} ${n(y)}q${n(length / 2)} ${n(random.between(-7, 7))} ${n(length)} 0`)
  }
  page.add(
    `<path d="${fibres.join('')}" fill="none" stroke="${lit(stage, lighten(wood, -0.16))}" stroke-width="2" opacity=".4"/>`,
  )
  page.add(
    `<rect y="${n(edge)}" width="${n(page.width)}" height="${n(page.height - edge)}" fill="${lit(stage, lighten(wood, -0.14))}"/>`,
  )
}

const backdrops = ['#f3c9a8', '#bcd9d0', '#c7cfee', '#f0d58f', '#efbfc7', '#cfe3b8', '#b9d7ec']

/** Nothing but paper that bends from wall to floor, as photographers have it. */
export const drawStudio = (stage: Stage) => {
  const { page, plan, setting } = stage
  const colour = setting.groundColour ?? stage.random.fork('paper').pick(backdrops)
  const dark = setting.time === 'night' ? -0.35 : 0
  page.add(
    `<rect width="${n(page.width)}" height="${n(page.height)}" fill="${page.down([
      [0, lighten(colour, dark - 0.06)],
      [plan.horizon / page.height - 0.08, lighten(colour, dark + 0.02)],
      [plan.horizon / page.height + 0.06, lighten(colour, dark + 0.06)],
      [1, lighten(colour, dark - 0.02)],
    ])}"/>`,
  )
  const glow = page.round([
    [0, '#ffffff', 0.5],
    [1, '#ffffff', 0],
  ])
  page.add(
    `<ellipse cx="${n(page.width / 2)}" cy="${n(plan.horizon * 0.72)}" rx="${n(page.width * 0.62)}" ry="${n(plan.horizon * 0.75)}" fill="${glow}"/>`,
  )
}
