import type { Raster } from '../../pixels/raster.js'
import type { Colour } from '../operation.js'
import { softlyBlurred } from './soft-blur.js'

const smooth = (from: number, to: number, value: number) => {
  const part = Math.min(1, Math.max(0, (value - from) / (to - from)))
  return part * part * (3 - 2 * part)
}

/** Towards `colour` with the distance from the middle. */
export const applyVignette = ({ data, width, height }: Raster, amount: number, colour: Colour) => {
  const [red, green, blue] = colour
  for (let y = 0, index = 0; y < height; y++) {
    const down = ((y + 0.5) / height) * 2 - 1
    for (let x = 0; x < width; x++, index += 4) {
      const across = ((x + 0.5) / width) * 2 - 1
      const part = amount * smooth(0.45, 1.42, Math.hypot(across, down))
      data[index] = (data[index] as number) * (1 - part) + red * part
      data[index + 1] = (data[index + 1] as number) * (1 - part) + green * part
      data[index + 2] = (data[index + 2] as number) * (1 - part) + blue * part
    }
  }
}

/** The same seed gives the same numbers: 0 to 1. */
export const createRandom = (seed: number) => {
  let state = (seed ^ 0x9e3779b9) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296
  }
}

/** Like film: most in the middle tones. */
export const applyGrain = ({ data }: Raster, amount: number, seed: number) => {
  const random = createRandom(seed)
  const reach = amount * 70
  for (let index = 0; index < data.length; index += 4) {
    const noise = (random() + random() + random() - 1.5) * reach
    const middle = data[index + 1] as number
    const here = noise * (0.35 + 0.65 * (1 - Math.abs(middle - 128) / 128))
    data[index] = (data[index] as number) + here
    data[index + 1] = middle + here
    data[index + 2] = (data[index + 2] as number) + here
  }
}

const screen = (value: number, light: number) => 255 - ((255 - value) * (255 - light)) / 255

/** Warm light that falls in from a side. */
export const applyLightLeak = ({ data, width, height }: Raster, amount: number, seed: number) => {
  const random = createRandom(seed)
  const leaks = [0, 1].map((side) => ({
    x: side === 0 ? -0.02 : 1.02,
    y: random(),
    reach: 0.55 + random() * 0.3,
    colour: (side === 0 ? [255, 120, 30] : [255, 60, 60]) as Colour,
    force: side === 0 ? 1 : 0.6,
  }))
  for (let y = 0, index = 0; y < height; y++)
    for (let x = 0; x < width; x++, index += 4)
      for (const leak of leaks) {
        const apart = Math.hypot(x / width - leak.x, (y / height - leak.y) * 0.7)
        const part = amount * leak.force * (1 - smooth(0, leak.reach, apart))
        if (part <= 0) continue
        for (let channel = 0; channel < 3; channel++)
          data[index + channel] = screen(data[index + channel] as number, (leak.colour[channel] as number) * part)
      }
}

/** Bright parts shine over their edges. */
export const applyGlow = async (raster: Raster, amount: number) => {
  const soft = await softlyBlurred(raster, Math.min(raster.width, raster.height) / 40)
  const { data } = raster
  for (let index = 0; index < data.length; index++) {
    if (index % 4 === 3) continue
    const value = data[index] as number
    const light = soft.data[index] as number
    data[index] = value + (screen(value, (light * light) / 255) - value) * amount
  }
}

/** Details stand out against what is around them. */
export const applyLocalContrast = async (raster: Raster, amount: number) => {
  const soft = await softlyBlurred(raster, Math.min(raster.width, raster.height) / 35)
  const { data } = raster
  for (let index = 0; index < data.length; index += 4) {
    const here = ((data[index] as number) + 2 * (data[index + 1] as number) + (data[index + 2] as number)) / 4
    const around =
      ((soft.data[index] as number) + 2 * (soft.data[index + 1] as number) + (soft.data[index + 2] as number)) / 4
    // Shadows open and lights are held back, as several exposures would do it.
    const lift = (128 - around) * 0.18 * amount
    const change = (here - around) * 0.7 * amount + lift
    for (let channel = 0; channel < 3; channel++) data[index + channel] = (data[index + channel] as number) + change
  }
}
