// What is asked for, in words for us and in calls for sharp, so that everybody makes the same picture.

/** So many pixels have a resolution tier, whatever the shape. */
const tierPixels = { '1K': 1024 ** 2, '2K': 2048 ** 2 }

const sizeOf = ({ width, height }, tier) => {
  const factor = Math.sqrt(tierPixels[tier] / (width * height))
  return { width: Math.round(width * factor), height: Math.round(height * factor) }
}

export const photo = { file: 'photo.jpg', width: 4000, height: 3000, seed: 1 }
export const drawing = { file: 'picture.png', width: 1024, height: 1024, seed: 2 }
export const small = { file: 'small.png', width: 512, height: 512, seed: 3 }

const edits = {
  grey: { prompt: 'black and white', change: (picture) => picture.greyscale() },
  light: {
    prompt: 'increase the brightness by 20% and the contrast by 10%',
    change: (picture) => picture.linear(1.2 * 1.1, -128 * 0.1),
  },
  flip: { prompt: 'flip horizontally', change: (picture) => picture.flop() },
  resize: { prompt: 'resize to 800x600', size: { width: 800, height: 600 }, change: (picture) => picture },
}

const job = (name, input, edit, tier, format) => {
  const size = sizeOf(input, tier)
  return { name, input, ...edits[edit], tier, format, size, made: edits[edit].size ?? size }
}

export const jobs = [
  job('12 MP JPEG, black and white, 1K PNG', photo, 'grey', '1K', 'png'),
  job('12 MP JPEG, light, 2K JPEG', photo, 'light', '2K', 'jpeg'),
  job('12 MP JPEG, flip, 2K JPEG', photo, 'flip', '2K', 'jpeg'),
  job('12 MP JPEG, resize to 800x600, JPEG', photo, 'resize', '1K', 'jpeg'),
  job('1 MP PNG, light, 1K PNG', drawing, 'light', '1K', 'png'),
]

export const jobNamed = (name) => jobs.find((each) => each.name === name)
