import { DocumentProblem } from './document.js'

/** Far more than any model reads; a document that gives more was made to. */
export const textCharactersMax = 10_000_000

export type TextWriter = ReturnType<typeof createTextWriter>

/** Collects text in lines and paragraphs, and stops a document that never ends. */
export const createTextWriter = () => {
  const pieces: string[] = []
  let characters = 0
  /** The last characters written, to know what is already there. */
  let tail = '\n\n'

  const write = (text: string): void => {
    if (text === '') return
    characters += text.length
    if (characters > textCharactersMax)
      throw new DocumentProblem('excessive', `holds more than ${textCharactersMax} characters of text`)
    pieces.push(text)
    tail = (tail + text.slice(-2)).slice(-2)
  }

  return {
    write,
    /** Ends the line if one was begun. */
    endLine: () => {
      if (!tail.endsWith('\n')) write('\n')
    },
    /** Leaves one empty line. */
    endParagraph: () => {
      if (!tail.endsWith('\n')) write('\n')
      if (tail !== '\n\n') write('\n')
    },
    /** Whether a space would say nothing here. */
    isAtSpace: () => /\s$/.test(tail),
    text: () => pieces.join(''),
  }
}
