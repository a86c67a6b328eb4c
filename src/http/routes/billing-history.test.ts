import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTestClock, startService } from '../../../test/service.js'
import { createAdminPayer, line, settleUsage } from '../../../test/usage.js'

const clock = createTestClock()
const service = await startService({ after }, { clock })
const { sql } = service
const usd = (dollars: number) => BigInt(dollars * 1e9)
const payer = async (credit: { usd?: bigint; bundled?: bigint; diem?: bigint }) => {
  const made = await createAdminPayer(sql, { ...credit, nowMs: clock.nowMs() })
  return { ...made, client: service.as(made.key) }
}
type Client = typeof service.admin
// biome-ignore lint/suspicious/noExplicitAny: entries are looked into freely
type Entry = any

const threeLines = () => [
  line({ sku: 'acme-chat-llm-input-mtoken', part: 'Input', quantity: 1_234n, usdPerMillion: 150_000_000n }),
  line({ quantity: 777n, usdPerMillion: 600_000_000n }),
  line({ sku: 'acme-web-search', part: 'Web Search', quantity: 1n, usdPerMillion: 10_000_000_000n, per: 'one' }),
]

/** All pages from the first on; `between` runs after each. */
const readAll = async (client: Client, query: string, between = async () => {}) => {
  const pages: Entry[][] = []
  let next: string | null = ''
  while (next !== null) {
    const { status, body, text } = await client.get(`/billing/usage-history?${next ? `cursor=${next}` : query}`)
    assert.equal(status, 200, text)
    pages.push(body.data)
    next = body.nextCursor
    await between()
  }
  return pages
}

const nanosBy = (entries: Entry[], currency: string) =>
  entries.reduce((sum, one) => sum + (one.currency === currency ? BigInt(Math.round(-one.amount * 1e9)) : 0n), 0n)

test('an entry says what was charged, when, for what and by which request', async () => {
  const { accountId, client } = await payer({ usd: usd(10) })
  const { requestId } = await settleUsage(sql, { accountId, lines: threeLines(), atMs: clock.nowMs(), tookMs: 321 })
  const { status, body, headers } = await client.get('/billing/usage-history')
  assert.equal(status, 200)
  assert.match(String(headers.vary), /accept\b/)
  assert.equal(body.nextCursor, null)
  assert.deepEqual(body.data[0], {
    timestamp: '2026-11-15T12:00:00.000Z',
    sku: 'acme-chat-llm-input-mtoken',
    units: 0.001234,
    pricePerUnitUsd: 0.15,
    amount: -0.0001851,
    currency: 'USD',
    notes: 'API Inference',
    inferenceDetails: {
      requestId: requestId.replaceAll('-', ''),
      promptTokens: 1234,
      completionTokens: 777,
      inferenceExecutionTime: 321,
    },
  })
  const { units, pricePerUnitUsd, amount } = body.data[2]
  assert.deepEqual([units, pricePerUnitUsd, amount], [1, 0.00001, -0.00001])
  assert.equal(body.data.length, 3)
})

test('aborted requests are noted as such, failed ones have no entries, free ones have entries of nothing', async () => {
  const { accountId, client } = await payer({ usd: usd(10) })
  await settleUsage(sql, { accountId, outcome: 'aborted', atMs: clock.nowMs() })
  await settleUsage(sql, { accountId, outcome: 'failed', atMs: clock.nowMs() })
  await settleUsage(sql, { accountId, lines: [line({ usdPerMillion: 0n })], atMs: clock.nowMs() })
  for (const query of ['', '?currency=USD']) {
    const { data } = (await client.get(`/billing/usage-history${query}`)).body
    assert.deepEqual(
      data.map((entry: Entry) => [entry.notes, entry.units, entry.amount, entry.currency]),
      [
        ['API Inference (aborted)', 1, -1, 'USD'],
        ['API Inference', 1, 0, 'USD'],
      ],
    )
  }
  assert.deepEqual((await client.get('/billing/usage-history?currency=DIEM')).body, { data: [], nextCursor: null })
})

