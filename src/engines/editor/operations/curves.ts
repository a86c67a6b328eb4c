import type { Raster } from '../../pixels/raster.js'
import type { Operation } from '../operation.js'

type Curve = (value: number) => number
const table = (curve: Curve) =>
  Uint8ClampedArray.from({ length: 256 }, (_, value) => Math.round(curve(value / 255) * 255))

const applyTables = ({ data }: Raster, red: Uint8ClampedArray, green = red, blue = red) => {
  for (let index = 0; index < data.length; index += 4) {
    data[index] = red[data[index] as number] as number
    data[index + 1] = green[data[index + 1] as number] as number
    data[index + 2] = blue[data[index + 2] as number] as number
  }
}

/** Lifts or lowers the dark end; black and white stay. */
const shadowCurve = (amount: number): Curve => {
  const force = amount > 0 ? 2 * amount : amount
  return (value) => value + force * value * (1 - value) ** 3
}

/** What the darkest and the lightest half percent of the pixels have. */
const spanOf = (counts: Uint32Array): [number, number] => {
  const total = counts.reduce((sum, count) => sum + count, 0)
  const few = total * 0.005
  let low = 0
  let high = 255
  for (let sum = counts[0] as number; sum <= few && low < 254; sum += counts[low] as number) low++
  for (let sum = counts[255] as number; sum <= few && high > low + 1; sum += counts[high] as number) high--
  return [low, high]
}

const stretch = ([low, high]: [number, number]): Curve =>
  high - low < 8 ? (value) => value : (value) => (value - low / 255) / ((high - low) / 255)

const applyLevels = (raster: Raster, isPerChannel: boolean) => {
  const { data } = raster
  const counts = [0, 1, 2].map(() => new Uint32Array(256)) as [Uint32Array, Uint32Array, Uint32Array]
  for (let index = 0; index < data.length; index += 4) {
    if (data[index + 3] === 0) continue
    for (let channel = 0; channel < 3; channel++) counts[channel]![data[index + channel] as number]!++
  }
  if (!isPerChannel) {
    const together = counts[0].map((count, value) => count + counts[1][value]! + counts[2][value]!)
    return applyTables(raster, table(stretch(spanOf(together))))
  }
  const [red, green, blue] = counts.map((count) => table(stretch(spanOf(count))))
  applyTables(raster, red as Uint8ClampedArray, green, blue)
}

/** Operations that look at each channel of a pixel by itself. True if it was one. */
export const applyCurve = (raster: Raster, operation: Operation): boolean => {
  switch (operation.do) {
    case 'gamma':
      applyTables(
        raster,
        table((value) => value ** (1 / operation.gamma)),
      )
      return true
    case 'shadows':
      applyTables(raster, table(shadowCurve(operation.amount)))
      return true
    case 'highlights': {
      const curve = shadowCurve(-operation.amount)
      applyTables(
        raster,
        table((value) => 1 - curve(1 - value)),
      )
      return true
    }
    case 'levels':
      applyLevels(raster, operation.isPerChannel)
      return true
    case 'posterize':
      applyTables(
        raster,
        table((value) => Math.round(value * (operation.steps - 1)) / (operation.steps - 1)),
      )
      return true
    default:
      return false
  }
}
