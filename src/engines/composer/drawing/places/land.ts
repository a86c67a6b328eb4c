import { lighten, mix } from '../../colour.js'
import { n } from '../page.js'
import { closed, hillPath, peakLine, scatter } from '../shapes.js'
import { hazy, lit, putScenery, type Stage } from '../stage.js'

/** Hills, one behind the other, each with more air before it. */
export const drawHills = (stage: Stage, colour: string, layers: number, amplitude: number) => {
  const { page, plan } = stage
  const random = stage.random.fork('hills')
  for (let index = 0; index < layers; index++) {
    const far = 1 - (index + 1) / (layers + 1)
    const y = plan.horizon - amplitude * 0.55 * far * layers * 0.5 + 6
    const base = mix(colour, '#4a6fa5', far * 0.35)
    const fill = page.down([
      [0, hazy(stage, lighten(base, 0.04), far * 0.75)],
      [1, hazy(stage, base, Math.min(0.9, far * 0.75 + 0.18))],
    ])
    const path = hillPath(random, {
      y,
      amplitude: amplitude * (0.4 + 0.4 * far),
      waves: 0.8 + far * 1.2,
      width: page.width,
      bottom: plan.horizon + 90,
    })
    page.add(`<path d="${path}" fill="${fill}"/>`)
  }
}

/** The ground, with a soft edge at the horizon and marks that grow towards the viewer. */
export const drawGround = (stage: Stage, colour: string, options: { isRolling?: boolean; haze?: number } = {}) => {
  const { page, plan, setting } = stage
  const natural = setting.weather === 'snow' ? mix(colour, '#f4f8fc', 0.86) : colour
  const own = setting.groundColour === undefined ? natural : mix(natural, setting.groundColour, 0.85)
  const fill = page.down([
    [0, hazy(stage, lighten(own, 0.05), options.haze ?? 0.3)],
    [0.35, lit(stage, own)],
    [1, lit(stage, lighten(own, -0.13))],
  ])
  const random = stage.random.fork('ground')
  const path = options.isRolling
    ? hillPath(random, { y: plan.horizon + 14, amplitude: 14, waves: 0.9, width: page.width, bottom: page.height })
    : `M0 ${n(plan.horizon)}H${n(page.width)}V${n(page.height)}H0Z`
  page.add(`<path d="${path}" fill="${fill}"/>`)
  return own
}

const drawGrass = (stage: Stage, colour: string, number = 260) => {
  const { page, plan } = stage
  const random = stage.random.fork('grass')
  const area = { left: 0, right: page.width, far: plan.horizon + 34, near: page.height + 8 }
  for (const lighter of [-0.07, 0.07]) {
    const blades = scatter(random, Math.round((number * page.width) / 1000), area, (x, y, scale) => {
      const [h, w] = [18 * scale * random.between(0.6, 1.2), 2.4 * scale]
      const lean = random.between(-7, 7) * scale
      return `M${n(x - w)} ${n(y)}Q${n(x)} ${n(y - h * 0.6)} ${n(x + lean)} ${n(y - h)}Q${n(x + w)} ${n(y - h * 0.5)} ${n(x + w)} ${n(y)}Z`
    })
    page.add(`<path d="${blades}" fill="${lit(stage, lighten(colour, lighter))}" opacity=".75"/>`)
  }
}

const drawFlowers = (stage: Stage, number: number) => {
  const { page, plan } = stage
  const random = stage.random.fork('flowers')
  const area = { left: 0, right: page.width, far: plan.horizon + 40, near: page.height }
  const dot = (x: number, y: number, r: number) =>
    `M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 1 ${n(r * 2)} 0a${n(r)} ${n(r)} 0 1 1 ${n(-r * 2)} 0Z`
  for (const colour of ['#fff6f0', '#ffd84a', '#f58fb4', '#b58af0']) {
    const path = scatter(random, number, area, (x, y, scale) => {
      const r = 3.4 * scale
      return [0, 1, 2, 3, 4]
        .map((petal) => dot(x + Math.cos(petal * 1.2566) * r, y + Math.sin(petal * 1.2566) * r * 0.7, r * 0.72))
        .join('')
    })
    page.add(`<path d="${path}" fill="${lit(stage, colour)}" opacity=".9"/>`)
  }
}

