import type { Raster } from '../../pixels/raster.js'
import type { Colour, HueRange } from '../operation.js'
import { lumaOf } from './colour-matrix.js'

/** Hue in degrees, saturation and lightness from 0 to 1. */
type Hsl = [number, number, number]

const toHsl = (red: number, green: number, blue: number, into: Hsl): Hsl => {
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  const spread = most - least
  const light = (most + least) / 510
  into[2] = light
  into[1] = spread === 0 ? 0 : spread / 255 / (1 - Math.abs(2 * light - 1))
  if (spread === 0) into[0] = 0
  else if (most === red) into[0] = (60 * ((green - blue) / spread) + 360) % 360
  else if (most === green) into[0] = 60 * ((blue - red) / spread) + 120
  else into[0] = 60 * ((red - green) / spread) + 240
  return into
}

const channel = (hue: number, saturation: number, light: number, shift: number): number => {
  const place = (shift + hue / 30) % 12
  const reach = saturation * Math.min(light, 1 - light)
  return (light - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1))) * 255
}

const ramp = (value: number, from: number, to: number) => Math.min(1, Math.max(0, (value - from) / (to - from)))

/** How much a pixel is of the colour: 0 to 1, with soft ends. */
const membership = (range: HueRange, [hue, saturation, light]: Hsl): number => {
  if ('grey' in range) {
    const isGrey = 1 - ramp(saturation * (1 - Math.abs(2 * light - 1)), 0.1, 0.22)
    if (range.grey === 'white') return isGrey * ramp(light, 0.7, 0.82)
    if (range.grey === 'black') return isGrey * (1 - ramp(light, 0.2, 0.32))
    return isGrey * ramp(light, 0.15, 0.3) * (1 - ramp(light, 0.75, 0.88))
  }
  const apart = Math.abs(((hue - range.centre + 540) % 360) - 180)
  const chroma = saturation * (1 - Math.abs(2 * light - 1))
  return (1 - ramp(apart, range.reach, range.reach + 14)) * ramp(chroma, 0.06, 0.16) * ramp(saturation, 0.12, 0.25)
}

/** 0 to 255 for each pixel. */
export const colourMask = ({ data, width, height }: Raster, range: HueRange): Uint8Array => {
  const mask = new Uint8Array(width * height)
  const hsl: Hsl = [0, 0, 0]
  for (let pixel = 0, index = 0; pixel < mask.length; pixel++, index += 4) {
    toHsl(data[index] as number, data[index + 1] as number, data[index + 2] as number, hsl)
    mask[pixel] = Math.round(membership(range, hsl) * 255)
  }
  return mask
}

/** What is in `weights` takes the colour and keeps its light and shadow. */
export const paint = ({ data }: Raster, weights: Uint8Array, to: Colour) => {
  const [hue, saturation, light] = toHsl(...to, [0, 0, 0])
  const isGrey = saturation < 0.12
  const hsl: Hsl = [0, 0, 0]
  // Light things that become dark, and the other way round, need more than another hue.
  const { mean, spread } = lightOf(data, weights)
  const wished = isGrey ? light : mean + (light - mean) * 0.55
  const factor = spread * Math.min(1, wished / Math.max(0.05, mean), (1 - wished) / Math.max(0.05, 1 - mean))
  for (let pixel = 0, index = 0; pixel < weights.length; pixel++, index += 4) {
    const weight = (weights[pixel] as number) / 255
    if (weight === 0) continue
    const [red, green, blue] = [data[index] as number, data[index + 1] as number, data[index + 2] as number]
    toHsl(red, green, blue, hsl)
    const newLight = Math.min(1, Math.max(0, wished + (hsl[2] - mean) * factor))
    const newSaturation = isGrey
      ? saturation
      : Math.max(saturation * 0.55, Math.min(1, hsl[1] * 0.4 + saturation * 0.6))
    data[index] = red + (channel(hue, newSaturation, newLight, 0) - red) * weight
    data[index + 1] = green + (channel(hue, newSaturation, newLight, 8) - green) * weight
    data[index + 2] = blue + (channel(hue, newSaturation, newLight, 4) - blue) * weight
  }
}

const lightOf = (data: Uint8ClampedArray, weights: Uint8Array) => {
  let sum = 0
  let total = 0
  for (let pixel = 0, index = 0; pixel < weights.length; pixel++, index += 4) {
    const weight = weights[pixel] as number
    if (weight === 0) continue
    const [red, green, blue] = [data[index] as number, data[index + 1] as number, data[index + 2] as number]
    sum += ((Math.max(red, green, blue) + Math.min(red, green, blue)) / 510) * weight
    total += weight
  }
  return { mean: total === 0 ? 0.5 : sum / total, spread: 1 }
}

/** More colour where there is little, so that skin and what is colourful already stay. */
export const applyVibrance = ({ data }: Raster, amount: number) => {
  for (let index = 0; index < data.length; index += 4) {
    const [red, green, blue] = [data[index] as number, data[index + 1] as number, data[index + 2] as number]
    const chroma = (Math.max(red, green, blue) - Math.min(red, green, blue)) / 255
    const factor = 1 + amount * (1 - chroma) * 1.1
    const luma = lumaOf([red, green, blue])
    data[index] = luma + (red - luma) * factor
    data[index + 1] = luma + (green - luma) * factor
    data[index + 2] = luma + (blue - luma) * factor
  }
}

export const applyThreshold = ({ data }: Raster) => {
  for (let index = 0; index < data.length; index += 4) {
    const value = lumaOf([data[index] as number, data[index + 1] as number, data[index + 2] as number]) >= 128 ? 255 : 0
    data[index] = value
    data[index + 1] = value
    data[index + 2] = value
  }
}
