import { mix } from '../../colour.js'
import { n } from '../page.js'
import { cloudPath } from '../shapes.js'
import { drawStars } from '../sky.js'
import { putScenery, type Stage } from '../stage.js'

/** Between the stars: clouds of gas, a band of stars, far planets. */
export const drawSpace = (stage: Stage) => {
  const { page, random: all } = stage
  const random = all.fork('space')
  const [deep, first, second] = random.pick([
    ['#070818', '#5a2d8f', '#1f6fae'],
    ['#050b1c', '#0f6f86', '#7a2f7d'],
    ['#0a0716', '#9a3a5a', '#3a3f9f'],
  ] as const)
  page.add(
    `<rect width="${n(page.width)}" height="${n(page.height)}" fill="${page.down([
      [0, deep],
      [1, mix(deep, first, 0.25)],
    ])}"/>`,
  )
  for (let index = 0; index < 9; index++) {
    const colour = index % 2 === 0 ? first : second
    const share = index / 8
    const x = page.width * (share + random.between(-0.15, 0.15))
    const y = page.height * (0.78 - share * 0.55 + random.between(-0.14, 0.14))
    const r = random.between(220, 460)
    const glow = page.round([
      [0, mix(colour, '#ffffff', 0.12), 0.5],
      [0.5, colour, 0.22],
      [1, colour, 0],
    ])
    page.add(`<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(r * 1.3)}" ry="${n(r)}" fill="${glow}"/>`)
  }
  drawStars(page, random.fork('stars'), page.height * 1.02, Math.round((page.width * page.height) / 2600))
  for (let index = 0; index < 9; index++) {
    const [x, y, r] = [random.between(0, page.width), random.between(0, page.height), random.between(9, 20)]
    page.add(
      `<path d="M${n(x)} ${n(y - r)}Q${n(x)} ${n(y)} ${n(x + r)} ${n(y)}Q${n(x)} ${n(y)} ${n(x)} ${n(y + r)}Q${n(x)} ${n(y)} ${n(x - r)} ${n(y)}Q${n(x)} ${n(y)} ${n(x)} ${n(y - r)}Z" fill="#ffffff" opacity=".9"/>`,
    )
  }
  drawPlanet(stage)
  putScenery(
    stage,
    'ringed-planet',
    { x: page.width * random.between(0.1, 0.28), foot: page.height * random.between(0.2, 0.32), height: 96 },
    0,
  )
}

const drawPlanet = ({ page, random: all }: Stage) => {
  const random = all.fork('planet')
  const isRight = random.chance(0.5)
  const r = random.between(240, 380)
  const [x, y] = [page.width * (isRight ? 0.95 : 0.05), page.height * random.between(0.88, 1.02)]
  const [light, dark] = random.pick([
    ['#f0b27a', '#7a3f2a'],
    ['#8fd0e8', '#1f4a7a'],
    ['#c9a3f0', '#4a2f7a'],
  ] as const)
  const air = page.round([
    [0.8, light, 0.45],
    [1, light, 0],
  ])
  const body = page.round([
    [0, light],
    [0.7, mix(light, dark, 0.45)],
    [1, dark],
  ])
  page.add(
    `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r * 1.16)}" fill="${air}"/><circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${body}"/>`,
  )
  for (const [dx, dy, size] of [
    [-0.3, -0.5, 0.16],
    [0.25, -0.6, 0.1],
    [0.05, -0.25, 0.2],
    [-0.55, -0.1, 0.12],
  ] as const)
    page.add(
      `<ellipse cx="${n(x + dx * r)}" cy="${n(y + dy * r)}" rx="${n(size * r)}" ry="${n(size * r * 0.8)}" fill="${dark}" opacity=".28"/>`,
    )
}

/** High up: a sea of clouds below. */
export const drawOpenSky = (stage: Stage) => {
  const { page, setting, random: all } = stage
  if (!setting.hasClouds) return
  const random = all.fork('sea of clouds')
  const { light } = setting
  for (const [row, share] of [0.78, 0.87, 0.97].entries()) {
    const number = Math.round((page.width / 1000) * 4) + 2
    for (let index = 0; index < number; index++) {
      const x = ((index + random.between(-0.2, 0.8)) / (number - 1)) * page.width
      const top = mix('#ffffff', light.skyMiddle, setting.time === 'night' ? 0.75 : 0.28 - row * 0.08)
      const fill = page.down([
        [0, top],
        [1, mix(top, light.skyBottom, 0.8), 0.9],
      ])
      page.add(
        `<path d="${cloudPath(random, x, page.height * share + random.between(-10, 20), random.between(300, 520))}" fill="${fill}"/>`,
      )
    }
  }
}
