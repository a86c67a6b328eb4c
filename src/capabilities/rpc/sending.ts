import { type CallKind, type JsonText, NodeError } from '#engines/nodes/node.js'
import type { StopSignal } from '#plumbing/stop-signal.js'
import type { Answer, Flight } from './flight.js'

/** Something that may change the chain and is about to be sent. */
export type Sending = { network: string; method: string; hash: string | undefined }

/** `refused`: also what was never sent. `unknown`: it may have been taken, or not. */
export type SendEnd = 'accepted' | 'refused' | 'unknown'

/** Is told how it ended, and what the node answered if it was accepted. */
export type SendEnded = (end: SendEnd, result: JsonText | undefined) => Promise<void>

/** Is called before anything is sent; where it fails, nothing is. */
export type OnSend = (sending: Sending) => Promise<SendEnded>

type NotedFlight = { network: string; flight: Flight; onSend: OnSend; signal: StopSignal; ask(): Promise<Answer[]> }

/** Notes what is sent, lets it be sent, and notes how that ended. */
export const sendNoted = async ({ network, flight, onSend, signal, ask }: NotedFlight): Promise<Answer[]> => {
  const seats = [...flight.seats.keys()].filter((seat) => flight.calls[seat]?.kind !== 'read')
  const endings = await noteAll(
    seats.map((seat) => ({ network, method: flight.calls[seat]?.method ?? '', hash: flight.seats[seat]?.hash })),
    onSend,
  )
  if (signal.aborted) {
    await tellAll(endings, () => notSent)
    throw signal.reason
  }
  let answers: Answer[] = []
  try {
    answers = await ask()
    return answers
  } finally {
    await tellAll(endings, (place) => {
      const seat = seats[place] as number
      return endOf(flight.calls[seat]?.kind, answers[seat])
    })
  }
}

type End = Parameters<SendEnded>
const notSent: End = ['refused', undefined]

const noteAll = async (sendings: readonly Sending[], onSend: OnSend): Promise<SendEnded[]> => {
  const noted = await Promise.allSettled(sendings.map(async (sending) => onSend(sending)))
  const endings = noted.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = noted.find((one) => one.status === 'rejected')
  if (failed === undefined) return endings
  await tellAll(endings, () => notSent)
  throw failed.reason
}

/** Whether the end could be noted must not cost callers their answer: what they sent is out. */
const tellAll = async (endings: readonly SendEnded[], endAt: (place: number) => End) => {
  await Promise.allSettled(endings.map(async (ended, place) => ended(...endAt(place))))
}

const endOf = (kind: CallKind | undefined, answer: Answer | undefined): End => {
  if (answer === undefined) return ['unknown', undefined]
  if (answer instanceof NodeError) return isSurelyNotSent(kind, answer) ? notSent : ['unknown', undefined]
  return 'result' in answer ? ['accepted', answer.result] : notSent
}

/** Only of transactions is it said apart (as `unknown`) what a node may have taken before it broke off. */
const isSurelyNotSent = (kind: CallKind | undefined, { trouble }: NodeError) =>
  trouble === 'overloaded' || (trouble === 'unreachable' && kind === 'send')