/** Trees at the horizon, or a wall of them. */
export const drawTrees = (
  stage: Stage,
  icons: string[],
  rows: { far: number; number: number; height: number; foot: number }[],
) => {
  const { page } = stage
  const random = stage.random.fork('trees')
  for (const { far, number, height, foot } of rows) {
    const count = Math.max(1, Math.round((number * page.width) / 1000))
    for (let index = 0; index < count; index++) {
      const x = ((index + random.between(0.1, 0.9)) / count) * page.width
      putScenery(
        stage,
        random.pick(icons),
        {
          x,
          foot: foot + random.between(-6, 8),
          height: height * random.between(0.75, 1.2),
          isFlipped: random.chance(0.5),
        },
        far,
      )
    }
  }
}

const grassColours = ['#6fb544', '#86b83f', '#58a852']

export const drawField = (stage: Stage) => {
  const colour = stage.random.fork('green').pick(grassColours)
  drawHills(stage, colour, 3, 46)
  drawTrees(
    stage,
    ['deciduous-tree', 'deciduous-tree', 'evergreen-tree'],
    [{ far: 0.4, number: 6, height: 74, foot: stage.plan.horizon + 12 }],
  )
  const own = drawGround(stage, colour, { isRolling: true })
  drawGrass(stage, own)
  drawFlowers(stage, 22)
}

export const drawHillCountry = (stage: Stage) => {
  const colour = stage.random.fork('green').pick(grassColours)
  drawHills(stage, colour, 5, 92)
  const own = drawGround(stage, colour, { isRolling: true })
  drawGrass(stage, own)
}

export const drawMountains = (stage: Stage) => {
  const { page, plan, setting } = stage
  const random = stage.random.fork('peaks')
  const tall = Math.min(plan.horizon * 0.66, 520)
  for (const [index, far] of [0.72, 0.48, 0.22].entries()) {
    const ridge = {
      y: plan.horizon + 10,
      amplitude: tall * (1 - index * 0.24),
      waves: (2.2 + index) * Math.max(1, page.width / 1300),
      width: page.width,
      bottom: plan.horizon + 40,
    }
    const line = peakLine(random, ridge)
    const fill = page.down([
      [0, hazy(stage, '#5d6f8f', far)],
      [1, hazy(stage, '#7f92ad', Math.min(0.92, far + 0.25))],
    ])
    page.add(`<path d="${closed(line, page.width, plan.horizon + 60)}" fill="${fill}"/>`)
    if (index < 2) drawSnowCaps(stage, line, ridge.y - ridge.amplitude * 0.56, far)
  }
  drawTrees(
    stage,
    ['evergreen-tree'],
    [
      { far: 0.5, number: 16, height: 60, foot: plan.horizon + 10 },
      { far: 0.25, number: 10, height: 92, foot: plan.horizon + 26 },
    ],
  )
  const isWhite = setting.weather === 'snow'
  const own = drawGround(stage, isWhite ? '#e9f1f8' : '#6f9e52', { isRolling: true })
  if (!isWhite) drawGrass(stage, own, 180)
}

/** Snow lies above a height, with a ragged lower edge. */
const drawSnowCaps = (stage: Stage, line: [number, number][], limit: number, far: number) => {
  const random = stage.random.fork('caps')
  let cap: [number, number][] = []
  const finish = () => {
    const [first, last] = [cap[0], cap.at(-1)]
    if (first && last && cap.length > 2) {
      const edge: string[] = []
      const steps = Math.max(3, Math.round((last[0] - first[0]) / 16))
      for (let step = 1; step < steps; step++)
        edge.push(
          `${n(last[0] + ((first[0] - last[0]) * step) / steps)} ${n(limit + (step % 2 === 0 ? -1 : 1) * random.between(4, 26))}`,
        )
      const points = [...cap.map(([x, y]) => `${n(x)} ${n(y)}`), ...edge]
      stage.page.add(`<path d="M${points.join('L')}Z" fill="${hazy(stage, '#ffffff', far * 0.6)}" opacity=".92"/>`)
    }
    cap = []
  }
  for (const point of line) {
    if (point[1] < limit) cap.push(point)
    else finish()
  }
  finish()
}

