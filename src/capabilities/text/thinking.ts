const opening = '<think>'
const closing = '</think>'

/**
 * Takes <think></think> blocks out of text that comes in pieces of any size. What might be the beginning of a tag waits
 * for the next piece; the white space after a block goes with it.
 */
export const createThinkRemover = () => {
  let held = ''
  let isThinking = false
  let isAfterBlock = false

  const push = (piece: string): string => {
    let text = held + piece
    let given = ''
    held = ''
    for (;;) {
      if (isAfterBlock) {
        text = text.trimStart()
        if (text === '') return given
        isAfterBlock = false
      }
      const tag = isThinking ? closing : opening
      const at = text.indexOf(tag)
      if (at < 0) {
        const waiting = beginningOf(tag, text)
        held = text.slice(text.length - waiting)
        return isThinking ? given : given + text.slice(0, text.length - waiting)
      }
      if (!isThinking) given += text.slice(0, at)
      text = text.slice(at + tag.length)
      isAfterBlock = isThinking
      isThinking = !isThinking
    }
  }

  return {
    push,
    /** The text is over: what looked like the beginning of a tag was none. */
    end: (): string => {
      const rest = isThinking ? '' : held
      held = ''
      return rest
    },
  }
}

/** How many characters at the end of a text might be the beginning of a tag. */
const beginningOf = (tag: string, text: string): number => {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return length
  return 0
}

export const removeThinking = (text: string): string => {
  const remover = createThinkRemover()
  return remover.push(text) + remover.end()
}
