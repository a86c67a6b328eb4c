import { Type } from 'typebox'

/**
 * Small field types of the config file. `expected` finishes the sentence "must be ..." when a value does not fit, so
 * that a person reads words and not a regular expression.
 */
export const closed = { additionalProperties: false }

export const Matching = (pattern: string, expected: string) => Type.String({ pattern, expected })

/** Model ids and aliases. A colon would start a suffix such as `:enable_web_search=on`. */
export const ModelName = Matching(
  '^[A-Za-z0-9._/-]+$',
  "made of letters, digits, '.', '_', '/' and '-' (a ':' would start a suffix)",
)

export const HttpUrl = Type.String({ format: 'http-url', expected: 'a URL that starts with http:// or https://' })

export const Day = Type.String({ format: 'day', expected: 'a day such as 2027-01-31' })

export const Moment = Type.String({
  format: 'moment',
  expected: 'a day such as 2027-01-31 or a UTC time such as 2027-01-31T12:00:00Z',
})

/** Text that travels in a response header, where only plain ASCII arrives everywhere as it was written. */
export const HeaderText = Matching('^[\\x20-\\x7e]+$', 'one line of plain ASCII, because it is sent in a header')

export const Secret = Type.String({ minLength: 1 })

export const EvmAddress = Matching('^0x[0-9a-fA-F]{40}$', "an address: '0x' and 40 hex digits")

export const SolanaAddress = Matching('^[1-9A-HJ-NP-Za-km-z]{32,44}$', 'a base58 address of 32 to 44 characters')

/** A map whose keys the operator chooses, such as upstream names. */
export const namesStartWithLetter = {
  propertyNames: {
    pattern: '^[A-Za-z][A-Za-z0-9_-]*$',
    expected: "a name that starts with a letter and is made of letters, digits, '_' and '-'",
  },
}

const dayPattern = /^\d{4}-\d{2}-\d{2}$/
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/

/** 2027-02-31 has the right shape, but `Date` would quietly turn it into March. */
const isDay = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`)
  return dayPattern.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

export const formats = {
  day: isDay,
  moment: (text: string) =>
    isDay(text) || (timePattern.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))),
  'http-url': (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text),
}
