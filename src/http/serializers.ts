import fastJsonStringify, { type Schema } from 'fast-json-stringify'

type Named = { $id: string }
type Write = (data: unknown) => string

/**
 * Compiles what writes an answer when the first such answer is due. Fastify's own way reads all shared schemas again for
 * every status of every route, which takes as long as the rest of a start.
 */
export const createSerializers = (sharedSchemas: object[]) => {
  const shared = new Map((sharedSchemas as Named[]).map((schema) => [schema.$id, schema]))
  const namedBy = (schema: object, found: Record<string, Schema> = {}): Record<string, Schema> => {
    for (const [, name = ''] of JSON.stringify(schema).matchAll(/"\$ref":"([^"#]+)/g)) {
      const named = shared.get(name)
      if (!named || Object.hasOwn(found, name)) continue
      found[name] = named as Schema
      namedBy(named, found)
    }
    return found
  }

  return ({ schema }: { schema: unknown }): Write => {
    let write: Write | undefined
    return (data) => {
      write ??= fastJsonStringify(schema as Schema, { schema: namedBy(schema as object) }) as Write
      return write(data)
    }
  }
}
