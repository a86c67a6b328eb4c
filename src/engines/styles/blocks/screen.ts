import { distance, ramp } from './canvas.js'

/** The printer's dots: how much ink (0 to 1) lies at a place of a screen turned by `angle`, for a tone that wants `amount`. */
export const dot = (x: number, y: number, { cell, angle, amount }: { cell: number; angle: number; amount: number }) => {
  const cosine = Math.cos(angle)
  const sine = Math.sin(angle)
  const across = (x * cosine + y * sine) / cell
  const down = (y * cosine - x * sine) / cell
  const far = distance(across - Math.round(across), down - Math.round(down))
  const radius = Math.sqrt(amount) * 0.72
  const soft = 0.7 / cell
  return amount <= 0.01 ? 0 : 1 - ramp(radius - soft, radius + soft, far)
}

/** Lines of a screen: how much ink lies at a distance (in pixels) along its normal, for a tone that wants `amount`. */
export const line = (place: number, { cell, amount }: { cell: number; amount: number }) => {
  const across = place / cell
  const far = Math.abs(across - Math.round(across)) * 2
  const soft = 1.4 / cell
  return amount <= 0.01 ? 0 : 1 - ramp(amount - soft, amount + soft, far)
}
