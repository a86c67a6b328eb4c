/**
 * Which of our types an Accept header prefers (RFC 9110, 12.5.1): of the ranges that fit a type the most precise one
 * decides, the highest quality wins, and our first type does where all is equal or nothing fits.
 */
export const preferredType = <const T extends readonly [string, ...string[]]>(
  accept: string | undefined,
  types: T,
): T[number] => {
  const ranges = (accept ?? '*/*').split(',').map(readRange)
  const qualityOf = (type: string) => {
    const fitting = ranges.filter(({ range }) => isWithin(type, range))
    const precision = ({ range }: Range) => (range === '*/*' ? 0 : range.endsWith('/*') ? 1 : 2)
    return fitting.sort((one, other) => precision(other) - precision(one))[0]?.quality ?? 0
  }
  return types.reduce((best, type) => (qualityOf(type) > qualityOf(best) ? type : best))
}

type Range = { range: string; quality: number }

const readRange = (text: string): Range => {
  const [range = '', ...parameters] = text.toLowerCase().split(';')
  const quality = parameters.map((parameter) => /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/.exec(parameter)?.[1])
  return { range: range.trim(), quality: Number(quality.find((value) => value !== undefined) ?? 1) }
}

const isWithin = (type: string, range: string) =>
  range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
