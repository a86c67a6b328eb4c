import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSignIns, isRefused, refusalOf } from '../../../test/sign-ins.js'
import type { SignInMessage } from './message.js'
import { sweepNonces } from './nonces.js'
import { createSignIn } from './sign-in.js'

const signIns = await createSignIns({ after })
const { sql, clock, usualPlace, iso, newNonce, evmHeader, solanaHeader, nonceCount } = signIns
const newSignIn = (place = usualPlace) => createSignIn({ sql, clock, place: () => place })
const signIn = newSignIn()

beforeEach(async () => {
  await sql`delete from sign_in_nonce`
})

test('a nonce works once, whichever process is asked, and however many ask at once', async () => {
  const other = newSignIn()
  for (const header of [await evmHeader(), await solanaHeader()]) {
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => (index % 2 ? signIn : other)(header)),
    )
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.extra.reason] : []))
    assert.deepEqual(refusals, Array(39).fill('nonce_used'))
    await isRefused(signIn, header, 'nonce_used', /nonce was used before/)
  }
  const nonce = newNonce()
  await signIn(await evmHeader({ nonce }))
  assert.deepEqual(
    await signIn(await solanaHeader({ nonce })),
    signIns.signedInSolana,
    'and another wallet has its own',
  )
  await isRefused(signIn, await evmHeader({ nonce, issuedAt: iso(1) }), 'nonce_used', /nonce/)
})

test('sign-ins that arrive together share a statement', async () => {
  let statements = 0
  const counting = Object.assign(((...given: Parameters<typeof sql>) => sql(...given)) as typeof sql, sql, {
    prepared: (...given: Parameters<typeof sql.prepared>) => {
      statements++
      return sql.prepared(...given)
    },
  })
  const signIn = createSignIn({ sql: counting, clock, place: () => usualPlace })
  const headers = await Promise.all(Array.from({ length: 30 }, () => solanaHeader()))
  await Promise.all(headers.map(signIn))
  assert.equal(await nonceCount(), 30)
  assert.ok(statements <= 2, `${statements} statements`)
})

test('where a sign-in may be used again, nothing is remembered', async () => {
  const signIn = newSignIn({ ...usualPlace, isReusable: true })
  const header = await evmHeader()
  for (let index = 0; index < 3; index++) assert.deepEqual(await signIn(header), signIns.signedInEvm)
  assert.equal(await nonceCount(), 0)
  clock.advance(240_001)
  await isRefused(signIn, header, 'expired', /expirationTime is .*, and here it is/)
})

test('a nonce is remembered for longer than it could be used, and then forgotten by itself', async () => {
  const times: (() => Partial<SignInMessage>)[] = [
    () => ({ issuedAt: iso(60_000), expirationTime: undefined }),
    () => ({ issuedAt: iso(-100_000), expirationTime: undefined }),
    () => ({ expirationTime: iso(10_000) }),
    () => ({ expirationTime: iso(9e9) }),
  ]
  for (const changes of times) {
    const header = await evmHeader(changes())
    await signIn(header)
    let reason: unknown
    for (let waits = 0; reason === undefined || reason === 'nonce_used'; waits++) {
      assert.ok(waits < 100)
      await sweepNonces(sql, clock.nowMs())
      reason = (await refusalOf(signIn, header)).extra.reason
      clock.advance(5_000)
    }
    assert.ok(reason === 'too_old' || reason === 'expired')
    assert.equal(await nonceCount(), 1)
    clock.advance(31_000)
    await sweepNonces(sql, clock.nowMs())
    assert.equal(await nonceCount(), 0)
  }

  await signIn(await evmHeader())
  clock.advance(700_000)
  await signIn(await evmHeader())
  for (let waits = 0; (await nonceCount()) > 1; waits++) {
    assert.ok(waits < 1_000, 'the first one is still there')
    await sleep(5)
  }
})
