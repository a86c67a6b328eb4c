import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountChanged, createAccount } from '#accounts/accounts.js'
import { createKey, keyChanged } from '#accounts/api-keys.js'
import { hashKeySecret } from '#accounts/key-secret.js'
import type { Announcements } from '#store/announcements.js'
import { createDatabase, type Sql } from '#store/sql.js'
import { createTestDatabase } from '../../test/database.js'
import { createKeyCache } from './key-cache.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})
const { id: accountId } = await createAccount(sql, { name: 'x', nowMs: 0 })
const { secret } = await createKey(sql, { accountId, type: 'INFERENCE', description: '' }, 0)
const hash = hashKeySecret(secret)

/** Announcements by hand, and a database that counts how often it is asked. */
const setUp = () => {
  let asked = 0
  const counting = Object.assign((() => {}) as unknown as Sql, sql, {
    maybeOne: (...query: Parameters<Sql['maybeOne']>) => {
      asked++
      return sql.maybeOne(...query)
    },
  })
  const hears = new Map<string, (message: string | undefined) => void>()
  let isCurrent = true
  const announcements: Announcements = {
    isCurrent: () => isCurrent,
    on: (channel, hear) => void hears.set(channel, hear),
    start: async () => {},
    stop: async () => {},
  }
  return {
    cache: createKeyCache({ sql: counting, announcements, keysMax: 2, unknownMax: 2 }),
    asked: () => asked,
    announce: (message: string | undefined, channel = keyChanged) => hears.get(channel)?.(message),
    setCurrent: (value: boolean) => {
      isCurrent = value
    },
  }
}

test('all who ask for one key at the same time cost one question, and later ones none', async () => {
  const { cache, asked } = setUp()
  const found = await Promise.all(Array.from({ length: 200 }, () => cache.find(hash)))
  assert.equal(asked(), 1)
  assert.ok(found.every((key) => key?.accountId === accountId))
  assert.equal(cache.peek(hash)?.accountId, accountId)
})

test('an answer that was on its way when the key changed is not remembered', async () => {
  const { cache, announce } = setUp()
  const underway = cache.find(hash)
  announce(hash)
  assert.equal((await underway)?.accountId, accountId)
  assert.equal(cache.peek(hash), undefined)
})

test('a change of one key forgets that key; possibly missed news forget all', async () => {
  const { cache, announce } = setUp()
  const other = hashKeySecret('nobody has this')
  await Promise.all([cache.find(hash), cache.find(other)])
  announce(other)
  assert.equal(cache.peek(other), undefined)
  assert.ok(cache.peek(hash))
  announce(undefined)
  assert.equal(cache.peek(hash), undefined)
})

test('a change of an account forgets its keys and no others', async () => {
  const { cache, announce } = setUp()
  const { id: otherId } = await createAccount(sql, { name: 'other', nowMs: 0 })
  const made = await createKey(sql, { accountId: otherId, type: 'INFERENCE', description: '' }, 0)
  const other = hashKeySecret(made.secret)
  await Promise.all([cache.find(hash), cache.find(other)])
  announce(otherId, accountChanged)
  assert.equal(cache.peek(other), undefined)
  assert.ok(cache.peek(hash))
})

test('nothing is taken from memory while news may not arrive', async () => {
  const { cache, setCurrent } = setUp()
  await cache.find(hash)
  setCurrent(false)
  assert.equal(cache.peek(hash), undefined)
  await cache.find(hash)
  setCurrent(true)
  assert.ok(cache.peek(hash), 'what was learnt before is good again, for nothing was announced')
})

test('a flood of invented keys does not push real ones out', async () => {
  const { cache } = setUp()
  await cache.find(hash)
  for (let index = 0; index < 10; index++) await cache.find(hashKeySecret(`invented ${index}`))
  assert.ok(cache.peek(hash))
})
