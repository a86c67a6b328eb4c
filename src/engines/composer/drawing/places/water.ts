import { lighten, mix } from '../../colour.js'
import { n } from '../page.js'
import { hillPath, scatter } from '../shapes.js'
import { lit, putScenery, type Stage } from '../stage.js'
import { drawGround, drawHills, drawTrees } from './land.js'

/** Water between two heights: the sky mirrored, ripples, and the path of the sun. */
export const drawWater = (stage: Stage, top: number, bottom: number, colour: string) => {
  const { page, setting, random: all } = stage
  const { light } = setting
  const own = setting.groundColour === undefined || setting.place !== 'sea' ? colour : setting.groundColour
  const fill = page.down([
    [0, mix(lit(stage, own), light.skyBottom, 0.5)],
    [0.3, mix(lit(stage, own), light.skyMiddle, 0.25)],
    [1, lit(stage, lighten(own, -0.1))],
  ])
  page.add(`<rect y="${n(top)}" width="${n(page.width)}" height="${n(bottom - top)}" fill="${fill}"/>`)
  const random = all.fork('ripples')
  const ripple = (reach: number) => (x: number, y: number, scale: number) => {
    const w = reach * scale * random.between(0.5, 1.3)
    return `M${n(x - w)} ${n(y)}Q${n(x)} ${n(y - 5 * scale)} ${n(x + w)} ${n(y)}Q${n(x)} ${n(y - 2 * scale)} ${n(x - w)} ${n(y)}Z`
  }
  const area = { left: -40, right: page.width + 40, far: top + 3, near: bottom }
  const number = Math.round((page.width * (bottom - top)) / 3600)
  page.add(
    `<path d="${scatter(random, number, area, ripple(46))}" fill="${lighten(light.skyBottom, 0.08)}" opacity=".34"/>`,
  )
  page.add(
    `<path d="${scatter(random, number, area, ripple(52))}" fill="${lit(stage, lighten(own, -0.2))}" opacity=".22"/>`,
  )
  const isSunny = setting.weather === 'clear'
  if (!isSunny) return
  const x = page.width * light.sunX
  const path = { left: x - 70, right: x + 70, far: top + 2, near: top + (bottom - top) * 0.8 }
  page.add(`<path d="${scatter(random, 70, path, ripple(38))}" fill="${light.sun}" opacity=".6"/>`)
}

const seaBlue = '#1f7fb8'

export const drawSea = (stage: Stage) => {
  const { page, plan, setting } = stage
  drawWater(stage, plan.horizon, page.height, setting.weather === 'storm' ? '#2f5266' : seaBlue)
  const random = stage.random.fork('waves')
  const isWild = setting.weather === 'storm'
  for (const [index, share] of [0.34, 0.62, 0.86].entries()) {
    const y = plan.horizon + (page.height - plan.horizon) * share
    const fill = page.down([
      [0, lit(stage, '#7fc4dd'), 0.4],
      [0.35, lit(stage, '#7fc4dd'), 0],
    ])
    const amplitude = (isWild ? 26 : 8) * (1 + index * 0.5)
    page.add(
      `<path d="${hillPath(random, { y, amplitude, waves: 3 - index * 0.5, width: page.width, bottom: page.height })}" fill="${fill}"/>`,
    )
  }
}

export const drawBeach = (stage: Stage) => {
  const { page, plan } = stage
  const shore = plan.water?.near ?? plan.horizon + 100
  const random = stage.random.fork('shore')
  const edge = (y: number, wave: ReturnType<typeof random.fork>) =>
    hillPath(wave, { y, amplitude: 9, waves: 1.1, width: page.width, bottom: page.height })
  drawWater(stage, plan.horizon, page.height, '#1f9fc0')
  // Foam, wet sand, dry sand: the same line three times, each a little lower.
  const lines: [number, string, number][] = [
    [shore, '#ffffff', 0.75],
    [shore + 14, lit(stage, '#c9a872'), 1],
  ]
  for (const [y, colour, opacity] of lines)
    page.add(`<path d="${edge(y, random.fork('line'))}" fill="${colour}" opacity="${opacity}"/>`)
  const sand = stage.setting.groundColour ?? '#f2d7a0'
  const fill = page.down([
    [0, lit(stage, sand)],
    [1, lit(stage, lighten(sand, -0.1))],
  ])
  page.add(`<path d="${edge(shore + 46, random.fork('line'))}" fill="${fill}"/>`)
  const grains = scatter(
    random,
    240,
    { left: 0, right: page.width, far: shore + 70, near: page.height },
    (x, y, scale) => {
      const r = 1.7 * scale
      return `M${n(x - r)} ${n(y)}h${n(r * 2)}v${n(r)}h${n(-r * 2)}Z`
    },
  )
  page.add(`<path d="${grains}" fill="${lit(stage, lighten(sand, -0.2))}" opacity=".5"/>`)
  const side = random.chance(0.5)
  const tall = Math.min(430, plan.horizon * 0.95)
  putScenery(
    stage,
    'palm-tree',
    { x: page.width * (side ? 0.08 : 0.92), foot: shore + 120, height: tall, isFlipped: side },
    0,
  )
  putScenery(
    stage,
    'palm-tree',
    { x: page.width * (side ? 0.19 : 0.81), foot: shore + 84, height: tall * 0.72, isFlipped: !side },
    0.1,
  )
  putScenery(stage, 'spiral-shell', { x: page.width * (side ? 0.84 : 0.16), foot: page.height - 40, height: 42 }, 0)
}

