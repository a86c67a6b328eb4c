const startsWith = (bytes: Uint8Array, ...mark: number[]) => mark.every((byte, index) => bytes[index] === byte)

const decode = (bytes: Uint8Array, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Characters that no text has: controls other than tab, line feed, form feed, carriage return and escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/

/** Bytes as text if they are text: UTF-8, or UTF-16 with a mark at its beginning. The mark is removed. */
export const decodeText = (bytes: Uint8Array): string | undefined => {
  const text = startsWith(bytes, 0xff, 0xfe)
    ? decode(bytes, 'utf-16le')
    : startsWith(bytes, 0xfe, 0xff)
      ? decode(bytes, 'utf-16be')
      : decode(bytes, 'utf-8')
  return text === undefined || controls.test(text) ? undefined : text
}
