import { isAscii } from 'node:buffer'
import { pictureFields, type Uploads } from './uploads.js'

/** Shorter texts are not worth the trouble. */
const longFrom = 64 * 1024

const quote = 0x22
const backslash = 0x5c

/** The quote that ends a text of JSON that begins behind `from`; -1 when there is none. */
const endOfText = (body: Buffer, from: number): number => {
  for (let end = body.indexOf(quote, from); end >= 0; end = body.indexOf(quote, end + 1)) {
    let slashes = 0
    while (end - slashes > from && body[end - slashes - 1] === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
  return -1
}

/**
 * Takes long plain texts, which are pictures in base64, out of a JSON body. What remains is small and parsed as usual: a
 * picture of 25 MB would otherwise hold up everybody else for a tenth of a second.
 */
export const takeOutLongTexts = (body: Buffer, uploads: Uploads): Buffer => {
  if (body.length < longFrom) return body
  const parts: Buffer[] = []
  let kept = 0
  for (let start = body.indexOf(quote); start >= 0; ) {
    const end = endOfText(body, start + 1)
    if (end < 0) break
    const text = body.subarray(start + 1, end)
    const plain = text.length >= longFrom && isAscii(text) ? plainOf(text) : undefined
    if (plain !== undefined) {
      parts.push(body.subarray(kept, start), Buffer.from(JSON.stringify(uploads.keep(plain))))
      kept = end + 1
    }
    start = body.indexOf(quote, end + 1)
  }
  return parts.length === 0 ? body : Buffer.concat([...parts, body.subarray(kept)])
}

/** What a text of JSON says; undefined when it is not one. Base64 may be written in lines, with an escape at the end of each. */
const plainOf = (text: Buffer): string | undefined => {
  const written = text.toString('latin1')
  if (text.indexOf(backslash) < 0) return written
  try {
    return JSON.parse(`"${written}"`)
  } catch {
    return undefined
  }
}

/** Puts long texts back that are not where pictures are: a prompt that is too long is told so. */
export const putBack = (body: unknown, uploads: Uploads): unknown => {
  if (typeof body !== 'object' || body === null || uploads.isEmpty) return body
  for (const [name, mark] of Object.entries(body)) {
    const text = typeof mark === 'string' && !pictureFields.has(name) ? uploads.find(mark) : undefined
    // Assigning to `__proto__` would do something else than it says.
    if (text !== undefined) Object.defineProperty(body, name, { value: text, enumerable: true, writable: true })
  }
  return body
}
