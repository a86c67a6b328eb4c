/** Every day of a series has its `date` beside the names, so nothing else can be called that. */
const taken = 'date'

/**
 * Makes names distinct, in order: one that is empty, taken or not the only one of its kind is told apart by its hint,
 * and, where that is not enough, by a number.
 */
export const distinctNames = (items: readonly { name: string; hint?: string | null }[]): string[] => {
  const given = new Set([taken])
  const isAlone = (name: string) => name !== '' && items.filter((item) => item.name === name).length === 1
  return items.map(({ name, hint }) => {
    const wanted = isAlone(name) || !hint ? name : `${name} (${hint})`.trim()
    let distinct = wanted
    for (let number = 2; given.has(distinct); number++) distinct = `${wanted} (${number})`
    given.add(distinct)
    return distinct
  })
}