export const drawLake = (stage: Stage) => {
  const { page, plan } = stage
  drawHills(stage, '#5b8f63', 4, 84)
  drawTrees(stage, ['evergreen-tree', 'deciduous-tree'], [{ far: 0.4, number: 14, height: 66, foot: plan.horizon + 6 }])
  drawWater(stage, plan.horizon, page.height, '#2f86ad')
  const shore = plan.water?.near ?? plan.horizon + 120
  const bank = { ...stage, plan: { ...plan, horizon: shore } }
  const own = drawGround(bank, '#6aa84b', { isRolling: true, haze: 0.05 })
  const random = stage.random.fork('bank')
  const blades = scatter(
    random,
    200,
    { left: 0, right: page.width, far: shore + 20, near: page.height },
    (x, y, scale) => {
      const h = 22 * scale
      return `M${n(x - 2)} ${n(y)}L${n(x + random.between(-5, 5))} ${n(y - h)}L${n(x + 2)} ${n(y)}Z`
    },
  )
  page.add(`<path d="${blades}" fill="${lit(stage, lighten(own, -0.08))}" opacity=".8"/>`)
}

export const drawUnderwater = (stage: Stage) => {
  const { page, setting, random: all } = stage
  const random = all.fork('deep')
  const isDark = setting.time === 'night'
  const fill = page.down([
    [0, isDark ? '#14496e' : '#4fd0dc'],
    [0.4, isDark ? '#0d3157' : '#1b92c0'],
    [1, isDark ? '#061428' : '#0b3a70'],
  ])
  page.add(`<rect width="${n(page.width)}" height="${n(page.height)}" fill="${fill}"/>`)
  for (let index = 0; index < 7; index++) {
    const x = page.width * random.between(-0.05, 1.05)
    const [wide, lean] = [random.between(24, 90), random.between(60, 240)]
    const ray = page.down([
      [0, '#e8fffb', isDark ? 0.1 : 0.3],
      [1, '#e8fffb', 0],
    ])
    page.add(
      `<path d="M${n(x)} -5h${n(wide)}l${n(lean + wide * 2)} ${n(page.height * 0.85)}h${n(-wide * 4)}Z" fill="${ray}"/>`,
    )
  }
  const floorY = page.height * 0.88
  for (const [index, colour] of ['#1c5d86', '#2d6f86', '#c9b483'].entries()) {
    const y = floorY - 70 + index * 48
    const shade = isDark ? mix(colour, '#061428', 0.6) : mix(colour, '#1b7fae', 0.32 - index * 0.1)
    page.add(
      `<path d="${hillPath(random, { y, amplitude: 24, waves: 1.2, width: page.width, bottom: page.height })}" fill="${shade}"/>`,
    )
  }
  drawWeed(stage, floorY + 60)
  const number = Math.max(3, Math.round((page.width / 1000) * 4))
  for (let index = 0; index < number; index++) {
    const x = ((index + random.between(0.1, 0.9)) / number) * page.width
    putScenery(
      stage,
      'coral',
      { x, foot: page.height - random.between(4, 40), height: random.between(70, 130), isFlipped: random.chance(0.5) },
      0,
    )
  }
  for (let index = 0; index < 34; index++) {
    const r = 2 + random.next() ** 3 * 13
    page.add(
      `<circle cx="${n(random.between(0, page.width))}" cy="${n(random.between(0, page.height * 0.9))}" r="${n(r)}" fill="#ffffff" fill-opacity=".12" stroke="#e6ffff" stroke-opacity=".5" stroke-width="1.4"/>`,
    )
  }
}

const drawWeed = ({ page, random: all }: Stage, foot: number) => {
  const random = all.fork('weed')
  for (let index = 0; index < Math.round(page.width / 60); index++) {
    const x = random.between(0, page.width)
    const [h, w] = [random.between(60, 190), random.between(5, 10)]
    const s = random.between(14, 30)
    const colour = random.pick(['#1f8f6a', '#2aa26e', '#177a6a'])
    page.add(
      `<path d="M${n(x - w)} ${n(foot)}C${n(x - w - s)} ${n(foot - h * 0.35)} ${n(x + s)} ${n(foot - h * 0.6)} ${n(x)} ${n(foot - h)}C${n(x + s + w)} ${n(foot - h * 0.55)} ${n(x - s + w)} ${n(foot - h * 0.3)} ${n(x + w)} ${n(foot)}Z" fill="${colour}" opacity=".75"/>`,
    )
  }
}
