import { setImmediate as turnOfOthers } from 'node:timers/promises'

/** Characters at once: less than a millisecond. A multiple of four, so that no byte lies on a border. */
const piece = 256 * 1024

/**
 * What plain base64 stands for, decoded so that others get their turn meanwhile, in memory that threads can read as well.
 * Undefined when it is written in another way, with line breaks for example, or is something else.
 */
export const decodeInPieces = async (text: string): Promise<Buffer | undefined> => {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  if (digits === 0 || digits % 4 === 1) return undefined
  const bytes = Buffer.from(new SharedArrayBuffer(Math.floor((digits * 3) / 4)))
  let written = 0
  for (let at = 0; at < text.length; at += piece) {
    if (at > 0) await turnOfOthers()
    written += bytes.write(text.slice(at, at + piece), written, 'base64')
  }
  // What the decoder does not know it skips, so the length tells.
  return written === bytes.length ? bytes : undefined
}
