import type { Stop } from '../../threads/serve.js'
import { blurCanvas } from '../blocks/blur.js'
import { type Canvas, clamp, createCanvas, distance, eachPixel, luma, mix, ramp, sample } from '../blocks/canvas.js'
import { contrast, curve, saturate } from '../blocks/colour.js'
import { createRandom, noise } from '../blocks/random.js'
import { whileSmall } from '../blocks/scale.js'
import type { Look } from '../look.js'
import { bloom } from './photo.js'

/** A toy town: a narrow sharp band, and colours like paint from a model shop. */
export const tiltShift: Look = (picture, { stop }) => {
  const { unit, height, red, green, blue } = picture
  const near = blurCanvas(picture, 5 * unit)
  const far = blurCanvas(near, 15 * unit)
  eachPixel(picture, stop, (at, _, y) => {
    const away = Math.abs((y + 0.5) / height - 0.55)
    const first = ramp(0.07, 0.2, away)
    const second = ramp(0.16, 0.42, away)
    red[at] = mix(mix(red[at]!, near.red[at]!, first), far.red[at]!, second)
    green[at] = mix(mix(green[at]!, near.green[at]!, first), far.green[at]!, second)
    blue[at] = mix(mix(blue[at]!, near.blue[at]!, first), far.blue[at]!, second)
  })
  curve(picture, contrast(1.6, 0.45))
  return saturate(picture, 1.45)
}

/** A shutter that stays open: everything flows, lamps draw trails, the middle was held still for a while. */
export const longExposure: Look = (picture, { seed, stop }) => {
  const { unit, width, height } = picture
  const exposed = whileSmall(picture, Math.max(1, Math.round(2 * unit)), (small) => smeared(small, seed, stop))
  eachPixel(picture, stop, (at, x, y) => {
    const still = 0.5 * Math.exp(-(((x / width - 0.5) / 0.26) ** 2 + ((y / height - 0.5) / 0.34) ** 2))
    exposed.red[at] = mix(exposed.red[at]!, picture.red[at]!, still)
    exposed.green[at] = mix(exposed.green[at]!, picture.green[at]!, still)
    exposed.blue[at] = mix(exposed.blue[at]!, picture.blue[at]!, still)
  })
  bloom(exposed, { sigma: 18 * unit, from: 0.6, amount: 0.4 })
  const deep = contrast(1.8, 0.5)
  curve(
    exposed,
    (value) => deep(value) * 0.92,
    (value) => deep(value) * 0.96,
    (value) => 0.035 + deep(value) * 0.97,
  )
  return saturate(exposed, 1.15)
}

/** Everything moved a long way while the shutter was open, nearly level. */
const smeared = (picture: Canvas, seed: number, stop: Stop): Canvas => {
  const { unit, width, height } = picture
  const slant = (createRandom(seed)() - 0.5) * 0.25
  const drift = noise(picture, { cell: 420 * unit, seed })
  const tones = luma(picture)
  const smear = createCanvas(picture)
  const steps = 30
  const reach = 190 * unit
  eachPixel(picture, stop, (at, x, y) => {
    let red = 0
    let green = 0
    let blue = 0
    let sum = 0
    let brightest = 0
    const bend = slant + drift[at]! * 0.35
    for (let step = -steps; step <= steps; step++) {
      const away = (step / steps) * reach
      const column = clamp((x + away + 0.5) | 0, 0, width - 1)
      const row = clamp((y + away * bend + 0.5) | 0, 0, height - 1)
      const there = row * width + column
      const tone = tones[there]!
      // Film remembers bright moments better than dark ones.
      const weight = (1.15 - Math.abs(step) / steps) * (0.25 + tone * tone * 2.2)
      red += picture.red[there]! * weight
      green += picture.green[there]! * weight
      blue += picture.blue[there]! * weight
      sum += weight
      const trail = tone * (1 - Math.abs(step) / steps)
      if (trail > brightest) brightest = trail
    }
    const glow = (1 + ramp(0.6, 1, brightest) * 0.25) / sum
    smear.red[at] = red * glow
    smear.green[at] = green * glow
    smear.blue[at] = blue * glow
  })
  return smear
}

/** As in a dream of Dalí's: the world melts and runs down, and glass balls float in front of it. */
export const surrealist: Look = (picture, { seed, stop }) => {
  const { unit, width, height } = picture
  const random = createRandom(seed)
  const extent = Math.min(width, height)
  const sway = noise(picture, { cell: 260 * unit, seed: seed + 1, octaves: 2 })
  const melt = noise({ width, height: 1 }, { cell: 42 * unit, seed: seed + 2, octaves: 2 })
  const balls = [0.2, 0.11, 0.07].map((radius, at) => ({
    x: (at === 0 ? 0.62 + random() * 0.2 : 0.12 + random() * 0.3) * width,
    y: (0.16 + random() * 0.55) * height,
    radius: radius * extent,
  }))
  const dream = createCanvas(picture)
  eachPixel(picture, stop, (at, x, y) => {
    const down = y / height
    const drip = Math.max(0, melt[x]! + 0.15) * 210 * unit * ramp(0.25, 1, down)
    let fromX = x + sway[at]! * 46 * unit * (0.4 + down)
    let fromY = y - drip + sway[at]! * 22 * unit
    let light = 1
    let sheen = 0
    for (const ball of balls) {
      const ballX = (x - ball.x) / ball.radius
      const ballY = (y - ball.y) / ball.radius
      const far = distance(ballX, ballY)
      if (far >= 1) {
        light *= 1 - 0.35 * Math.exp(-(((ballX - 0.15) * 1.1) ** 2 + ((ballY - 1.35) * 3) ** 2))
        continue
      }
      // A ball of glass shows the world upside down.
      const bend = far * far * 0.85 + 0.35
      fromX = ball.x - ballX * ball.radius * bend * 2.4
      fromY = ball.y - ballY * ball.radius * bend * 2.4
      light = 1.08 - 0.6 * ramp(0.72, 1, far)
      sheen =
        Math.exp(-(((ballX + 0.4) * 4) ** 2 + ((ballY + 0.45) * 5) ** 2)) * 0.9 +
        0.3 * ramp(0.9, 0.99, far) * ramp(0, 1, ballY)
    }
    const red = sample(picture.red, picture, fromX, fromY)
    const green = sample(picture.green, picture, fromX, fromY)
    const blue = sample(picture.blue, picture, fromX, fromY)
    const tone = 0.3 * red + 0.59 * green + 0.11 * blue
    // Ochre in the light and turquoise in the shade, as over a desert at dusk.
    const warm = ramp(0.25, 0.8, tone)
    dream.red[at] = mix(mix(red, tone * mix(0.5, 1.18, warm) + 0.03, 0.5) * light, 1, sheen)
    dream.green[at] = mix(mix(green, tone * mix(0.98, 0.95, warm) + 0.05, 0.5) * light, 1, sheen)
    dream.blue[at] = mix(mix(blue, tone * mix(1.1, 0.55, warm) + 0.1, 0.5) * light, 1, sheen)
  })
  curve(dream, contrast(1.8, 0.48))
  return saturate(dream, 1.3)
}
