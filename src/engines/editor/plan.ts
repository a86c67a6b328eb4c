import type { Model } from './models.js'
import type { Operation, Step } from './operation.js'
import { kindOf } from './operation.js'
import { readPrompt, stepsMax } from './reading/read-prompt.js'
import { mentionsStyle } from './reading/rules/styles.js'
import { notUnderstood, refused } from './refusals.js'

export type PlanNeeds = {
  model: Model
  modelName: string
  prompt: string
  images: number
  hasMask: boolean
  size: { width: number; height: number }
  hasFixedShape: boolean
}

/** Words that ask for something, so that what follows cannot be passed over as a description. */
const demanding =
  /\b(?:add|insert|replace|swap|remove|erase|delete|change|put|place|give|make|turn|convert|transform|draw|include|show|without|not|don't|wear(?:ing)?|become|open|close|smile|move|extend|expand)\b/

/** Steps of a prompt for a model, or a refusal that says what was not understood. */
export const planEdit = ({ model, modelName, prompt, images, hasMask, size, hasFixedShape }: PlanNeeds): Step[] => {
  if (model.isSingle && images > 1)
    throw refused('several images for a model of one', `the model takes one image, and ${images} came`)
  const mayDescribe = (clause: string) =>
    model.style !== undefined &&
    (!demanding.test(clause) || mentionsStyle(clause) || /\b(?:painting|drawing|art|artwork|style)\b/.test(clause)) &&
    !/\b(?:add|insert|replace|swap|remove|erase|delete|put|wear(?:ing)?|without)\b/.test(clause)
  const { steps, strange } = readPrompt(prompt, { images, hasMask, size }, mayDescribe)
  if (strange !== undefined) throw notUnderstood(strange, model.can)
  if (steps.length > stepsMax)
    throw refused('too many operations', `the prompt asks for more than ${stepsMax} operations`)
  const other = steps.find(({ operation }) => !model.does(operation))
  if (other)
    throw refused(
      'the model does not do this operation',
      `the prompt asks for ${nameOf(other.operation)}; ${model.can}`,
    )
  if (hasFixedShape && steps.some(({ operation }) => operation.do === 'resize' || operation.do === 'scale'))
    throw refused(
      'the prompt and the request ask for sizes',
      'the prompt asks to resize the image, and the request asks for a size as well; leave out one of them',
    )
  const planned = model.style === undefined ? steps : styled(steps, model.style)
  const unused = unusedImage(planned, images)
  if (unused !== undefined) {
    if (model.style === undefined || (images > 2 && planned.some(({ operation }) => kindOf(operation) === 'layers')))
      throw refused(
        'an image has no use',
        `the prompt does not say what to do with images.${unused}; say for example "side by side", "collage", "blend them" or "put the second image in the top left corner"`,
      )
    planned.unshift({ operation: { do: 'arrange', as: 'grid' } })
  }
  if (planned.length === 0 && modelName === 'mask-fill') return [{ operation: { do: 'remove' } }]
  if (planned.length === 0) throw refused('the prompt asks for nothing', `the prompt asks for no change; ${model.can}`)
  return planned
}

/** The first image that no step looks at. The base is always looked at. */
const unusedImage = (steps: Step[], images: number): number | undefined => {
  const used = new Set<number>()
  for (const { operation } of steps) {
    if (operation.do === 'arrange') return undefined
    if (operation.do === 'layer') used.add(operation.image)
    if (
      operation.do === 'background' &&
      'fill' in operation.how &&
      typeof operation.how.fill === 'object' &&
      'image' in operation.how.fill
    )
      used.add(operation.how.fill.image)
  }
  return Array.from({ length: images - 1 }, (_, index) => index + 1).find((index) => !used.has(index))
}

/** The style comes last, once. */
const styled = (steps: Step[], id: string): Step[] => {
  const strength = steps
    .map(({ operation }) => (operation.do === 'style' ? operation.strength : undefined))
    .find((one) => one !== undefined)
  const others = steps.filter(({ operation }) => operation.do !== 'style')
  const after = others.filter(({ operation }) => isAround(operation))
  return [
    ...others.filter(({ operation }) => !isAround(operation)),
    { operation: { do: 'style', id, strength } },
    ...after,
  ]
}

/** Text and frames are not painted over. */
const isAround = (operation: Operation) => ['text', 'frame'].includes(kindOf(operation))

const names: Record<string, string> = {
  shape: 'another shape',
  tone: 'another light',
  colour: 'other colours',
  detail: 'sharpening or blurring',
  effect: 'an effect',
  text: 'a text',
  frame: 'a frame',
  removal: 'a removal',
  background: 'another background',
  layers: 'a composition of images',
  style: 'another style',
}
const nameOf = (operation: Operation) => names[kindOf(operation)] ?? operation.do
