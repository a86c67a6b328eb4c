/** Prints rows as a table for a person, or as they are for a program. */
export const print = (rows: Record<string, unknown>[], isJson: boolean | undefined, whenEmpty: string) => {
  if (isJson) console.log(JSON.stringify(rows, null, 2))
  else console.log(rows.length === 0 ? whenEmpty : table(rows))
}

const table = (rows: Record<string, unknown>[]): string => {
  const names = Object.keys(rows[0] ?? {})
  const cells = [names, ...rows.map((row) => names.map((name) => cell(row[name])))]
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '-'
  if (value instanceof Date) return value.toISOString().replace('T', ' ').slice(0, 19)
  return String(value)
}

/** On every command, so that scripts can rely on it. */
export const jsonOption = ['--json', 'print JSON for programs'] as const