export const drawForest = (stage: Stage) => {
  const { plan } = stage
  drawHills(stage, '#3f7d4a', 2, 60)
  drawTrees(
    stage,
    ['evergreen-tree', 'evergreen-tree', 'deciduous-tree'],
    [
      { far: 0.6, number: 14, height: 230, foot: plan.horizon - 4 },
      { far: 0.4, number: 10, height: 300, foot: plan.horizon + 10 },
      { far: 0.2, number: 6, height: 370, foot: plan.horizon + 26 },
    ],
  )
  const own = drawGround(stage, '#4d8145', { isRolling: true, haze: 0.12 })
  drawGrass(stage, own, 300)
}

export const drawJungle = (stage: Stage) => {
  const { plan } = stage
  drawHills(stage, '#2f7a4f', 2, 70)
  drawTrees(
    stage,
    ['deciduous-tree', 'palm-tree'],
    [
      { far: 0.6, number: 12, height: 240, foot: plan.horizon },
      { far: 0.3, number: 8, height: 330, foot: plan.horizon + 18 },
    ],
  )
  const own = drawGround(stage, '#3d8a48', { isRolling: true, haze: 0.12 })
  drawGrass(stage, own, 420)
}

export const drawSavanna = (stage: Stage) => {
  drawHills(stage, '#b99a4e', 3, 40)
  drawTrees(stage, ['deciduous-tree'], [{ far: 0.45, number: 3, height: 120, foot: stage.plan.horizon + 14 }])
  const own = drawGround(stage, '#d3ab54', { isRolling: true })
  drawGrass(stage, own, 320)
}

export const drawDesert = (stage: Stage) => {
  const { page, plan } = stage
  drawHills(stage, '#dba765', 4, 74)
  drawTrees(stage, ['cactus'], [{ far: 0.3, number: 3, height: 90, foot: plan.horizon + 30 }])
  const own = drawGround(stage, '#e6b672', { isRolling: true, haze: 0.2 })
  const random = stage.random.fork('dunes')
  for (const share of [0.3, 0.62]) {
    const y = plan.horizon + (page.height - plan.horizon) * share
    const fill = page.down([
      [0, lit(stage, lighten(own, 0.05)), 0.9],
      [0.5, lit(stage, own), 0],
    ])
    page.add(
      `<path d="${hillPath(random, { y, amplitude: 26, waves: 0.7, width: page.width, bottom: page.height })}" fill="${fill}"/>`,
    )
  }
}

export const drawSnowLand = (stage: Stage) => {
  const { plan } = stage
  drawHills(stage, '#c9d9ea', 4, 80)
  drawTrees(
    stage,
    ['evergreen-tree'],
    [
      { far: 0.6, number: 14, height: 90, foot: plan.horizon + 6 },
      { far: 0.4, number: 6, height: 140, foot: plan.horizon + 20 },
    ],
  )
  drawGround(stage, '#f1f6fb', { isRolling: true, haze: 0.1 })
}

export const drawMoonLand = (stage: Stage) => {
  const { page, plan } = stage
  const random = stage.random.fork('craters')
  drawGround(stage, '#a9abb5', { isRolling: true, haze: 0 })
  for (let index = 0; index < 16; index++) {
    const near = random.next()
    const [x, y] = [random.between(0, page.width), plan.horizon + 24 + near * (page.height - plan.horizon)]
    const r = 16 + near * 60 * random.between(0.5, 1.2)
    page.add(
      `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(r)}" ry="${n(r * 0.26)}" fill="#6d7080" opacity=".5"/><ellipse cx="${n(x)}" cy="${n(y + r * 0.06)}" rx="${n(r * 0.92)}" ry="${n(r * 0.2)}" fill="#c5c7d0" opacity=".35"/>`,
    )
  }
}
