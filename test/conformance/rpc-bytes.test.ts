import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { askedOf, startPairs } from '../rpc-pairs.js'
import { creditsIn } from '../rpc-service.js'

const { service, takePair } = await startPairs({ after }, 4)
const { call, costing } = service

// Numbers that no number type holds, an order, a repeated name, escapes, spaces, and text that is not ASCII.
const strange = String.raw`{ "z" : 9007199254740993 , "a":1.0, "huge":123456789012345678901234567890.10E+2,"dup":1,"dup":2,
  "text":"\u0041\/\"\ud83d\ude00é", "unknown":{"b":[ ],"":null} }`
const bytes = Buffer.from(strange).toString('latin1')
const hash = `0x${'4'.repeat(64)}`
const question = `{"id":1,"method":"eth_getBlockByHash","params":["${hash}",false]}`

test('results are passed on as they are: alone, in a batch, and when they were kept', async () => {
  const pair = takePair()
  for (const node of pair.nodes) node.rawResult('eth_getBlockByHash', bytes)
  const first = await call(pair.network, question)
  assert.equal(first.text, `{"jsonrpc":"2.0","id":1,"result":${strange}}`)
  const again = await call(pair.network, question)
  const batch = await call(pair.network, `[${question}, ${question.replace(hash, `0x${'5'.repeat(64)}`)}]`)
  assert.equal(again.text, first.text)
  assert.equal(batch.text, `[${first.text},${first.text}]`)
  assert.deepEqual(
    [first, again, batch].map(({ headers }) => headers['x-svc-rpc-cache']),
    ['MISS', 'HIT', 'PARTIAL'],
  )
  assert.deepEqual([first, again, batch].map(creditsIn), [20, 20, 40])
  assert.equal(askedOf(pair, 'eth_getBlockByHash'), 2)
})

test('errors too, which are never kept', async () => {
  const pair = takePair()
  for (const node of pair.nodes) node.rawError('eth_getBlockByHash', `{"code":-32602,"message":"no","data":${bytes}}`)
  const text = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","data":${strange}}}`
  for (let times = 1; times <= 2; times++) {
    const answer = await costing(5, () => call(pair.network, question))
    assert.deepEqual([answer.text, answer.headers['x-svc-rpc-cache']], [text, 'MISS'])
    assert.ok(askedOf(pair, 'eth_getBlockByHash') >= times)
  }
})

test('parameters as well', async () => {
  const pair = takePair()
  for (const node of pair.nodes) node.rawResult('eth_call', '"0x"')
  const params = `[ {"to":"0x${'6'.repeat(40)}" , "gas":1e3,"note":"\\u0041é"},"latest" ]`
  await call(pair.network, `{"params":${params}, "method":"eth_call","id":1,"more":{}}`)
  const sent = pair.nodes.flatMap((node) => node.bodies).find((body) => body.includes('eth_call'))
  assert.ok(sent?.includes(`"params":${Buffer.from(params).toString('latin1')}`), sent)
})

test('ids are echoed exactly, and nobody upstream sees them', async () => {
  const pair = takePair()
  const ids = ['1.0', '9007199254740993', String.raw`"a\u0041"`, 'null', '0', '-1', '1e3', '""', '"1"', '1', '1']
  const ask = (id: string) => `{"id":${id},"method":"eth_getBalance","params":["0x${'7'.repeat(40)}","latest"]}`
  for (const id of ids) assert.ok((await call(pair.network, ask(id))).text.includes(`"id":${id},`), id)
  const { text } = await call(pair.network, `[${ids.map(ask).join(' , ')}]`)
  const result = '"result":"0xb77777777"'
  assert.equal(text, `[${ids.map((id) => `{"jsonrpc":"2.0","id":${id},${result}}`).join(',')}]`)
  for (const { bodies } of pair.nodes) for (const body of bodies) assert.doesNotMatch(body, /9007199254740993|\\u0041/)
})