test('entries per currency sum exactly to what was paid in it, on one page or on many', async () => {
  const { accountId, client } = await payer({ usd: usd(10), bundled: 1_500_000n, diem: usd(0.1) })
  const total = { usd: 0n, bundled: 0n, diem: 0n }
  for (let count = 0; count < 13; count++) {
    // Nearly all of the diem first, so that every currency is used and one request uses all three.
    const first = line({ part: 'Images', quantity: 1n, usdPerMillion: 99_000_000_000_000n, per: 'one' })
    const lines = count === 0 ? [first] : threeLines()
    const { paid } = await settleUsage(sql, { accountId, lines, atMs: clock.nowMs() })
    for (const currency of ['usd', 'bundled', 'diem'] as const) total[currency] += paid[currency]
  }
  assert.ok(total.usd > 0n && total.bundled > 0n && total.diem > 0n)
  const whole = (await readAll(client, '')).flat()
  assert.equal(nanosBy(whole, 'USD'), total.usd)
  assert.equal(nanosBy(whole, 'BUNDLED_CREDITS'), total.bundled)
  assert.equal(nanosBy(whole, 'DIEM'), total.diem)
  const pages = await readAll(client, 'pageSize=10')
  assert.deepEqual(pages.flat(), whole)
  for (const page of pages.slice(0, -1)) assert.equal(page.length, 10)
  for (const currency of ['USD', 'BUNDLED_CREDITS', 'DIEM'])
    assert.deepEqual(
      (await readAll(client, `pageSize=10&currency=${currency}`)).flat(),
      whole.filter((entry) => entry.currency === currency),
    )
})

test('pages stay the same while requests are settled, and hold nothing of later', async () => {
  const { accountId, client } = await payer({ usd: usd(100) })
  const settle = () => settleUsage(sql, { accountId, lines: threeLines(), atMs: clock.nowMs() })
  // All at one moment of the clock: only microseconds tell them apart.
  for (let count = 0; count < 20; count++) await settle()
  const before = (await readAll(client, '')).flat()
  const during = await readAll(client, 'pageSize=10', async () => void (await Promise.all([settle(), settle()])))
  assert.equal(during.length, 6, 'no empty page at the end')
  assert.deepEqual(during.flat(), before)
  assert.ok((await readAll(client, '')).flat().length > before.length)
})

test('startTimestamp is included, endTimestamp is not', async () => {
  const { accountId, client } = await payer({ usd: usd(100) })
  const start = clock.nowMs()
  for (const second of [0, 1, 2]) await settleUsage(sql, { accountId, atMs: start + second * 1000 })
  const times = async (query: string) =>
    (await client.get(`/billing/usage-history?${query}`)).body.data.map((entry: Entry) => entry.timestamp.slice(17, 19))
  assert.deepEqual(await times('startTimestamp=2026-11-15T12:00:01Z'), ['01', '02'])
  assert.deepEqual(await times('endTimestamp=2026-11-15T12:00:01Z'), ['00'])
  assert.deepEqual(await times('endTimestamp=2026-11-15T12:00:01.000001Z'), ['00', '01'])
  assert.deepEqual(await times('startTimestamp=2026-11-15T12:00:00.0000001Z&endTimestamp=2999-01-01T00:00:00Z'), [
    '01',
    '02',
  ])
  assert.deepEqual(await times('startTimestamp=1000-01-01T00:00:00Z&endTimestamp=1001-01-01T00:00:00Z'), [])
})

test('what does not fit together or does not exist is refused by name', async () => {
  const wrong: [string, string][] = [
    ['currency=EUR', 'currency'],
    ['pageSize=9', 'pageSize'],
    ['pageSize=1001', 'pageSize'],
    ['pageSize=ten', 'pageSize'],
    ['startTimestamp=yesterday', 'startTimestamp'],
    ['startTimestamp=2026-02-30T00:00:00Z', 'startTimestamp'],
    ['startTimestamp=2026-01-01T00:00:00%2B01:00', 'startTimestamp'],
    ['endTimestamp=2026-01-01T24:00:00Z', 'endTimestamp'],
    ['startTimestamp=2026-01-02T00:00:00Z&endTimestamp=2026-01-02T00:00:00Z', 'endTimestamp'],
    ['cursor=', 'cursor'],
    ['cursor=a.b', 'cursor'],
    ['cursor=abc', 'cursor'],
    [`cursor=${'A'.repeat(512)}`, 'cursor'],
    [`cursor=${'A'.repeat(513)}`, 'cursor'],
    ['cursor=abc&currency=USD', 'currency'],
    ['cursor=abc&startTimestamp=2026-01-01T00:00:00Z', 'startTimestamp'],
  ]
  for (const [query, path] of wrong) {
    const { status, body } = await service.admin.get(`/billing/usage-history?${query}`)
    assert.deepEqual([status, body.issues?.[0].path], [400, [path]], query)
  }
})

