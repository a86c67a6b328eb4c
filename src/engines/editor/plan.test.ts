import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '../engine-error.js'
import { colour } from './fixtures/prompts/colour.js'
import { content } from './fixtures/prompts/content.js'
import type { Example } from './fixtures/prompts/example.js'
import { layers, styles } from './fixtures/prompts/layers.js'
import { light } from './fixtures/prompts/light.js'
import { others } from './fixtures/prompts/others.js'
import { frames, shape, texts } from './fixtures/prompts/shape.js'
import { type Model, modelNamed } from './models.js'
import type { Step } from './operation.js'
import { planEdit } from './plan.js'

type Value = string | number
const valuesOf = (value: unknown): Value[] => {
  if (Array.isArray(value)) return value.flatMap(valuesOf)
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(valuesOf)
  if (typeof value === 'boolean') return [value ? 'yes' : 'no']
  return typeof value === 'number' || typeof value === 'string' ? [value] : []
}

const hasToken = (values: Value[], token: string): boolean => {
  const numbers = values.filter((value) => typeof value === 'number')
  if (token === '+') return (numbers[0] ?? 0) > 0
  if (token === '-') return (numbers[0] ?? 0) < 0
  const number = Number(token)
  if (numbers.some((value) => Math.abs(value - number) < 0.011)) return true
  return values.some((value) => value === token || String(value).split(/\s+/).includes(token))
}
const hasAll = (values: Value[], wish: string) => wish.split(' ').every((token) => hasToken(values, token))

const isMet = ({ operation, area }: Step, wish: string): boolean => {
  const [asked = '', where] = wish.split(' @ ')
  const isThere = where === undefined ? area === undefined : hasAll(valuesOf(area), where)
  return isThere && operation.do === asked.split(' ')[0] && hasAll(valuesOf(operation), asked)
}

const plan = (prompt: string, images: number, hasMask: boolean): Step[] | undefined => {
  try {
    return planEdit({
      model: modelNamed('general') as Model,
      modelName: 'general',
      prompt,
      images,
      hasMask,
      size: { width: 1000, height: 800 },
      hasFixedShape: false,
    })
  } catch (error) {
    assert.ok(error instanceof EngineError && error.trouble === 'refused' && error.said, String(error))
    return undefined
  }
}

const check = ([written, wish]: Example) => {
  const tag = /^\[(\w)\] /.exec(written)?.[1]
  const steps = plan(written.replace(/^\[\w\] /, ''), Number(tag) || 1, tag === 'm')
  const found = JSON.stringify(steps)
  if (wish === '!') return assert.equal(found, undefined)
  assert.ok(steps, 'it was refused')
  const wishes = wish.split('; ').filter((one) => one !== '*')
  if (wish.includes('*'))
    assert.ok(wishes.every((one) => steps.some((step) => isMet(step, one))) && steps.length, found)
  else
    assert.ok(
      steps.length === wishes.length && steps.every((step, index) => isMet(step, wishes[index] as string)),
      found,
    )
}

for (const example of [light, colour, shape, frames, texts, content, layers, styles, others].flat())
  test(`"${example[0]}" asks for ${example[1]}`, () => check(example))
