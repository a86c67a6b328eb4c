import { type ContentSource, policyOfEveryModel } from '../content-policies.js'
import { parsePattern, patternProblem } from '../word-pattern.js'
import type { Path } from './config-document.js'
import { type Complaint, nearestName } from './config-problems.js'
import type { ContentPolicies, ContentWords } from './content-policy-entry.js'

/** What no schema can say about words and policies: patterns that can be read, and names that lead somewhere. */
export const checkContent = (own: Partial<ContentSource>, builtin: ContentSource): Complaint[] => {
  const words = { ...builtin.contentWords, ...own.contentWords }
  return [...wordProblems(own.contentWords ?? {}, words), ...policyProblems(own.contentPolicies ?? {}, words, builtin)]
}

/** The policies that a model names. */
export const policyNameProblems = (names: readonly string[], known: ReadonlySet<string>): Complaint[] =>
  names.flatMap((name, index) =>
    known.has(name) ? [] : [unknown('content policy', name, [...known], ['contentPolicies', index])],
  )

const wordProblems = (own: ContentWords, words: ContentWords): Complaint[] =>
  Object.entries(own).flatMap(([list, patterns]) =>
    patterns.flatMap((pattern, index) => {
      const path = ['contentWords', list, index]
      const reason = patternProblem(pattern)
      if (reason !== undefined) return [{ path, reason }]
      return listsIn(pattern).flatMap((name) => {
        if (!Object.hasOwn(words, name)) return [unknown('list of words', name, Object.keys(words), path)]
        return leadsTo(name, list, words) ? [{ path, reason: `<${name}> leads back to the list itself` }] : []
      })
    }),
  )

const policyProblems = (own: ContentPolicies, words: ContentWords, builtin: ContentSource): Complaint[] =>
  Object.entries(own).flatMap(([policy, { rules, harmless = [], negations = [] }]) => {
    const path = ['contentPolicies', policy]
    const isOurs = policy === policyOfEveryModel && Object.hasOwn(builtin.contentPolicies, policy)
    if (isOurs) return [{ path, reason: 'applies to every model as it is; give a policy of yours another name' }]
    const named = (names: readonly string[], ...place: Path): Complaint[] =>
      names.flatMap((name, index) =>
        Object.hasOwn(words, name)
          ? []
          : [unknown('list of words', name, Object.keys(words), [...path, ...place, index])],
      )
    return [
      ...rules.flatMap(({ all, unless = [] }, index) => [
        ...named(all, 'rules', index, 'all'),
        ...named(unless, 'rules', index, 'unless'),
      ]),
      ...named(harmless, 'harmless'),
      ...named(negations, 'negations'),
    ]
  })

const unknown = (what: string, name: string, known: readonly string[], path: Path): Complaint => {
  const nearest = nearestName(name, known)
  const hint = nearest ? `did you mean '${nearest}'?` : known.length > 0 ? `there are: ${known.join(', ')}` : ''
  return { path, reason: `there is no ${what} '${name}'${hint && `; ${hint}`}` }
}

const listsIn = (pattern: string): string[] =>
  patternProblem(pattern) ? [] : parsePattern(pattern).flatMap((step) => (step.kind === 'list' ? [step.list] : []))

const leadsTo = (from: string, goal: string, words: ContentWords, passed = new Set<string>()): boolean => {
  if (from === goal) return true
  if (passed.has(from) || !Object.hasOwn(words, from)) return false
  passed.add(from)
  return (words[from] ?? []).flatMap(listsIn).some((next) => leadsTo(next, goal, words, passed))
}
