import { decimalFromNanos } from '#catalog/prices.js'
import type { HistoryEntry } from '#ledger/usage/history.js'
import { compactId, notesOf } from './billing-payloads.js'

type Cell = string | number | null

/** Amounts and prices are exact decimals here: a table program reads them better than 1e-7. */
const columns: Record<string, (entry: HistoryEntry) => Cell> = {
  timestamp: ({ settledAt }) => settledAt.toISOString(),
  sku: ({ sku }) => asText(sku),
  units: ({ units }) => units,
  pricePerUnitUsd: (entry) => entry.pricePerUnitUsd,
  amount: ({ amountNanos }) => decimalFromNanos(-amountNanos),
  currency: ({ currency }) => currency,
  notes: (entry) => asText(notesOf(entry)),
  requestId: ({ place }) => compactId(place.requestId),
  promptTokens: (entry) => entry.promptTokens,
  completionTokens: (entry) => entry.completionTokens,
  inferenceExecutionTime: ({ executionMs }) => executionMs,
}

const rowsPerChunk = 100

/** The page as CSV (RFC 4180), a hundred rows at a time. */
export async function* csvChunks(entries: readonly HistoryEntry[]): AsyncGenerator<string> {
  yield row(Object.keys(columns))
  for (let start = 0; start < entries.length; start += rowsPerChunk)
    yield entries
      .slice(start, start + rowsPerChunk)
      .map((entry) => row(Object.values(columns).map((read) => read(entry))))
      .join('')
}

const row = (cells: Cell[]) => `${cells.map(quoted).join(',')}\r\n`

const quoted = (cell: Cell) => {
  const text = String(cell ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Table programs run a text that begins like a formula; an apostrophe before it makes it plain text again. */
const asText = (text: string) => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)

export const csvFileName = (nowMs: number) =>
  `billing-usage-history-${new Date(nowMs).toISOString().replace(/[-:.]/g, '')}.csv`
