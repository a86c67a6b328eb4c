const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

const digitOf = new Int8Array(128).fill(-1)
for (let digit = 0; digit < alphabet.length; digit++) digitOf[alphabet.charCodeAt(digit)] = digit

/** The bytes that a base58 text stands for, or undefined when they are not exactly so many. Never reads a long text. */
export const decodeBase58 = (text: string, length: number): Uint8Array | undefined => {
  // A byte is 1.37 digits; what is longer stands for more bytes, or has needless ones in front.
  if (text.length > Math.ceil(length * 1.37)) return undefined
  const bytes = new Uint8Array(length)
  for (let index = 0; index < text.length; index++) {
    let carry = digitOf[text.charCodeAt(index)] ?? -1
    if (carry < 0) return undefined
    for (let place = length - 1; place >= 0; place--) {
      carry += (bytes[place] as number) * 58
      bytes[place] = carry & 0xff
      carry >>= 8
    }
    if (carry > 0) return undefined
  }
  // Each zero byte in front is written as a "1", so that no two texts stand for the same bytes.
  let zeros = 0
  while (zeros < length && bytes[zeros] === 0) zeros++
  let ones = 0
  while (text[ones] === '1') ones++
  return zeros === ones ? bytes : undefined
}
