import { type Amounts, wholeUnits } from '../bill.js'
import type { Goods } from '../goods.js'
import type { EarnedAccounts, Settlement } from './settle.js'

type Sum = { units: bigint; usd: bigint; diem: bigint }
type PartSum = Sum & { accountId: string; goods: Goods; part: string }
type KeySum = Sum & { accountId: string; keyId: string }

const currencies = ['usd', 'bundled', 'diem'] as const satisfies (keyof Amounts)[]

/**
 * What a batch of settlements changes, summed up: many requests of one account, key or model become one change of its
 * row. Summing here instead of in SQL halves what a settlement costs the database.
 */
export const summarise = (settlements: readonly Settlement[], earned: EarnedAccounts) => {
  const owners = new Set<string>()
  const entries: { requestId: string; payer: bigint; payee: bigint; amount: bigint }[] = []
  const paid = new Map<bigint, { account: bigint; amount: bigint }>()
  const parts = new Map<string, PartSum>()
  const keys = new Map<string, KeySum>()
  const claims: { requestId: string; answer: Buffer | null }[] = []

  for (const settlement of settlements) {
    const { requestId, accountId, apiKeyId, goods, held, lines, claim } = settlement
    owners.add(accountId)
    if (claim) claims.push({ requestId, answer: claim.answer })
    for (const currency of currencies) {
      const account = held.accounts[currency]
      const amount = settlement.paid[currency]
      // The USD account is always among them: it keeps the time of the last settlement.
      if (account === null || (amount === 0n && currency !== 'usd')) continue
      gather(paid, account, () => ({ account, amount: 0n })).amount += amount
      if (amount === 0n) continue
      entries.push({ requestId, payer: account, payee: earned[currency], amount })
    }
    if (lines.length === 0) continue
    // Callers without a key are counted under the account itself.
    const keyId = apiKeyId ?? accountId
    const ofKey = gather(keys, `${accountId} ${keyId}`, () => ({ accountId, keyId, ...none }))
    for (const line of lines) {
      const { part, quantity, usd, diem } = line
      const ofPart = gather(parts, `${accountId} ${goods.model} ${part}`, () => ({ accountId, goods, part, ...none }))
      add(ofPart, { units: quantity, usd, diem })
      // A key uses units of every kind; millionths among them would drown the others.
      add(ofKey, { units: wholeUnits(line), usd, diem })
    }
  }
  return {
    owners: [...owners],
    entries,
    /** Sorted, because it is looked up by bisection. */
    paid: [...paid.values()].sort(byAccount),
    parts: [...parts.values()],
    keys: [...keys.values()],
    claims,
  }
}

const byAccount = (one: { account: bigint }, other: { account: bigint }) => (one.account < other.account ? -1 : 1)

const none: Sum = { units: 0n, usd: 0n, diem: 0n }

const add = (total: Sum, { units, usd, diem }: Sum) => {
  total.units += units
  total.usd += usd
  total.diem += diem
}

const gather = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
