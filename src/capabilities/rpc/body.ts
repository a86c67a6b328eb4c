import { isUtf8 } from 'node:buffer'
import { fail } from '#contract/errors.js'
import { rpcBatchMax } from '#contract/rpc.js'
import type { JsonText } from '#engines/nodes/node.js'
import { type Cut, cutJson, NotJson } from '#plumbing/json-cut.js'
import { explainJsonError } from '#plumbing/json-position.js'
import type { Family, Method } from './method.js'
import { findMethod, refusalOf } from './methods.js'
import { failProblems, type Problem } from './problems.js'

/** One call of a request, in the caller's own text. */
export type Item = {
  /** Undefined: a notification, which nobody wants an answer to. */
  id: JsonText | undefined
  method: string
  params: JsonText | undefined
  /** Where it stands in the batch. */
  place: number
}

export type Body = { isBatch: boolean; items: Item[] }

export type CheckedItem = Item & { methodOf: Method }

/** Nobody asks for more, and what is not asked for is passed over quickly. */
const wanted = { partsMax: rpcBatchMax, names: new Set(['jsonrpc', 'id', 'method', 'params']) }

const explainedBytesMax = 100_000

/** Takes a body apart. Everything that is wrong with it is told at once. */
export const readBody = (body: Buffer): Body => {
  const cut = cutBody(body)
  if (cut.kind === 'other') throw failProblems([{ path: [], rule: 'must be an object, or an array of objects' }])
  const problems: Problem[] = []
  if (cut.kind === 'object') {
    const item = readItem(cut.members, 0, [], problems)
    if (problems.length > 0) throw failProblems(problems)
    return { isBatch: false, items: [item] }
  }
  const { parts } = cut
  if (parts.length === 0 || parts.length > rpcBatchMax)
    throw failProblems([
      { path: [], rule: `must hold 1 to ${rpcBatchMax} calls, and holds ${parts.length === 0 ? 'none' : 'more'}` },
    ])
  const items: Item[] = []
  for (const [place, part] of parts.entries()) {
    const call = cutJson(part, wanted)
    if (call.kind === 'object') items.push(readItem(call.members, place, [place], problems))
    else problems.push({ path: [place], rule: 'must be an object' })
  }
  if (problems.length > 0) throw failProblems(problems)
  return { isBatch: true, items }
}

const cutBody = (body: Buffer): Cut => {
  if (!isUtf8(body)) throw fail('malformedJson', 'it is not UTF-8')
  const bytes = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
  try {
    return cutJson(bytes.toString('latin1'), wanted)
  } catch (error) {
    // To say it precisely takes long for a long text.
    const isShort = bytes.length <= explainedBytesMax || !(error instanceof NotJson)
    throw fail('malformedJson', isShort ? explainJsonError(bytes.toString('utf8')) : `at byte ${error.position}`)
  }
}

const readItem = (
  members: Map<string, JsonText>,
  place: number,
  path: (string | number)[],
  problems: Problem[],
): Item => {
  const version = members.get('jsonrpc')
  if (version !== undefined && textOf(version) !== '2.0')
    problems.push({ path: [...path, 'jsonrpc'], rule: 'must be "2.0"' })

  const id = members.get('id')
  if (id !== undefined && !isId(id))
    problems.push({ path: [...path, 'id'], rule: 'must be a number, a string or null' })

  const named = members.get('method')
  const method = named === undefined ? undefined : textOf(named)
  if (!method)
    problems.push({
      path: [...path, 'method'],
      rule: named === undefined ? 'is missing' : 'must be a string, not empty',
    })

  const params = members.get('params')
  if (params !== undefined && params[0] !== '[' && params[0] !== '{')
    problems.push({ path: [...path, 'params'], rule: 'must be an array' })

  return { id, method: method ?? '', params, place }
}

const textOf = (value: JsonText): string | undefined => {
  if (value[0] !== '"') return undefined
  return value.includes('\\') ? (JSON.parse(value) as string) : value.slice(1, -1)
}

const isId = (value: JsonText): boolean => /^["\d-]/.test(value) || value === 'null'

/** The calls that are to be answered. */
export const withId = <T extends Item>(items: readonly T[]): readonly T[] =>
  items.every(({ id }) => id !== undefined) ? items : items.filter(({ id }) => id !== undefined)

/** Gives each call its line of the table. One that is not in it refuses all of them: nothing of a batch is run then. */
export const checkMethods = (
  family: Family,
  network: string,
  items: readonly Item[],
  isBatch = items.length > 1,
): CheckedItem[] => {
  const checked: CheckedItem[] = []
  for (const { id, method, params, place } of items) {
    const methodOf = findMethod(family, method)
    if (methodOf !== undefined) checked.push({ id, method, params, place, methodOf })
  }
  if (checked.length < items.length) throw refuseMethods(family, network, items)
  if (family !== 'starknet') checkPositions(checked, isBatch)
  return checked
}

const refuseMethods = (family: Family, network: string, items: readonly Item[]) => {
  const names = items.filter(({ method }) => findMethod(family, method) === undefined).map(({ method }) => method)
  const reasons = new Map([...new Set(names)].map((name) => [printable(name), refusalOf(family, name)]))
  const told = [...reasons].map(([name, reason]) => `${name} is not available (${reason})`).join(', ')
  return fail('rpcMethodUnsupported', network, told).with({ methods: [...reasons.keys()] })
}

const nameCharactersMax = 64

/** As it may stand in an answer and a log, whatever was sent. */
const printable = (name: string): string =>
  (name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax)}...` : name).replace(/[^\x21-\x7e]/g, '?')

/** Only Starknet knows parameters by name. */
const checkPositions = (items: readonly CheckedItem[], isBatch: boolean) => {
  if (items.every(({ params }) => params?.[0] !== '{')) return
  const named = items.filter(({ params }) => params?.[0] === '{')
  throw failProblems(
    named.map(({ place }) => ({ path: isBatch ? [place, 'params'] : ['params'], rule: 'must be an array' })),
  )
}
