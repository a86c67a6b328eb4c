import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fail } from '#contract/errors.js'
import { Unavailable } from '#plumbing/unavailable.js'
import { createTestClock } from '../../test/service.js'
import { createBudgets, type Failed } from './budgets.js'

const who = { accountId: 'account', keyId: 'key', tier: 'paid' }
const wallet = { accountId: 'wallet', keyId: null, tier: 'paid' }

const setUp = (failed = 3) => {
  const clock = createTestClock(1_000_000)
  const announced: Failed[] = []
  const budget = { windowSeconds: 30, failed, unsupported: 2 }
  const budgets = createBudgets({ budget: () => budget, clock, announce: (news) => announced.push(news) })
  const isOpen = async (caller = who as typeof who | typeof wallet) => {
    try {
      await budgets.watch(caller, 'model', async () => {})
      return true
    } catch {
      return false
    }
  }
  return { clock, budgets, announced, isOpen, budget }
}

test('a budget is used up exactly while more failures than it allows lie in the last 30 seconds', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ waitMs: fc.nat(12_000), isFailing: fc.boolean() }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, most) => {
        const { clock, budgets, isOpen } = setUp(most)
        const moments: number[] = []
        for (const { waitMs, isFailing } of steps) {
          clock.advance(waitMs)
          const recent = moments.filter((moment) => moment > clock.nowMs() - 30_000)
          assert.equal(await isOpen(), recent.length <= most)
          if (!isFailing) continue
          budgets.note(who, 'model', new Error('broken'))
          moments.push(clock.nowMs())
        }
      },
    ),
  ))

test('what other processes noted counts the same, and is not told again', async () => {
  const one = setUp()
  const other = setUp()
  for (let n = 0; n < 4; n++) one.budgets.note(who, 'model', fail('inferenceFailed', 'model'))
  assert.equal(one.announced.length, 4)
  for (const news of one.announced) other.budgets.hear(news)
  assert.equal(await other.isOpen(), false)
  assert.deepEqual(other.announced, [])
})

test('being out of credit, too fast, too early or gone is no failure of a request', async () => {
  const { budgets, isOpen } = setUp()
  const harmless = [
    fail('insufficientBalance'),
    fail('keyUsdLimitReached'),
    fail('rateLimited'),
    fail('errorBudgetUsed'),
    fail('modelOverloaded'),
    fail('idempotencyKeyInUse'),
    fail('callerLeft'),
    // Ours, and soon over.
    new Unavailable('database'),
    fail('holdLost'),
  ]
  for (const failure of [...harmless, ...harmless]) budgets.note(who, 'model', failure)
  assert.equal(await isOpen(), true)
  const harmful = [fail('inferenceFailed'), fail('modelUnreachable'), fail('inferenceTimeout'), fail('engineRefused')]
  for (const failure of harmful) budgets.note(who, 'model', failure)
  assert.equal(await isOpen(), false)
})

test('a wallet has budgets of its own', async () => {
  const { budgets, isOpen } = setUp()
  for (let n = 0; n < 4; n++) budgets.note(wallet, 'model', fail('inferenceFailed', 'model'))
  assert.deepEqual([await isOpen(wallet), await isOpen()], [false, true])
})

test('a budget that is raised while the service runs is open at once', async () => {
  const { budgets, isOpen, budget } = setUp()
  for (let n = 0; n < 4; n++) budgets.note(who, 'model', new Error('broken'))
  assert.equal(await isOpen(), false)
  budget.failed = 100
  assert.equal(await isOpen(), true)
})

test('ten thousand failing callers are remembered, and who failed longest ago is forgotten first', async () => {
  const { budgets, isOpen } = setUp()
  const failOften = (keyId: string) => {
    for (let n = 0; n < 4; n++) budgets.note({ ...who, keyId }, 'model', new Error('broken'))
  }
  failOften('old')
  failOften('key')
  for (let n = 0; n < 9_999; n++) budgets.note({ ...who, keyId: `key ${n}` }, 'model', new Error('broken'))
  assert.deepEqual([await isOpen({ ...who, keyId: 'old' }), await isOpen()], [true, false])
})
