import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

const low = 10
const tasks = '/proc/self/task'
/** The picture library works in threads of its own, which begin as important as requests are. */
const helperName = 'libvips worker'

/** Requests go first where cores are few. Only Linux knows priorities of single threads. */
export const lowerThread = () => {
  // Nobody may raise what an operator has made lower still.
  if (process.platform === 'linux' && getPriority() < low) setPriority(low)
}

let known: ReadonlySet<string> = new Set()

/** Does the same for threads that the picture library has started since the last call. */
export const lowerHelpers = () => {
  if (process.platform !== 'linux') return
  const present = readdirSync(tasks)
  for (const id of present) if (!known.has(id)) lowerIfHelper(id)
  known = new Set(present)
}

const lowerIfHelper = (id: string) => {
  try {
    if (readFileSync(`${tasks}/${id}/comm`, 'latin1').trim() === helperName) setPriority(Number(id), low)
  } catch {
    // It has ended meanwhile.
  }
}
