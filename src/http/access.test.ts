import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { guardRoutes } from './access.js'

test('a route that does not say who may call it stops the start-up, and is named', async () => {
  const app = Fastify()
  const nobodyCalls = () => {
    throw new Error('nobody calls')
  }
  guardRoutes(app, {
    authenticate: nobodyCalls,
    walletDoor: nobodyCalls,
    payments: { offerTopUp: nobodyCalls, missingKey: nobodyCalls, complete: nobodyCalls },
    balances: { read: nobodyCalls, peek: nobodyCalls },
    others: { take: nobodyCalls, spend: nobodyCalls, look: nobodyCalls },
    standings: { of: nobodyCalls, resetIn: nobodyCalls },
  })
  assert.throws(
    () => app.get('/forgotten', async () => 'secret'),
    /The route GET \/forgotten does not declare who may call it\./,
  )
  assert.doesNotThrow(() => app.get('/declared', { config: { access: 'open' } }, async () => 'fine'))
})
