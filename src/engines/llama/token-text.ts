import type { LlamaModel, Token } from 'node-llama-cpp'

/**
 * Turns tokens into text as they come. A character may be spread over several tokens; its beginning waits for the rest,
 * so no half character ever leaves.
 */
export const createTokenText = (model: LlamaModel, before: readonly Token[]) => {
  let last = before.slice(-8)
  let pending: Token[] = []

  const take = (): string => {
    const text = model.detokenize(pending, true, last)
    last = [...last, ...pending].slice(-8)
    pending = []
    return text
  }

  return {
    push(token: Token): string {
      pending.push(token)
      // No character has more than 4 bytes, so after 4 tokens the rest is not coming.
      const isUnfinished = pending.length < 4 && model.detokenize(pending, true, last).endsWith('\uFFFD')
      return isUnfinished ? '' : take()
    },
    end: (): string => (pending.length === 0 ? '' : take()),
  }
}
