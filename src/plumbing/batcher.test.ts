import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatcher } from './batcher.js'
import { Unavailable } from './unavailable.js'

/** A batcher whose batches are written down and end when the test says so. */
const createSubject = ({ keyOf, sizeMax }: { keyOf?: (item: string) => string; sizeMax?: number } = {}) => {
  const batches: string[][] = []
  const ends: (() => void)[] = []
  let isOpen = false
  const add = createBatcher<string, string>({
    async run(items) {
      batches.push(items)
      if (!isOpen) await new Promise<void>((resolve) => ends.push(resolve))
      if (items.includes('away')) throw new Unavailable('database')
      if (items.includes('bad')) throw new Error('a bad item')
      return items.map((item) => `${item}!`)
    },
    ...(keyOf && { keyOf }),
    ...(sizeMax !== undefined && { sizeMax }),
  })
  return {
    add,
    batches,
    /** Lets the batch that runs, and all that follow, come to their end. */
    open() {
      isOpen = true
      for (const end of ends) end()
    },
  }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('what arrives together travels together, and everybody gets the result of their own item', async () => {
  const { add, batches, open } = createSubject()
  open()
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(add)), ['a!', 'b!', 'c!'])
  assert.deepEqual(batches, [['a', 'b', 'c']])
})

test('what arrives while a batch runs waits for the next one, in order', async () => {
  const { add, batches, open } = createSubject()
  const first = add('a')
  await nextTurn()
  const others = [add('b'), add('c')]
  await nextTurn()
  others.push(add('d'))
  assert.deepEqual(batches, [['a']], 'one batch at a time')
  open()
  assert.deepEqual(await Promise.all([first, ...others]), ['a!', 'b!', 'c!', 'd!'])
  assert.deepEqual(batches, [['a'], ['b', 'c', 'd']])
  assert.equal(await add('e'), 'e!', 'and it can be used again after a rest')
})

test('a batch has a largest size, and the rest keeps its order', async () => {
  const { add, batches, open } = createSubject({ sizeMax: 2 })
  open()
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map(add))
  assert.deepEqual(batches, [['a', 'b'], ['c', 'd'], ['e']])
})

test('items with equal keys never travel together, and the earlier one goes first', async () => {
  const { add, batches, open } = createSubject({ keyOf: (item) => item.slice(0, 1) })
  open()
  const results = await Promise.all(['a1', 'a2', 'b1', 'a3', 'b2', 'c1'].map(add))
  assert.deepEqual(batches, [['a1', 'b1', 'c1'], ['a2', 'b2'], ['a3']])
  assert.deepEqual(results, ['a1!', 'a2!', 'b1!', 'a3!', 'b2!', 'c1!'])
})

test('a bad item fails alone: the others of its batch are tried one by one', async () => {
  const { add, batches, open } = createSubject()
  open()
  const results = await Promise.allSettled(['a', 'bad', 'b'].map(add))
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
    ['a!', 'a bad item', 'b!'],
  )
  assert.deepEqual(batches, [['a', 'bad', 'b'], ['a'], ['bad'], ['b']])
})

test('a database that is away fails the batch and all who wait behind it at once; what comes later is tried', async () => {
  const { add, batches, open } = createSubject()
  const together = Promise.allSettled(['a', 'away', 'b'].map(add))
  await nextTurn()
  const behind = Promise.allSettled([add('c')])
  open()
  for (const result of [...(await together), ...(await behind)])
    assert.ok(result.status === 'rejected' && result.reason instanceof Unavailable)
  assert.equal(await add('d'), 'd!')
  assert.deepEqual(batches, [['a', 'away', 'b'], ['d']])
})
