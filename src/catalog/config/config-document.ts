import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml'

/** A place in the file as the data sees it: `['models', 0, 'pricing']`. */
export type Path = readonly (string | number)[]

/** One thing that is wrong with the file. */
export type Problem = { line: number; path: string; reason: string }

export type Environment = Readonly<Record<string, string | undefined>>

/** A YAML file as plain data that still knows on which line each part of it was written. */
export type ConfigDocument = {
  data: unknown
  /** What already went wrong: broken YAML, unknown variables. */
  problems: Problem[]
  problemAt(path: Path, reason: string): Problem
}

export const readDocument = (text: string, env: Environment): ConfigDocument => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const problemAt = (path: Path, reason: string): Problem => ({
    line: lines.linePos(offsetOf(document, path)).line || 1,
    path: pathText(path),
    reason,
  })

  const broken: Problem[] = [...document.errors, ...document.warnings].map(({ pos, code, message }) => ({
    line: lines.linePos(pos[0]).line || 1,
    path: '',
    reason: `not valid YAML: ${code === 'MULTIPLE_DOCS' ? "a second document begins here; remove the '---'" : message}`,
  }))
  visit(document, {
    Alias(_, node) {
      if (node.resolve(document)) return
      const line = lines.linePos(node.range?.[0] ?? 0).line || 1
      broken.push({ line, path: '', reason: `not valid YAML: there is no anchor '&${node.source}' above` })
    },
  })
  if (broken.length > 0) return { data: undefined, problems: broken, problemAt }

  const problems = expandVariables(document, env, problemAt)
  return { data: withoutEmptySections(document.toJS({ maxAliasCount: -1 })), problems, problemAt }
}

export const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text ? `${text}.${part}` : part
  }, '')

/** A section whose entries are all commented out reads as null, and means the same as no section. */
const withoutEmptySections = (data: unknown): unknown => {
  if (data === null || data === undefined) return {}
  if (typeof data !== 'object' || Array.isArray(data)) return data
  return Object.fromEntries(Object.entries(data).filter(([, section]) => section !== null))
}

/** Follows the path as far as the file goes, so that a missing field is reported where it should have been. */
const offsetOf = (document: Document.Parsed, path: Path): number => {
  let node: unknown = document.contents
  let offset = 0
  for (const part of path) {
    const inner = isAlias(node) ? node.resolve(document) : node
    if (isMap(inner)) {
      const pair = inner.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(part))
      if (!pair) return offset
      offset = startOf(pair.key) ?? offset
      node = pair.value
    } else if (isSeq(inner)) {
      node = inner.items[Number(part)]
      offset = startOf(node) ?? offset
    } else {
      return offset
    }
  }
  return offset
}

const startOf = (node: unknown): number | undefined => (node as Node | undefined)?.range?.[0]

/** Either the escape `$${`, or a variable; the closing brace is optional so that a forgotten one is noticed. */
const variablePattern = /\$\$\{|\$\{([^}]*)(\}?)/g

const expandVariables = (
  document: Document.Parsed,
  env: Environment,
  problemAt: (path: Path, reason: string) => Problem,
): Problem[] => {
  const problems: Problem[] = []
  visit(document, {
    Scalar(key, node, ancestors) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes(opening)) return
      node.value = node.value.replace(variablePattern, (written, name: string | undefined, closing: string) => {
        if (name === undefined) return opening
        const value = Object.hasOwn(env, name) ? env[name] : undefined
        if (closing && value !== undefined) return value
        problems.push(problemAt(pathOf([...ancestors, node]), variableProblem(name, closing)))
        return written
      })
    },
  })
  return problems
}

const opening = '$' + '{'
const literalHint = `write '$${opening}' for a literal '${opening}'`

const variableProblem = (name: string, closing: string): string => {
  if (!closing) return `a variable is opened but not closed with '}'; ${literalHint}`
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `'${name}' is not a variable name; ${literalHint}`
  return `the environment variable ${name} is not set`
}

/** The path of the last of these nodes, each of which contains the next. */
const pathOf = (nodes: readonly unknown[]): Path =>
  nodes.flatMap((parent, index): Path => {
    const child = nodes[index + 1]
    if (isSeq(parent)) return [parent.items.indexOf(child)]
    if (!isMap(parent)) return []
    const pair = parent.items.find((item) => item === child)
    return isScalar(pair?.key) ? [String(pair.key.value)] : []
  })
