export type DataUrl = { contentType: string; bytes: Buffer; isBase64: boolean }

/** Base64 of either alphabet, with or without padding and line breaks; undefined when it is something else. */
export const decodeBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  // Node skips what it does not know, so the length tells. Most texts have no line breaks; only then are they looked for.
  if (bytes.length === decodedLength(text)) return bytes
  return /\s/.test(text) && bytes.length === decodedLength(text.replace(/\s+/g, '')) ? bytes : undefined
}

const decodedLength = (text: string): number => {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  return digits % 4 === 1 ? -1 : Math.floor((digits * 3) / 4)
}

const hexDigit = (byte: number | undefined): number =>
  byte === undefined ? Number.NaN : Number.parseInt(String.fromCharCode(byte), 16)

const decodePercent = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  let length = 0
  for (let place = 0; place < bytes.length; place++) {
    const value = bytes[place] === 0x25 ? hexDigit(bytes[place + 1]) * 16 + hexDigit(bytes[place + 2]) : Number.NaN
    if (Number.isNaN(value)) bytes[length++] = bytes[place] as number
    else {
      bytes[length++] = value
      place += 2
    }
  }
  return bytes.subarray(0, length)
}

export const isDataUrl = (url: string): boolean => /^data:/i.test(url)

/** The content of a data URL; undefined when it is not one, or not well encoded. */
export const readDataUrl = (url: string): DataUrl | undefined => {
  const comma = url.indexOf(',')
  if (!isDataUrl(url) || comma < 0) return undefined
  const [contentType = '', ...parameters] = url.slice(5, comma).split(';')
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === 'base64'
  const content = url.slice(comma + 1)
  // Some clients percent-encode the padding of their base64.
  const bytes = isBase64 ? decodeBase64(content.replaceAll('%3D', '=')) : decodePercent(content)
  return bytes && { contentType: contentType.trim().toLowerCase(), bytes, isBase64 }
}
