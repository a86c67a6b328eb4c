import { type Dispatcher, Headers, WebSocket } from 'undici'

export type SocketListener = {
  onOpen(): void
  onText(text: string): void
  /** Also when it could not be opened at all. Told once, and not after `close`. */
  onClosed(): void
}
export type Socket = { close(): void }

type Needs = {
  dispatcher: Dispatcher
  url: URL
  /** Names and values, one after the other. */
  headers: string[]
  listener: SocketListener
}

/** A WebSocket to an upstream, for what it tells while it works. What it sends in binary (previews) is not listened to. */
export const openSocket = ({ dispatcher, url, headers, listener }: Needs): Socket => {
  const address = new URL(url)
  address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  const sent = new Headers()
  for (let index = 0; index < headers.length; index += 2) sent.append(headers[index] ?? '', headers[index + 1] ?? '')

  const socket = new WebSocket(address, { dispatcher, headers: sent })
  let isWanted = true
  const end = () => {
    if (!isWanted) return
    isWanted = false
    listener.onClosed()
  }
  socket.addEventListener('open', () => {
    if (isWanted) listener.onOpen()
  })
  socket.addEventListener('message', ({ data }) => {
    if (isWanted && typeof data === 'string') listener.onText(data)
  })
  socket.addEventListener('error', end)
  socket.addEventListener('close', end)
  return {
    close() {
      isWanted = false
      socket.close()
    },
  }
}
