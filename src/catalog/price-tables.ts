import { type ExactPrice, exactPrice } from './prices.js'

/** Wire names stop here: `cache_input` is `cacheInput` inside the service. */
export type Camel<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S
export type CamelKeys<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T as Camel<K>]: CamelKeys<T[K]> }
    : T

/** The price table of a record, with exact prices in place of JSON numbers. */
export type ExactPrices<T> = T extends { usd: number; diem: number }
  ? ExactPrice & CamelKeys<Omit<T, 'usd' | 'diem'>>
  : T extends object
    ? { [K in keyof T as Camel<K>]: ExactPrices<T[K]> }
    : T

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

export const camelKeys = <T>(value: T): CamelKeys<T> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value as CamelKeys<T>
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [camel(name), camelKeys(inner)]),
  ) as CamelKeys<T>
}

type WrittenPrice = { usd: string; diem?: string }

/** A price is a string or has `usd`; everything else in a table is a plain number or a table within. */
const writtenPrice = (value: unknown): WrittenPrice | undefined => {
  if (typeof value === 'string') return { usd: value }
  return typeof value === 'object' && value !== null && 'usd' in value ? (value as WrittenPrice) : undefined
}

const mapTable = (table: unknown, price: (written: WrittenPrice) => unknown): unknown => {
  const written = writtenPrice(table)
  if (written) return price(written)
  if (typeof table !== 'object' || table === null) return table
  return Object.fromEntries(Object.entries(table).map(([name, inner]) => [name, mapTable(inner, price)]))
}

/** A price table of the config file as the record shows it. */
export const recordPrices = (table: object) =>
  mapTable(table, ({ usd, diem = usd, ...rest }) => ({ usd: Number(usd), diem: Number(diem), ...rest }))

/** A price table of the config file as we calculate with it. */
export const exactPrices = (table: object) =>
  camelKeys(mapTable(table, ({ usd, diem = usd, ...rest }) => ({ ...exactPrice({ usd, diem }), ...rest })))
