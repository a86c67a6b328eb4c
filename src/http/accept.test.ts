import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preferredType } from './accept.js'

test('the type with the highest quality is chosen, and the first where all is equal', () => {
  const expected: [string | undefined, 'json' | 'csv'][] = [
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['text/csv', 'csv'],
    ['Text/CSV; charset=utf-8', 'csv'],
    ['text/*', 'csv'],
    ['application/json, text/csv', 'json'],
    ['application/json;q=0.5, text/csv', 'csv'],
    ['text/csv;q=0.4, application/json;q=0.5', 'json'],
    ['text/csv;q=0.9, */*;q=0.1', 'csv'],
    ['application/json;q=0.1, */*', 'csv'],
    ['text/csv;q=0, */*', 'json'],
    ['image/png', 'json'],
    [';;,q=,/', 'json'],
  ]
  for (const [accept, short] of expected)
    assert.equal(preferredType(accept, ['application/json', 'text/csv']).split('/')[1], short, accept)
})
