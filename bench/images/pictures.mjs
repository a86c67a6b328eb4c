// Pictures that cost an encoder what photographs cost: soft light, hard edges and the noise of a sensor. The same each time.
import sharp from 'sharp'

/** Mulberry32: small, fast, and good enough for noise. */
const createRandom = (seed) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const wavesCount = 5
const discsCount = 60
const noiseReach = 16

/** Light that changes slowly, as the sum of products of a value by column and one by row. */
const createWaves = (random, width, height) =>
  Array.from({ length: wavesCount }, () => {
    const wave = (length) => {
      const [turns, start] = [0.3 + 4 * random(), 2 * Math.PI * random()]
      return Float32Array.from({ length }, (_, at) => Math.sin(start + (2 * Math.PI * turns * at) / length))
    }
    return { across: wave(width), down: wave(height), colour: [random(), random(), random()].map((part) => 40 * part) }
  })

/** Objects with edges: where each row of each of them begins and ends, and how much lighter it is. */
const createDiscs = (random, width, height) =>
  Array.from({ length: discsCount }, () => ({
    x: random() * width,
    y: random() * height,
    radius: (0.01 + 0.08 * random()) * width,
    colour: [random(), random(), random()].map((part) => 120 * (part - 0.5)),
  }))

const paintRow = (row, y, { width, waves, discs, random }) => {
  row.fill(120)
  for (const { across, down, colour } of waves)
    for (let x = 0; x < width; x++)
      for (let channel = 0; channel < 3; channel++) row[x * 3 + channel] += across[x] * down[y] * colour[channel]
  for (const disc of discs) {
    const half = Math.sqrt(disc.radius ** 2 - (y - disc.y) ** 2)
    if (Number.isNaN(half)) continue
    const end = Math.min(width, Math.floor(disc.x + half))
    for (let x = Math.max(0, Math.floor(disc.x - half)); x < end; x++)
      for (let channel = 0; channel < 3; channel++) row[x * 3 + channel] += disc.colour[channel]
  }
  for (let at = 0; at < row.length; at++) row[at] += (random() + random() - 1) * noiseReach
}

/** A picture as a file, in the format of its name. */
export const writePicture = async (file, { width, height, seed }) => {
  const random = createRandom(seed)
  const scene = { width, waves: createWaves(random, width, height), discs: createDiscs(random, width, height), random }
  const pixels = new Uint8ClampedArray(width * height * 3)
  const row = new Float32Array(width * 3)
  for (let y = 0; y < height; y++) {
    paintRow(row, y, scene)
    pixels.set(row, y * width * 3)
  }
  const picture = sharp(pixels, { raw: { width, height, channels: 3 } })
  await (file.endsWith('.png') ? picture.png() : picture.jpeg({ quality: 95 })).toFile(file)
}
