// What is asked of the nodes and what must be answered, so that the mock and those who check it agree.

/** The newest block of the mock that is final: what is asked of older ones may be kept for ever. */
export const finalBlock = 0x1000

/** In place of these digits each question has a number of its own. */
const digits = 'f00dfacef00dface'
const addressOf = (number) => `0x${number.padStart(40, '1')}`

/** What the mock says of an address: every one has another. */
export const balanceOf = (address) => `0x${address.slice(-digits.length)}`

const bodyOf = (calls) => {
  const written = calls.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: index + 1, method, params }))
  return JSON.stringify(written.length === 1 ? written[0] : written)
}

const numberFrom = (count) => `f00d${count.toString(16).padStart(digits.length - 4, '0')}`

/** Balances of addresses that nobody has asked for, now and every time. */
export const newBalances = (calls) => ({
  body: bodyOf(
    Array.from({ length: calls }, () => ({ method: 'eth_getBalance', params: [addressOf(digits), 'latest'] })),
  ),
  calls,
  isNew: true,
})

/** Balances of the same addresses in a block that is final. */
export const oldBalances = (calls) => {
  const numbers = Array.from({ length: calls }, (_, index) => numberFrom(index))
  const asked = numbers.map((number) => ({ method: 'eth_getBalance', params: [addressOf(number), '0x10'] }))
  return { ...fixed(asked), results: numbers.map((number) => `"${balanceOf(addressOf(number))}"`) }
}

/** The same calls every time; `results` are the texts that must be answered, in order. */
export const fixed = (calls, results) => ({ body: bodyOf(calls), calls: calls.length, results, isNew: false })

let count = 0

/**
 * Makes the bytes of a request ask something new, in place, and gives the texts that must be answered. Nothing is moved:
 * the digits are as many as before.
 */
export const createRenewal = (bytes) => {
  const places = []
  for (let at = bytes.indexOf(digits); at >= 0; at = bytes.indexOf(digits, at + 1)) places.push(at)
  const results = new Array(places.length)
  return () => {
    for (let index = 0; index < places.length; index++) {
      const number = numberFrom(count++)
      bytes.write(number, places[index], 'latin1')
      results[index] = `"0x${number}"`
    }
    return results
  }
}
