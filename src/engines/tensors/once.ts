/** Opens something with the first call and gives the same to all later ones. What failed to open is tried again. */
export const once = <Opened>(open: () => Promise<Opened>): (() => Promise<Opened>) => {
  let opened: Promise<Opened> | undefined
  return () => {
    opened ??= open().catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }
}
