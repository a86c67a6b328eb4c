import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { adminKey, startService } from '../service.js'

const service = await startService({ after })
const client = (apiKey: string) => new OpenAI({ baseURL: `${service.origin}/api/v1`, apiKey, maxRetries: 0 })

test('openai-node lists and reads models when only base URL and key are changed', async () => {
  const ids: string[] = []
  for await (const model of await client(adminKey).models.list()) {
    assert.equal(typeof model.created, 'number')
    ids.push(model.id)
  }
  assert.ok(ids.includes('tessera-tiny'))
  assert.equal((await client(adminKey).models.retrieve('tessera-tiny')).object, 'model')
})

test('openai-node shows our errors with status, sentence and request id', async () => {
  const wrong = await client('wrong')
    .models.list()
    .catch((error) => error)
  assert.ok(wrong instanceof OpenAI.AuthenticationError)
  assert.match(wrong.message, /This API key is not known to the service/)
  assert.match(String(wrong.requestID), /^[0-9a-f]{32}$/)
  const missing = await client(adminKey)
    .models.retrieve('nope')
    .catch((error) => error)
  assert.ok(missing instanceof OpenAI.NotFoundError)
})
