/** Memory that is shared out by the byte. Who finds no room is told at once, and waits for nothing. */
export type Room = {
  /** False: there is not so much left, and nothing was taken. */
  take(bytes: number): boolean
  give(bytes: number): void
  /**
   * Takes so much for somebody, of whom nobody can have more than half. Gives the function that leaves again, which may be
   * called more than once; undefined where there is no room.
   */
  enter(bytes: number, who: string): (() => void) | undefined
  taken(): number
}

/** The bound may change; what is taken stays taken. */
export const createRoom = (bytesMax: () => number): Room => {
  let taken = 0
  const takenBy = new Map<string, number>()

  const take = (bytes: number) => {
    if (taken + bytes > bytesMax()) return false
    taken += bytes
    return true
  }
  const give = (bytes: number) => {
    taken -= bytes
  }

  return {
    take,
    give,
    enter(bytes, who) {
      const own = (takenBy.get(who) ?? 0) + bytes
      if (own > bytesMax() / 2 || !take(bytes)) return undefined
      takenBy.set(who, own)
      let isInside = true
      return () => {
        if (!isInside) return
        isInside = false
        give(bytes)
        const rest = (takenBy.get(who) ?? bytes) - bytes
        if (rest > 0) takenBy.set(who, rest)
        else takenBy.delete(who)
      }
    },
    taken: () => taken,
  }
}

/** So little is not worth counting. */
export const uncountedBytes = 64 * 1024

/** What somebody has taken of a room, which may grow until everything is given back. */
export class Place {
  readonly #room: Room
  #bytes = 0
  #taken = 0

  constructor(room: Room) {
    this.#room = room
  }

  get bytes(): number {
    return this.#bytes
  }

  /** False: there is no room for it. */
  grow(bytes: number): boolean {
    this.#bytes += bytes
    if (this.#bytes <= uncountedBytes) return true
    const more = this.#bytes - this.#taken
    if (!this.#room.take(more)) return false
    this.#taken += more
    return true
  }

  leave() {
    if (this.#taken > 0) this.#room.give(this.#taken)
    this.#taken = 0
    this.#bytes = 0
  }
}
