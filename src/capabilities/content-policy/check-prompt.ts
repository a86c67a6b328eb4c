import type { CatalogModel, ContentPolicy } from '#catalog/catalog.js'
import { fail } from '#contract/errors.js'
import { breaksPolicy } from './breaks-policy.js'
import { readWords } from './read-words.js'
import { createLexicon, type Lexicon, type Reading } from './word-lists.js'

/**
 * Refuses what a model does not make, with `contentPolicyViolation`; to be asked before anything is held or run. Give it
 * what describes the wish, and not what is to be avoided, such as a negative prompt.
 */
export const checkPrompt = (
  { id, contentPolicies }: Pick<CatalogModel, 'id' | 'contentPolicies'>,
  prompts: readonly string[],
): void => {
  const broken = findBroken(contentPolicies, prompts)
  if (broken) {
    throw fail('contentPolicyViolation', id, broken.says).withHeaders({ 'x-svc-is-content-violation': 'true' })
  }
}

/** The first of the policies that prompts break. They are read together: a wish in two fields is still one wish. */
export const findBroken = (
  policies: readonly ContentPolicy[],
  prompts: readonly string[],
): ContentPolicy | undefined => {
  const words = readWords(prompts.join('\n\n'))
  const readings = new Map<Lexicon, Reading>()
  return policies.find((policy) => {
    const lexicon = lexiconOf(policy.words)
    const reading = readings.get(lexicon) ?? lexicon(words)
    readings.set(lexicon, reading)
    return breaksPolicy(policy, reading)
  })
}

/** Made when first needed, for all policies with the same words, and gone with the catalog that they belong to. */
const lexicons = new WeakMap<ContentPolicy['words'], Lexicon>()

const lexiconOf = (words: ContentPolicy['words']): Lexicon => {
  const lexicon = lexicons.get(words) ?? createLexicon(words)
  lexicons.set(words, lexicon)
  return lexicon
}
