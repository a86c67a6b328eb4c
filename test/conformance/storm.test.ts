import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runStorm } from '../storm.js'

// Each fault once. `npm run storm` does the same for longer, and with more numbers of processes.
test('six rounds of kill -9 under load: what was delivered is billed exactly once, and no money is lost', async () => {
  const rounds = await runStorm({ rounds: 6, seed: 1, counts: [1, 3] })
  assert.deepEqual(
    rounds.filter(({ problems }) => problems.length > 0),
    [],
  )
  assert.ok(rounds.every(({ requests, delivered }) => requests > 0 && delivered > 0))
  assert.ok(
    rounds.some(({ inFlight }) => inFlight > 0),
    'somebody was hit',
  )
})
