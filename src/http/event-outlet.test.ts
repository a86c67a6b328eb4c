import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { mock, test } from 'node:test'
import { createEventOutlet, departureOf } from './event-outlet.js'

/** What an outlet needs of a request, and what it did to it. */
const createReply = ({ hasRoom = true } = {}) => {
  const sent: string[] = []
  const raw = Object.assign(new EventEmitter(), {
    writableFinished: false,
    isDestroyed: false,
    write: (text: string) => {
      sent.push(text)
      return hasRoom
    },
    end: (text: string) => {
      sent.push(text)
      raw.writableFinished = true
    },
    destroy: () => {
      raw.isDestroyed = true
      raw.emit('close')
    },
  })
  const response = raw as unknown as ServerResponse
  const begin = (status: number, headers: Record<string, string>) =>
    void sent.push(`${status} ${headers['content-type']?.split(';')[0]} ${headers['x-known'] ?? '-'}`)
  const signal = departureOf(response)
  return { raw, sent, signal, outlet: createEventOutlet({ response, begin }, signal) }
}

const withTimers = (run: () => void | Promise<void>) => async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  try {
    await run()
  } finally {
    mock.timers.reset()
  }
}

test('the head leaves with the beginning of the answer, once', () => {
  const { sent, outlet } = createReply()
  outlet.announce({ 'x-known': 'before' })
  assert.equal(outlet.hasBegun, false)
  outlet.begin({ 'x-known': 'now' })
  outlet.begin({})
  outlet.end('bye')
  assert.deepEqual(sent, ['200 text/event-stream now', 'bye'])
})

test(
  'silence is broken by pings every 15 s, also before the answer begins',
  withTimers(() => {
    const { sent, outlet } = createReply()
    outlet.announce({ 'x-known': 'before' })
    mock.timers.tick(15_000)
    mock.timers.tick(15_000)
    assert.deepEqual(sent, ['200 text/event-stream before', ': ping\n\n', ': ping\n\n'])
    assert.ok(outlet.hasBegun)
    outlet.close()
    mock.timers.tick(60_000)
    assert.equal(sent.length, 3)
  }),
)

test('who reads slowly is waited for, and then it goes on', async () => {
  const { raw, outlet } = createReply({ hasRoom: false })
  outlet.begin({})
  const room = outlet.write('data: 1\n\n')
  assert.ok(room !== undefined)
  raw.emit('drain')
  await room
  assert.equal(raw.listenerCount('drain'), 0)
  outlet.close()
})

test(
  'who reads nothing for a minute is let go',
  withTimers(async () => {
    const { raw, signal, outlet } = createReply({ hasRoom: false })
    outlet.begin({})
    const room = outlet.write('data: 1\n\n')
    const closed = once(raw, 'close')
    mock.timers.tick(60_000)
    await closed
    await assert.rejects(room ?? Promise.resolve(), { name: 'AbortError' })
    assert.deepEqual([raw.isDestroyed, signal.aborted], [true, true])
    outlet.close()
  }),
)

test('an answer that was finished was not left', () => {
  const { raw, signal, outlet } = createReply()
  outlet.begin({})
  outlet.end('bye')
  raw.emit('close')
  assert.equal(signal.aborted, false)
})
