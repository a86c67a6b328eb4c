import type { ContentPolicies, ContentPolicyEntry, ContentWords } from './config/content-policy-entry.js'

/** A policy with every list of words that it may name. One object per policy and catalog, shared by its models. */
export type ContentPolicy = ContentPolicyEntry & { name: string; words: ContentWords }

export type ContentSource = { contentWords: ContentWords; contentPolicies: ContentPolicies }

/**
 * Sexualization of minors is never acceptable. So this policy applies to every model, whatever its entry says, and the
 * config file cannot replace it (config/check-content.ts); policies beside it can only forbid more.
 */
export const policyOfEveryModel = 'minors'

/** Finds the policies of a model by the names in its entry. */
export type FindPolicies = (names: readonly string[]) => readonly ContentPolicy[]

export const resolvePolicies = (builtin: ContentSource, configured: Partial<ContentSource>): FindPolicies => {
  // Our own policies see only our own lists: a list of the operator with the same name cannot weaken them.
  const ours = policiesIn(builtin.contentPolicies, builtin.contentWords)
  const theirs = policiesIn(configured.contentPolicies, { ...builtin.contentWords, ...configured.contentWords })
  const always = ours.get(policyOfEveryModel)
  if (!always) throw new Error(`the built-in catalog lacks the content policy '${policyOfEveryModel}'`)
  const policies = new Map([...ours, ...theirs, [policyOfEveryModel, always]])
  return (names) =>
    [...new Set([policyOfEveryModel, ...names])].map((name) => {
      const policy = policies.get(name)
      // Model entries were checked; one that is not may not lose its policy silently.
      if (!policy) throw new Error(`there is no content policy '${name}'`)
      return policy
    })
}

const policiesIn = (entries: ContentPolicies = {}, words: ContentWords): Map<string, ContentPolicy> =>
  new Map(Object.entries(entries).map(([name, entry]) => [name, { ...entry, name, words }]))
