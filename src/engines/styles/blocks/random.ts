import { createPlane, type Plane, type Size } from './canvas.js'

export type Random = () => number

/** Numbers from 0 to below 1 that depend on nothing but the seed (mulberry32). */
export const createRandom = (seed: number): Random => {
  let state = (seed ^ 0x9e3779b9) | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** A number from 0 to below 1 for a place. */
export const hash = (x: number, y: number, seed: number) => {
  let mixed = Math.imul(x | 0, 374761393) ^ Math.imul(y | 0, 668265263) ^ Math.imul(seed | 0, 1274126177)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 1274126177)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 4294967296
}

/** Soft hills and hollows from -1 to 1, about `cell` pixels wide; each further octave is half as wide and half as high. */
export const noise = (size: Size, { cell, seed, octaves = 1 }: { cell: number; seed: number; octaves?: number }) => {
  const sum = createPlane(size)
  let height = octaves === 1 ? 1 : 0.5
  let reach = Math.max(1, cell)
  for (let octave = 0; octave < octaves; octave++) {
    addNoise(sum, size, reach, height * 2, seed + octave * 7919)
    height /= 2
    reach = Math.max(1, reach / 2)
  }
  return sum
}

const addNoise = (sum: Plane, { width, height }: Size, cell: number, strength: number, seed: number) => {
  const columns = Math.ceil(width / cell) + 2
  const rows = Math.ceil(height / cell) + 2
  const random = createRandom(seed)
  const lattice = new Float32Array(columns * rows)
  for (let at = 0; at < lattice.length; at++) lattice[at] = random() - 0.5
  const left = new Int32Array(width)
  const share = new Float32Array(width)
  for (let x = 0; x < width; x++) {
    const place = x / cell
    left[x] = place | 0
    const part = place - left[x]!
    share[x] = part * part * (3 - 2 * part)
  }
  for (let y = 0, at = 0; y < height; y++) {
    const place = y / cell
    const row = place | 0
    const part = place - row
    const down = part * part * (3 - 2 * part)
    const top = row * columns
    for (let x = 0; x < width; x++, at++) {
      const from = top + left[x]!
      const across = share[x]!
      const above = lattice[from]! + (lattice[from + 1]! - lattice[from]!) * across
      const under = lattice[from + columns]!
      const below = under + (lattice[from + columns + 1]! - under) * across
      sum[at]! += (above + (below - above) * down) * strength
    }
  }
}

/** What silver leaves on film: fine, uneven, about -1 to 1. */
export const grain = (size: Size, unit: number, seed: number): Plane => {
  if (unit > 1.3) return noise(size, { cell: unit * 1.1, seed, octaves: 2 })
  const specks = createPlane(size)
  for (let y = 0, at = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++, at++)
      specks[at] = hash(x, y, seed) + hash(x, y, seed + 1) + hash(x >> 1, y >> 1, seed + 2) - 1.5
  return specks
}
