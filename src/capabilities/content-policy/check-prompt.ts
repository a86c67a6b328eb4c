import type { CatalogModel, ContentPolicy } from '#catalog/catalog.js'
import { fail } from '#contract/errors.js'
import { compilePolicy, type PolicyTest } from './compile-policy.js'
import { readWords } from './read-words.js'

/**
 * Refuses what a model does not make, with `contentPolicyViolation`; to be asked before anything is held or run. Give it
 * what describes the wish; not what is to be avoided, such as a negative prompt.
 */
export const checkPrompt = (
  { id, contentPolicies }: Pick<CatalogModel, 'id' | 'contentPolicies'>,
  prompts: readonly string[],
): void => {
  // Together, because a wish that is spread over several fields is still one wish.
  const words = readWords(prompts.join('\n\n'))
  const broken = contentPolicies.find((policy) => testOf(policy)(words))
  if (broken) {
    throw fail('contentPolicyViolation', id, broken.says).withHeaders({ 'x-svc-is-content-violation': 'true' })
  }
}

/** Made when first needed, and gone with the catalog that the policy belongs to. */
const tests = new WeakMap<ContentPolicy, PolicyTest>()

const testOf = (policy: ContentPolicy): PolicyTest => {
  const known = tests.get(policy)
  if (known) return known
  const test = compilePolicy(policy)
  tests.set(policy, test)
  return test
}
