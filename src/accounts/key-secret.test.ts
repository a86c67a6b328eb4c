import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { hashKeySecret, looksLikeOurKey, newKeySecret } from './key-secret.js'

test('secrets say what they are, have a fixed length and never repeat', () => {
  const secrets = Array.from({ length: 2_000 }, (_, index) => newKeySecret(index % 2 ? 'ADMIN' : 'INFERENCE'))
  assert.equal(new Set(secrets).size, secrets.length)
  for (const secret of secrets) assert.ok(looksLikeOurKey(secret), secret)
  assert.ok(secrets[0]?.startsWith('svc_inf_') && secrets[1]?.startsWith('svc_adm_'))
})

test('the stored form is SHA-256 and nothing else', () => {
  assert.equal(hashKeySecret('abc'), createHash('sha256').update('abc').digest('hex'))
})