test('a cursor is good for its account, unchanged, for 24 hours', async () => {
  const { accountId, client } = await payer({ usd: usd(100) })
  for (let count = 0; count < 4; count++)
    await settleUsage(sql, { accountId, lines: threeLines(), atMs: clock.nowMs() })
  const cursor = (await client.get('/billing/usage-history?pageSize=10')).body.nextCursor as string
  assert.match(cursor, /^[A-Za-z0-9_-]{1,512}$/)
  const page = await client.get(`/billing/usage-history?cursor=${cursor}`)
  assert.deepEqual([page.status, page.body.data.length], [200, 2])
  assert.deepEqual((await client.get(`/billing/usage-history?cursor=${cursor}&pageSize=500`)).body, page.body)
  const refused = async (asked: Client, text: string) => {
    const { status, body } = await asked.get(`/billing/usage-history?cursor=${text}`)
    assert.deepEqual([status, body.issues?.[0].path], [400, ['cursor']])
    return body.error as string
  }
  assert.match(await refused(service.admin, cursor), /not one that this account was given/)
  for (const place of [0, 20, 60, cursor.length - 1])
    for (const letter of ['A', 'B', 'w'])
      if (cursor[place] !== letter) await refused(client, cursor.slice(0, place) + letter + cursor.slice(place + 1))
  await refused(client, cursor.slice(0, -1))
  await refused(client, `${cursor}A`)
  const start = clock.nowMs()
  clock.set(start + 86_400_000 - 1)
  assert.equal((await client.get(`/billing/usage-history?cursor=${cursor}`)).status, 200)
  clock.set(start + 86_400_000)
  assert.match(await refused(client, cursor), /expired/)
  clock.set(start)
})

/** The cells of a CSV text, read as RFC 4180 says. */
const parseCsv = (text: string): string[][] => {
  assert.ok(text.endsWith('\r\n'))
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g
  const rows: string[][] = [[]]
  for (const [, value = '', end] of text.matchAll(cell)) {
    rows.at(-1)!.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

test('a page as CSV holds the same, is a file, and carries the cursor in a header', async () => {
  const { accountId, client } = await payer({ usd: usd(100) })
  for (let count = 0; count < 4; count++)
    await settleUsage(sql, { accountId, lines: threeLines(), atMs: clock.nowMs() })
  const csv = { headers: { accept: 'application/json;q=0.5, text/csv' } }
  const first = await client.get('/billing/usage-history?pageSize=10', csv)
  const json = (await client.get('/billing/usage-history?pageSize=10')).body
  assert.equal(first.status, 200)
  assert.equal(first.headers['content-type'], 'text/csv; charset=utf-8')
  assert.equal(
    first.headers['content-disposition'],
    'attachment; filename=billing-usage-history-20261115T120000000Z.csv',
  )
  assert.match(String(first.headers.vary), /accept\b/)
  const [header, ...rows] = parseCsv(first.text)
  const expected = json.data.map(({ inferenceDetails, ...entry }: Entry) => ({ ...entry, ...inferenceDetails }))
  assert.deepEqual(header, Object.keys(expected[0]))
  const asNumber = (value: string, like: unknown) => (typeof like === 'number' ? Number(value) : value)
  const read = rows.map((cells, row) =>
    Object.fromEntries(
      cells.map((value, column) => [header![column], asNumber(value, expected[row][header![column]!])]),
    ),
  )
  assert.deepEqual(read, expected)
  assert.doesNotMatch(first.text, /\de-\d/, 'no exponents')
  const last = await client.get(`/billing/usage-history?cursor=${first.headers['x-next-cursor']}`, csv)
  assert.equal(parseCsv(last.text).length, 3)
  assert.equal(last.headers['x-next-cursor'], undefined)
})

test('names that look like formulas are plain text in CSV, and quotes and commas stay what they are', async () => {
  const { accountId, client } = await payer({ usd: usd(100) })
  const skus = ['=HYPERLINK("http://x","y")', '+1', '-1', '@a', 'a,"b"\r\nc']
  const lines = skus.map((sku, index) => line({ sku, part: `${index}` }))
  await settleUsage(sql, { accountId, lines, atMs: clock.nowMs() })
  const { text } = await client.get('/billing/usage-history', { headers: { accept: 'text/csv' } })
  const cells = parseCsv(text).slice(1)
  assert.deepEqual(
    cells.map((row) => row[1]),
    ['\'=HYPERLINK("http://x","y")', "'+1", "'-1", "'@a", 'a,"b"\r\nc'],
  )
  assert.equal(cells[0]?.[4], '-1', 'numbers are numbers')
})

test('an account without usage gets an empty page, also as CSV', async () => {
  const { client } = await payer({})
  assert.deepEqual((await client.get('/billing/usage-history')).body, { data: [], nextCursor: null })
  const { text } = await client.get('/billing/usage-history', { headers: { accept: 'text/csv' } })
  assert.equal(parseCsv(text).length, 1)
})
