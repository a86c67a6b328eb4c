import { attributeOf, scanMarkup } from './markup.js'

const isBuiltInDate = (format: number) => (format >= 14 && format <= 22) || (format >= 45 && format <= 47)

/** Whether a format of the document's own shows a date or time; texts in quotes and colours in brackets do not count. */
const showsDate = (code: string) => /[ymdhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))

/** The numbers of the cell styles that show a number as a date. */
export const dateStylesOf = (styles: string): Set<number> => {
  const ownFormats = new Set<number>()
  const dateStyles = new Set<number>()
  let isCellFormats = false
  let style = 0
  for (const event of scanMarkup(styles)) {
    if (event.kind === 'text') continue
    if (event.name === 'cellXfs') isCellFormats = event.kind === 'open'
    if (event.kind !== 'open') continue
    const format = Number(attributeOf(event.attributes, 'numFmtId') ?? 0)
    if (event.name === 'numFmt' && showsDate(attributeOf(event.attributes, 'formatCode') ?? '')) ownFormats.add(format)
    if (event.name === 'xf' && isCellFormats) {
      if (isBuiltInDate(format) || ownFormats.has(format)) dateStyles.add(style)
      style++
    }
  }
  return dateStyles
}

const dayMs = 86_400_000

/** A day number of Excel as a date: 45292.5 is 2024-01-01 12:00:00. Numbers below 1 are times. */
export const dateOfSerial = (serial: number, is1904: boolean): string | undefined => {
  if (!Number.isFinite(serial) || serial < 0 || serial > 2_958_466) return undefined
  const epochMs = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const iso = new Date(epochMs + Math.round((serial * dayMs) / 1000) * 1000).toISOString()
  const [date, time] = [iso.slice(0, 10), iso.slice(11, 19)]
  if (serial < 1) return time
  return time === '00:00:00' ? date : `${date} ${time}`
}
