import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '#store/sql.js'
import { createTestDatabase } from '../../../test/database.js'
import { createAdminPayer, line, settleUsage } from '../../../test/usage.js'
import { setStake } from '../credit/stake.js'
import { requestIdFromUuid } from '../posting/hold.js'
import { type HistoryEntry, readHistory } from './history.js'
import { createCursors } from './history-cursor.js'

const database = await createTestDatabase()
const { sql, close } = createDatabase(database.connection)
after(async () => {
  await close()
  await database.drop()
})

const dayMs = 86_400_000
const nowMs = Date.UTC(2026, 10, 15, 12)
const cursors = createCursors({ secret: async () => new Uint8Array(32), clock: { nowMs: () => nowMs } })

test('a filter that fits little is answered in bounded steps, and nothing is left out or told twice', async () => {
  const { accountId } = await createAdminPayer(sql, { usd: 10n ** 12n, bundled: 5_000n, nowMs })
  const cheap = () => [line({ part: 'Input', usdPerMillion: 1_000n }), line({ usdPerMillion: 1_500n })]
  for (let count = 0; count < 12; count++) {
    // Bundled credits pay for the first two and come again later, behind requests that fit no filter for them.
    if (count === 9)
      await sql`update ledger_account set balance = 2500 where currency = 'BUNDLED_CREDITS' and owner = ${accountId}`
    const outcome = count % 4 === 3 ? 'failed' : 'completed'
    await settleUsage(sql, { accountId, outcome, lines: cheap(), atMs: nowMs })
  }
  const readAll = async (currency: 'USD' | 'BUNDLED_CREDITS' | null, reach?: Parameters<typeof readHistory>[4]) => {
    const pages: HistoryEntry[][] = []
    let cursor: string | null = null
    do {
      const question = cursor
        ? { cursor, pageSize: undefined }
        : { currency, fromMicros: 0n, untilMicros: null, pageSize: reach ? 3 : 1000 }
      const page: Awaited<ReturnType<typeof readHistory>> = await readHistory(sql, cursors, accountId, question, reach)
      pages.push(page.entries)
      cursor = page.nextCursor
    } while (cursor !== null)
    return pages
  }
  for (const currency of [null, 'USD', 'BUNDLED_CREDITS'] as const) {
    const whole = (await readAll(currency)).flat()
    assert.ok(whole.length >= 3)
    for (const firstSliceRows of [1, 2, 5])
      for (const slicesMax of [1, 2, 100]) {
        const pages = await readAll(currency, { firstSliceRows, sliceRows: 2, slicesMax })
        assert.deepEqual(pages.flat(), whole)
        assert.ok(pages.every((page) => page.length <= 3))
        if (slicesMax === 100) assert.ok(pages.slice(0, -1).every((page) => page.length === 3))
      }
  }
})

test('days without the currency are passed over, whatever else was used on them', async () => {
  const { accountId } = await createAdminPayer(sql, { usd: 10n ** 12n, nowMs })
  const entries = async (
    currency: 'DIEM' | 'BUNDLED_CREDITS',
    reach = { firstSliceRows: 1, sliceRows: 1, slicesMax: 2 },
  ) =>
    (await readHistory(sql, cursors, accountId, { currency, fromMicros: 0n, untilMicros: null, pageSize: 10 }, reach))
      .entries
  for (const daysAgo of [5, 4, 3]) await settleUsage(sql, { accountId, atMs: nowMs - daysAgo * dayMs })
  assert.deepEqual([await entries('DIEM'), await entries('BUNDLED_CREDITS')], [[], []])
  await setStake(sql, { accountId, amountNanos: 10n ** 9n, nowMs })
  const { requestId } = await settleUsage(sql, { accountId, atMs: nowMs })
  assert.deepEqual(
    (await entries('DIEM')).map(({ place, amountNanos }) => [requestIdFromUuid(place.requestId), amountNanos]),
    [[requestId, 10n ** 9n]],
  )
})
