import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileSchema } from '../../test/fakes/schemas.js'
import { checkEmbeddingInput, EmbeddingRequest } from './embeddings.js'
import { Failure } from './errors.js'

const validate = compileSchema(EmbeddingRequest)

const refusalOf = (input: string | unknown[]): string => {
  assert.equal(validate({ model: 'm', input }), undefined)
  try {
    checkEmbeddingInput({ input })
  } catch (error) {
    assert.ok(error instanceof Failure)
    assert.equal(error.status, 400)
    return error.message
  }
  return ''
}

test('one text and many texts are taken in their order', () => {
  assert.deepEqual(checkEmbeddingInput({ input: 'a' }), ['a'])
  assert.deepEqual(checkEmbeddingInput({ input: ['a', 'b'] }), ['a', 'b'])
})

test('token ids are refused once, with the setting that makes LangChain for Python send text', () => {
  for (const input of [
    [1, 2, 3],
    [[1, 2], [3]],
    ['a', 3],
  ])
    assert.equal(
      refusalOf(input),
      'Invalid request: input must be text, not token ids; in LangChain for Python, set check_embedding_ctx_length=False to send text',
    )
})

test('an empty text in a list is named', () => {
  assert.equal(refusalOf(['a', '']), 'Invalid request: input.1 must not be empty')
})

test('no text, too many texts and dimensions below 1 are told by the schema', () => {
  assert.equal(validate({ model: 'm', input: '' }), 'Invalid request: input must be at least 1 characters')
  assert.equal(validate({ model: 'm', input: [] }), 'Invalid request: input must have at least 1 items')
  assert.equal(
    validate({ model: 'm', input: Array(2049).fill('a') }),
    'Invalid request: input must have at most 2048 items',
  )
  assert.equal(validate({ model: 'm', input: 'a', dimensions: 0 }), 'Invalid request: dimensions must be at least 1')
  assert.equal(validate({ model: 'm', input: 5 }), 'Invalid request: input must be string or array')
})
