import { type Static, type TObject, Type } from 'typebox'

/**
 * One of several objects, told apart by `type`, where other values of `type` are not a mistake: what they mean, or that
 * they are refused, is said by code. Each alternative is checked only for its own type, so a mistake is told once.
 */
export const Known = <T extends TObject[]>(alternatives: [...T], options: Record<string, unknown> = {}) =>
  Type.Unsafe<Static<T[number]>>({
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string' } },
    allOf: alternatives.map((alternative) => {
      const properties = { type: alternative.properties.type }
      // Where an alternative does not require its type, an object without one is meant to be it.
      const required = alternative.required?.includes('type') ? { required: ['type'] } : {}
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON schemas, and nobody awaits a schema.
      return { if: { type: 'object', properties, ...required }, then: alternative }
    }),
    ...options,
  })
