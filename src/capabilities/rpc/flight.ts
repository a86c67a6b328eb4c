import type { NodeAnswer, NodeCall, NodeError } from '#engines/nodes/node.js'
import { createStop, type StopSignal } from '#plumbing/stop-signal.js'
import type { CheckedItem } from './body.js'

export type Answer = NodeAnswer | NodeError

export type Seat = {
  item: CheckedItem
  /** Of a read: its question. */
  key: string | undefined
  /** Of what is sent, as far as it is known. */
  hash: string | undefined
}

/** Calls that travel to a node together, and the requests that wait for them: not only the one that asked first. */
export type Flight = {
  /** What was known of the chain when they were asked. */
  generation: number
  seats: Seat[]
  calls: NodeCall[]
  /** One for each seat. */
  answers: Promise<Answer[]>
  waiting: number
  signal: StopSignal
  stop(): void
}

export const createFlight = (generation: number): Flight => {
  const { signal, stop } = createStop()
  return { generation, seats: [], calls: [], answers: notStarted, waiting: 0, signal, stop }
}

const notStarted: Flight['answers'] = Promise.resolve([])

/** Gives a call a seat, and says which. */
export const board = (flight: Flight, seat: Seat): number => {
  const { methodOf, params } = seat.item
  const { name, kind, isNullDoubtful } = methodOf
  flight.calls.push({ method: name, params, kind, isNullDoubtful })
  return flight.seats.push(seat) - 1
}

/**
 * Waits for all flights, or until the caller leaves. A flight goes on for as long as anybody waits for it; one that nobody
 * does is abandoned.
 */
export const arrive = (
  flights: readonly Flight[],
  signal: StopSignal,
  abandon: (flight: Flight) => void,
): Promise<Answer[][]> =>
  new Promise((resolve, reject) => {
    const leave = () => {
      reject(signal.reason)
      for (const flight of flights) {
        flight.waiting--
        if (flight.waiting === 0) abandon(flight)
      }
    }
    for (const flight of flights) flight.waiting++
    signal.addEventListener('abort', leave, { once: true })
    const stay = () => signal.removeEventListener('abort', leave)
    const onArrived = (answers: Answer[][]) => {
      stay()
      resolve(answers)
    }
    const onFailed = (error: unknown) => {
      stay()
      reject(error)
    }
    const [first, ...more] = flights
    // Nearly always there is only one.
    if (first !== undefined && more.length === 0) first.answers.then((answers) => onArrived([answers]), onFailed)
    else Promise.all(flights.map(({ answers }) => answers)).then(onArrived, onFailed)
  })
