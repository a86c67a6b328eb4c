import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeApi } from '../../src/service/describe-api.js'
import { committedDescription, createAnswerCheck } from '../openapi.js'

test('openapi.json is what the routes say; after a change run: npm run openapi', async () => {
  const { info: _built, ...routes } = await describeApi()
  const { info: _committed, ...file } = committedDescription()
  assert.deepEqual(file, routes)
})

test('a route, status or body that openapi.json does not describe fails the test that meets it', () => {
  const check = createAnswerCheck()
  const styles = { object: 'list', data: ['Anime'] }
  check('GET', '/api/v1/image/styles', 200, styles)
  assert.throws(() => check('GET', '/api/v1/image/styles', 200, { ...styles, data: [1] }), /deviates/)
  assert.throws(() => check('GET', '/api/v1/image/styles', 200, { ...styles, extra: 1 }), /deviates/)
  assert.throws(() => check('GET', '/api/v1/image/styles', 418, styles), /does not name the status 418/)
  assert.throws(() => check('GET', '/api/v1/invented', 200, styles), /not in openapi\.json/)
})
