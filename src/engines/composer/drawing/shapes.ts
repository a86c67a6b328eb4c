import type { Random } from '../random.js'
import { n } from './page.js'

type Ridge = { y: number; amplitude: number; waves: number; width: number; bottom: number }

/** Hills: a few waves of different lengths, closed below. */
export const hillPath = (random: Random, { y, amplitude, waves, width, bottom }: Ridge): string => {
  const parts = [1, 2.3, 4.1].map((times, index) => ({
    times: times * waves * random.between(0.8, 1.2),
    phase: random.between(0, Math.PI * 2),
    height: amplitude / (1 + index * 1.6),
  }))
  const steps = Math.max(24, Math.round(width / 30))
  const points: string[] = []
  for (let step = 0; step <= steps; step++) {
    const share = step / steps
    const rise = parts.reduce(
      (sum, { times, phase, height }) => sum + Math.sin(share * times * Math.PI * 2 + phase) * height,
      0,
    )
    points.push(`${n(share * width)} ${n(y - rise)}`)
  }
  return `M0 ${n(bottom)}L${points.join('L')}L${n(width)} ${n(bottom)}Z`
}

/** Mountains: halves are lifted again and again, so that each peak has its own crags. */
export const peakLine = (random: Random, { y, amplitude, waves, width }: Ridge): [x: number, y: number][] => {
  const peaks = Math.max(2, Math.round(waves))
  let line: [number, number][] = []
  for (let index = 0; index <= peaks * 2; index++) {
    const isPeak = index % 2 === 1
    const x = ((index + (isPeak ? random.between(-0.3, 0.3) : 0)) / (peaks * 2)) * width
    line.push([x, isPeak ? y - amplitude * random.between(0.62, 1) : y - amplitude * random.between(0.05, 0.3)])
  }
  for (let round = 0; round < 4; round++) {
    const finer: [number, number][] = []
    line.forEach((point, index) => {
      finer.push(point)
      const next = line[index + 1]
      if (!next) return
      const reach = Math.abs(next[0] - point[0]) * 0.16
      finer.push([
        (point[0] + next[0]) / 2 + random.between(-reach, reach) * 0.5,
        (point[1] + next[1]) / 2 + random.between(-reach, reach),
      ])
    })
    line = finer
  }
  return line
}

export const closed = (line: [number, number][], width: number, bottom: number): string =>
  `M0 ${n(bottom)}L${line.map(([x, y]) => `${n(x)} ${n(y)}`).join('L')}L${n(width)} ${n(bottom)}Z`

/** A cloud with a flat bottom: heaps of circles over a line. */
export const cloudPath = (random: Random, x: number, y: number, width: number): string => {
  const heaps = random.whole(5, 7)
  const circles: string[] = []
  const circle = (cx: number, cy: number, r: number) =>
    circles.push(`M${n(cx - r)} ${n(cy)}a${n(r)} ${n(r)} 0 1 1 ${n(r * 2)} 0a${n(r)} ${n(r)} 0 1 1 ${n(-r * 2)} 0Z`)
  const base = width * 0.075
  const lean = random.between(0.38, 0.62)
  for (let index = 0; index < heaps; index++) {
    const share = index / (heaps - 1)
    const bulge = 1 - Math.abs(share - lean) / Math.max(lean, 1 - lean)
    const radius = width * (0.075 + 0.13 * bulge * random.between(0.7, 1.1))
    circle(x + (share - 0.5) * width * 0.8, y - radius * 0.62, radius)
  }
  const left = x - width / 2
  circles.push(
    `M${n(left + base)} ${n(y - base)}h${n(width - base * 2)}a${n(base)} ${n(base)} 0 0 1 0 ${n(base * 2)}h${n(base * 2 - width)}a${n(base)} ${n(base)} 0 0 1 0 ${n(-base * 2)}Z`,
  )
  return circles.join('')
}

/** Many small marks in one path: blades of grass, ripples, grains. Nearer ones are larger. */
export const scatter = (
  random: Random,
  number: number,
  area: { left: number; right: number; far: number; near: number },
  mark: (x: number, y: number, scale: number) => string,
): string => {
  const marks: string[] = []
  for (let index = 0; index < number; index++) {
    const near = Math.sqrt(random.next())
    const x = random.between(area.left, area.right)
    marks.push(mark(x, area.far + (area.near - area.far) * near, 0.3 + 0.7 * near))
  }
  return marks.join('')
}
