export type ServerSentEvent = { event?: string | undefined; data: string }

type Needs = {
  onEvent(event: ServerSentEvent): void
  /** No more than this is ever kept for one event. */
  eventBytesMax?: number | undefined
}

const lineFeed = 10
const carriageReturn = 13
const space = 32
const byteOrderMark = 0xfeff

/**
 * Reads server-sent events out of bytes, however they are cut into reads
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). Only whole lines are decoded,
 * so a character that is split between reads is never seen in halves. An event that no empty line ended is dropped, as
 * the standard says; so there is nothing to do at the end. `id` and `retry` are for clients that reconnect; we do not.
 */
export const createEventReader = ({ onEvent, eventBytesMax = 8 * 1024 * 1024 }: Needs) => {
  let isStart = true
  let endedWithReturn = false
  /** The start of a line whose end has not come. In pieces: joining them at each read would take quadratic time. */
  let heldBytes: Buffer[] = []
  let heldLength = 0
  let event: string | undefined
  let data: string | undefined

  const checkSize = (size: number) => {
    if (size > eventBytesMax) throw new RangeError(`an event is larger than ${eventBytesMax} bytes`)
  }

  const readLine = (text: string, start: number, end: number) => {
    if (text.startsWith('data:', start)) {
      const value = text.slice(text.charCodeAt(start + 5) === space ? start + 6 : start + 5, end)
      data = data === undefined ? value : `${data}\n${value}`
      checkSize(data.length)
    } else if (text.startsWith('event:', start))
      event = text.slice(text.charCodeAt(start + 6) === space ? start + 7 : start + 6, end)
    else {
      const line = text.slice(start, end)
      if (line === 'data') data = data === undefined ? '' : `${data}\n`
      else if (line === 'event') event = undefined
    }
  }

  const readLines = (text: string) => {
    let start = 0
    while (start < text.length) {
      const end = text.indexOf('\n', start)
      if (end > start) readLine(text, start, end)
      else {
        if (data !== undefined) onEvent({ event: event || undefined, data })
        event = undefined
        data = undefined
      }
      start = end + 1
    }
  }

  const decode = (lines: Buffer) => {
    const text = lines.toString('utf8')
    const isMarked = isStart && text.charCodeAt(0) === byteOrderMark
    isStart = false
    const marked = isMarked ? text.slice(1) : text
    return marked.includes('\r') ? marked.replace(/\r\n?/g, '\n') : marked
  }

  return {
    /** May call `onEvent` many times. Throws when an event is too large; then nothing more may be pushed. */
    push(bytes: Buffer): void {
      if (bytes.length === 0) return
      const last = bytes[bytes.length - 1]
      // A line feed that completes the return of the read before is not a second end of line.
      const start = endedWithReturn && bytes[0] === lineFeed ? 1 : 0
      endedWithReturn = last === carriageReturn

      const end =
        last === lineFeed || last === carriageReturn
          ? bytes.length
          : Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn)) + 1
      if (end > start) {
        const lines = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end)
        const held = heldBytes
        heldBytes = []
        heldLength = 0
        readLines(decode(held.length === 0 ? lines : Buffer.concat([...held, lines])))
      }
      if (bytes.length === Math.max(start, end)) return
      const rest = bytes.subarray(Math.max(start, end))
      heldBytes.push(rest)
      heldLength += rest.length
      checkSize(heldLength + (data?.length ?? 0))
    },
  }
}
