import { setImmediate as turnOfOthers } from 'node:timers/promises'

/** Characters at once: about a millisecond. */
const piece = 256 * 1024

/**
 * What base64 stands for, of either alphabet, with or without padding and line breaks. It is decoded so that others get their
 * turn meanwhile, into memory that threads can read as well. Undefined when it is something else.
 */
export const decodeInPieces = async (text: string): Promise<Buffer | undefined> => {
  const bytes = Buffer.from(new SharedArrayBuffer(Math.ceil((text.length * 3) / 4)))
  let written = 0
  let digits = 0
  /** Digits that wait for others: four of them are three bytes. */
  let waiting = ''
  const write = (part: string) => {
    digits += part.length
    written += bytes.write(part, written, 'base64')
  }
  for (let at = 0; at < text.length; at += piece) {
    if (at > 0) await turnOfOthers()
    const part = waiting + text.slice(at, at + piece).replace(/\s+/g, '')
    const whole = part.length - (part.length % 4)
    waiting = part.slice(whole)
    write(part.slice(0, whole))
  }
  write(waiting)
  const padding = /={0,2}$/.exec(text.slice(-8).trimEnd())?.[0].length ?? 0
  const meant = digits - padding
  // What the decoder does not know it skips, so the length tells.
  const isWhole = meant > 0 && meant % 4 !== 1 && written === Math.floor((meant * 3) / 4)
  return isWhole ? bytes.subarray(0, written) : undefined
}
