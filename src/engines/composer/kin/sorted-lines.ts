import { fstatSync, openSync, readSync } from 'node:fs'

/** Lines of a large file, read where they are needed; the file is never loaded as a whole. */
export type LineFile = {
  /** The line that begins at this byte. */
  lineAt(offset: number): string
  /** All lines that begin with this text. The lines of the file must be sorted by their bytes. */
  linesFrom(start: string): string[]
  /** How many pieces have been read of it. */
  reads(): number
}

const pieceBytes = 2048
/** No line of what we read is longer; what comes behind is not looked at. */
const piecesMax = 8
const newLine = 10

export const openLines = (path: string): LineFile => {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  let reads = 0

  const read = (offset: number): Buffer => {
    const piece = Buffer.alloc(pieceBytes)
    reads++
    return piece.subarray(0, readSync(file, piece, 0, pieceBytes, offset))
  }

  const lineAt = (offset: number): string => {
    const pieces: Buffer[] = []
    for (let number = 0; number < piecesMax; number++) {
      const piece = read(offset + number * pieceBytes)
      const end = piece.indexOf(newLine)
      pieces.push(end < 0 ? piece : piece.subarray(0, end))
      if (end >= 0 || piece.length === 0) break
    }
    return Buffer.concat(pieces).toString('latin1').trimEnd()
  }

  /** The whole lines from the first that begins at or behind this byte. */
  const linesBehind = (offset: number): { at: number; lines: string[] } => {
    const piece = read(Math.max(0, offset - 1))
    const first = offset === 0 ? 0 : piece.indexOf(newLine) + 1
    const last = piece.lastIndexOf(newLine)
    const lines = last < first ? [] : piece.toString('latin1', first, last).split('\n')
    return { at: Math.max(0, offset - 1) + first, lines }
  }

  const linesFrom = (start: string): string[] => {
    // Both are offsets into the file; the first fitting line begins behind `low`, and not behind `high`.
    let [low, high] = [0, size]
    while (high - low > pieceBytes / 2) {
      const middle = Math.floor((low + high) / 2)
      const [line = ''] = linesBehind(middle).lines
      if (line !== '' && line < start) low = middle
      else high = middle
    }
    const found: string[] = []
    for (let at = low; at < size; ) {
      const piece = linesBehind(at)
      if (piece.lines.length === 0) break
      for (const line of piece.lines) {
        if (line.startsWith(start)) found.push(line.trimEnd())
        else if (line > start) return found
      }
      at = piece.at + piece.lines.reduce((sum, line) => sum + line.length + 1, 0)
    }
    return found
  }

  return { lineAt, linesFrom, reads: () => reads }
}
