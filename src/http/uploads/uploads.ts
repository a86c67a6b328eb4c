import { fail } from '#contract/errors.js'
import { createRoom } from '#plumbing/room.js'

/**
 * Large parts of a body, which are kept beside it: files of a form, and texts of a JSON body that hold a whole picture. In the
 * body stands a short mark instead, so that checking and copying bodies stays cheap.
 */
export class Uploads {
  readonly #kept = new Map<string, Uint8Array | string>()

  /** Gives the mark that stands for it. */
  keep(content: Uint8Array | string): string {
    // What a caller writes himself is no mark unless it is kept here, and then it is his own.
    const mark = `\u0000upload-${this.#kept.size}`
    this.#kept.set(mark, content)
    return mark
  }

  /** What a mark stands for; undefined for any other text. */
  find(mark: string): Uint8Array | string | undefined {
    return this.#kept.get(mark)
  }

  get isEmpty(): boolean {
    return this.#kept.size === 0
  }

  get contents(): Iterable<Uint8Array | string> {
    return this.#kept.values()
  }
}

/** Fields that hold pictures, on any route. In others, a long text is just a long text. */
export const pictureFields: ReadonlySet<string> = new Set(['image', 'images', 'mask'])

/**
 * Bodies with pictures are large, and many at once would be larger than the machine: so they share a room, of which nobody
 * can have more than half.
 */
export const createUploadRoom = (bytesMax = 1024 ** 3) => {
  const room = createRoom(() => bytesMax)
  return {
    /** Fails when there is no room. Gives the function that leaves it again. */
    enter(bytes: number, who: string): () => void {
      const leave = room.enter(bytes, who)
      if (leave === undefined) throw fail('uploadsBusy').retryAfterMs(2_000)
      return leave
    },
  }
}
