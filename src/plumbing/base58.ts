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

// Four digits at once into limbs of three bytes: the products stay exact, and a long text is read in a twelfth of the steps.
const digitsAtOnce = 4
const limbBits = 24
const limbBase = 2 ** limbBits

/** The same for a text of unknown length, which must not stand for more bytes than `lengthMax`. */
export const decodeLongBase58 = (text: string, lengthMax: number): Uint8Array | undefined => {
  if (text.length > Math.ceil(lengthMax * 1.37)) return undefined
  /** The lowest first. */
  const limbs: number[] = []
  for (let at = 0; at < text.length; at += digitsAtOnce) {
    let factor = 1
    let carry = 0
    for (let index = at; index < Math.min(at + digitsAtOnce, text.length); index++) {
      const digit = digitOf[text.charCodeAt(index)] ?? -1
      if (digit < 0) return undefined
      carry = carry * 58 + digit
      factor *= 58
    }
    for (let place = 0; place < limbs.length; place++) {
      const value = (limbs[place] as number) * factor + carry
      carry = Math.floor(value / limbBase)
      limbs[place] = value - carry * limbBase
    }
    if (carry > 0) limbs.push(carry)
  }
  let ones = 0
  while (text[ones] === '1') ones++
  const bytes: number[] = []
  for (const limb of limbs) bytes.push(limb & 0xff, (limb >> 8) & 0xff, limb >> 16)
  while (bytes.at(-1) === 0) bytes.pop()
  const length = bytes.length + ones
  if (length > lengthMax) return undefined
  const decoded = new Uint8Array(length)
  for (const [place, byte] of bytes.entries()) decoded[length - 1 - place] = byte
  return decoded
}

/** Meant for what is short, such as a key or a signature. */
export const encodeBase58 = (bytes: Uint8Array): string => {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  let number = 0n
  for (const byte of bytes) number = (number << 8n) | BigInt(byte)
  let text = ''
  for (; number > 0n; number /= 58n) text = alphabet[Number(number % 58n)] + text
  return '1'.repeat(zeros) + text
}
