import type { Kind, Operation } from './operation.js'
import { kindOf } from './operation.js'
import { isStyleId } from './reading/rules/styles.js'
import { waysToSayWhere } from './refusals.js'

export type Model = {
  does(operation: Operation): boolean
  /** For callers whose prompt it cannot follow. */
  can: string
  /** Only one image makes sense. */
  isSingle: boolean
  /** Rendered at the end, whatever the prompt says. */
  style?: string
}

const every: ReadonlySet<Kind> = new Set([
  'shape',
  'tone',
  'colour',
  'detail',
  'effect',
  'text',
  'frame',
  'removal',
  'background',
  'layers',
  'style',
])
const kinds = (...names: Kind[]) => {
  const set = new Set(names)
  return (operation: Operation) => set.has(kindOf(operation))
}

const models: Record<string, Model> = {
  general: {
    does: (operation) => every.has(kindOf(operation)),
    can: 'this model can, for example: "make it black and white", "blur the background", "crop to 16:9", "add the text \\"Hello\\" at the bottom", "remove the dog", "make the red car blue"',
    isSingle: false,
  },
  'mask-fill': {
    does: kinds('removal'),
    can: `this model removes things and fills their place from what is around them; ${waysToSayWhere}`,
    isSingle: false,
  },
  background: {
    does: kinds('background'),
    can: 'this model changes what is behind the subject, for example: "remove the background", "blur the background", "white background", "replace the background with a gradient from blue to pink"',
    isSingle: false,
  },
  'color-light': {
    does: kinds('tone', 'colour'),
    can: 'this model changes colours and light, for example: "warmer and a bit brighter", "black and white", "make the red car blue", "increase the contrast by 20%"',
    isSingle: true,
  },
  restore: {
    does: (operation) =>
      [
        'denoise',
        'deblur',
        'scratches',
        'sharpen',
        'levels',
        'localContrast',
        'shadows',
        'vibrance',
        'contrast',
        'brightness',
        'saturation',
      ].includes(operation.do),
    can: 'this model repairs photographs, for example: "restore", "remove the noise", "remove scratches and dust", "fix the faded colors", "sharpen"',
    isSingle: true,
  },
  layers: {
    does: kinds('layers', 'shape', 'frame', 'text'),
    can: 'this model puts images together, for example: "put the logo in the bottom right corner at 20%", "side by side", "collage", "blend them", "as polaroids"',
    isSingle: false,
  },
}

export const modelNamed = (name: string): Model | undefined => {
  const own = Object.hasOwn(models, name) ? models[name] : undefined
  if (own) return own
  const style = /^style:(.+)$/.exec(name)?.[1]
  if (style === undefined || !isStyleId(style)) return undefined
  return {
    does: (operation) => operation.do !== 'style' || operation.id === style,
    can: `this model renders pictures in the style ${style}, after other edits such as "crop to square" or "make it warmer"; it adds nothing to what the image shows`,
    isSingle: false,
    style,
  }
}
