const made = new Map<string, RegExp>()

/**
 * A pattern that is put together from parts, made once. The runtime forgets compiled patterns that nobody holds whenever it
 * cleans up, which large pictures make it do often, and compiling some of these again takes longer than a plain edit.
 */
export const patternOf = (source: string): RegExp => {
  const known = made.get(source)
  if (known) return known
  const fresh = new RegExp(source)
  made.set(source, fresh)
  return fresh
}
