import { type Failure, fail } from '#contract/errors.js'

/** One broken rule of a request: where, and what the rule is. */
export type Problem = { path: (string | number)[]; rule: string }

const problemsMax = 20

/** All that is wrong with a request, in one answer: a sentence, a tree of messages and a flat list. */
export const failProblems = (problems: readonly Problem[]): Failure => {
  const issues = problems
    .slice(0, problemsMax)
    .map(({ path, rule }) => ({ code: 'custom', path, message: `${nameOf(path)} ${rule}` }))
  const more = problems.length > issues.length ? ` (and ${problems.length - issues.length} more)` : ''
  const sentence = issues.map(({ message }) => message).join('; ')
  return fail('invalidRequest', `Invalid request: ${sentence}${more}`).with({ details: toTree(issues), issues })
}

/** `[3].method` of a batch, `method` of a single call. */
const nameOf = (path: (string | number)[]): string =>
  path.map((step, depth) => (typeof step === 'number' ? `[${step}]` : depth === 0 ? step : `.${step}`)).join('') ||
  'body'

type Tree = { _errors: string[]; [field: string]: Tree | string[] }

const toTree = (issues: readonly { path: (string | number)[]; message: string }[]): Tree => {
  const root: Tree = { _errors: [] }
  for (const { path, message } of issues) {
    let node = root
    for (const step of path) {
      node[step] ??= { _errors: [] }
      node = node[step] as Tree
    }
    node._errors.push(message)
  }
  return root
}
