import { CompatError, DetailedError, Shared } from '#contract/common.js'

/** The 400 of everything that takes a prompt. */
export const refused = {
  description: 'The request is not valid, the model cannot do it, or the prompt is too long for it',
  anyOf: [Shared(DetailedError), Shared(CompatError)],
}
