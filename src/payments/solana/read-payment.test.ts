import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import * as kit from '@solana/kit'
import fc from 'fast-check'
import { Failure } from '#contract/errors.js'
import { tokenAccountOf, usdcMint } from '../../../test/chains/svm-ledger.js'
import { craft, createSolanaKey, instructions, solanaNetwork, usualPayment } from '../../../test/chains/svm-payments.js'
import { createPaymentReader } from './read-payment.js'

const [payer, stranger, feeSigner] = await Promise.all([
  kit.generateKeyPairSigner(),
  kit.generateKeyPairSigner(),
  kit.generateKeyPairSigner(),
])
const payTo = createSolanaKey().address
const feeWallet = feeSigner.address
const blockhash = createSolanaKey().address
const destination = await tokenAccountOf(payTo)
const source = await tokenAccountOf(payer.address)
const usual = await usualPayment(payer.address, payTo, 5_000_000n)
const { limit, price, transfer, memo } = usual

const read = createPaymentReader(kit, { network: solanaNetwork, mint: usdcMint, decimals: 6, destination, feeWallet })
const sign = (parts: kit.Instruction[], change: Partial<Parameters<typeof craft>[1]> = {}) =>
  craft(parts, { feePayer: feeWallet, blockhash, signers: [payer], ...change })
const good = await sign([limit, price, transfer, memo])
const goodBytes = Buffer.from(good, 'base64')
const messageAt = 129

const refusalOf = (payload: unknown): { status: number; reason: string } => {
  try {
    read(payload)
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    const { details } = error.body as { details: { reason: string } }
    return { status: error.status, reason: details.reason }
  }
  throw new Error('it was taken')
}
const isRefused = (transaction: unknown, reason: string) =>
  assert.deepEqual(refusalOf({ transaction }), { status: 400, reason: `invalid_exact_svm_${reason}` })

const changed = (at: number, bytes: Uint8Array) => {
  const copy = Buffer.from(goodBytes)
  copy.set(bytes, at)
  return copy.toString('base64')
}

test('payer, amount and key come from what was signed', () => {
  assert.deepEqual(read({ transaction: good, payer: stranger.address, amount: '1' }), {
    network: solanaNetwork,
    paymentKey: `${solanaNetwork}/${createHash('sha256').update(goodBytes.subarray(messageAt)).digest('hex')}`,
    payer: payer.address,
    amount: 5_000_000n,
    validUntilMs: null,
    payload: { transaction: good },
  })
})

test('a transaction of the older kind is as good', async () => {
  const legacy = await sign([limit, price, transfer], { version: 'legacy' })
  assert.equal(read({ transaction: legacy }).amount, 5_000_000n)
})

test('whatever stands in the place of the fee wallet is taken away: it is the same payment', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (signature) => {
      assert.deepEqual(read({ transaction: changed(1, signature) }), read({ transaction: good }))
    }),
    { numRuns: 20 },
  )
})

test('no other byte can be changed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 65, max: goodBytes.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      (at, difference) => {
        const { status } = refusalOf({ transaction: changed(at, Uint8Array.of(goodBytes[at]! ^ difference)) })
        assert.equal(status, 400)
      },
    ),
    { numRuns: 300 },
  )
})

test('anything at all is read, or refused with a reason', () => {
  const parts = fc.oneof(
    fc.anything(),
    fc.string(),
    fc.uint8Array({ maxLength: 1_300 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    // Where a transaction begins, the deeper parts of the reader are reached.
    fc.uint8Array({ maxLength: 300 }).map((bytes) => {
      const head = goodBytes.subarray(0, messageAt + (bytes[0] ?? 0))
      return Buffer.concat([head, bytes]).toString('base64')
    }),
    fc
      .array(fc.tuple(fc.integer({ min: 0, max: goodBytes.length - 1 }), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
      })
      .map((changes) => {
        const copy = Buffer.from(goodBytes)
        for (const [at, value] of changes) copy[at] = value
        return copy.toString('base64')
      }),
  )
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.record({ transaction: parts })), (payload) => {
      try {
        read(payload)
      } catch (error) {
        assert.ok(error instanceof Failure, String(error))
        assert.equal(error.failure, 'paymentUnreadable')
      }
    }),
    { numRuns: 1_000 },
  )
})

test('what is no transaction in canonical base64 is refused', () => {
  const undecodable = 'payload_transaction_could_not_be_decoded'
  for (const transaction of [undefined, 7, '', 'AAAA', good.slice(0, -4), ` ${good}`, good.replace(/=*$/, '===')])
    isRefused(transaction, undecodable)
  isRefused(good.replaceAll('+', '-').replaceAll('/', '_').concat('_'), undecodable)
  isRefused(Buffer.concat([goodBytes, Buffer.alloc(1_232)]).toString('base64'), undecodable)
  isRefused('A'.repeat(1_000_000), undecodable)
  // The chain would not see bytes after the end; they must not make a second payment of the same transfer.
  isRefused(Buffer.concat([goodBytes, Buffer.alloc(1)]).toString('base64'), undecodable)
})

test('only the payer can sign', async () => {
  const invalid = 'payload_signature_invalid'
  isRefused(await sign([limit, price, transfer], { signers: [] }), invalid)
  const bySomebodyElse = await stranger.signMessages([
    { content: goodBytes.subarray(messageAt), signatures: {} } as never,
  ])
  isRefused(changed(65, bySomebodyElse[0]![stranger.address]!), invalid)
  const other = Buffer.from(await sign([limit, price, transfer]), 'base64')
  isRefused(changed(65, other.subarray(65, messageAt)), invalid)
})

test('another token, another recipient and nothing are refused', async () => {
  const pay = (change: Partial<Parameters<typeof instructions.transfer>[0]>) =>
    sign([
      limit,
      price,
      instructions.transfer({ source, destination, authority: payer.address, amount: 1n, ...change }),
      memo,
    ])
  isRefused(await pay({ mint: createSolanaKey().address }), 'payload_mint_mismatch')
  isRefused(await pay({ decimals: 9 }), 'payload_mint_mismatch')
  isRefused(await pay({ destination: await tokenAccountOf(stranger.address) }), 'payload_recipient_mismatch')
  isRefused(await pay({ destination: payTo }), 'payload_recipient_mismatch')
  isRefused(await pay({ source: destination }), 'payload_recipient_mismatch')
  isRefused(await pay({ amount: 0n }), 'payload_amount_mismatch')
  isRefused(await sign([limit, transfer, price]), 'payload_no_transfer_instruction')
  isRefused(
    await sign([limit, instructions.systemTransfer(payer.address, payTo, 5n)]),
    'payload_no_transfer_instruction',
  )
})

test('the fee wallet pays the fee, and nothing can make it do more', async () => {
  const feeSource = await tokenAccountOf(feeWallet)
  const drained = 'payload_transaction_fee_payer_transferring_funds'
  const takeSol = instructions.systemTransfer(feeWallet, stranger.address, 1_000_000n)
  isRefused(await sign([limit, price, transfer, takeSol]), drained)
  isRefused(await sign([takeSol, limit, price, transfer]), drained)
  const takeTokens = { source: feeSource, destination, authority: feeWallet, amount: 5n }
  isRefused(
    await sign([limit, price, instructions.transfer(takeTokens), { ...memo, accounts: signedBy(payer) }]),
    drained,
  )
  isRefused(await sign([limit, price, transfer, { ...memo, accounts: signedBy(feeSigner) }]), drained)
  isRefused(await sign([limit, price, transfer], { feePayer: stranger.address }), 'fee_payer_mismatch')
  isRefused(
    await sign([limit, price, transfer, { ...memo, accounts: signedBy(stranger) }], { signers: [payer, stranger] }),
    'payload_transaction_could_not_be_decoded',
  )
})

test('accounts that stand in a table elsewhere are refused', async () => {
  const byTable = await sign([limit, price, transfer], { lookedUp: [destination, source] })
  isRefused(byTable, 'smart_wallet_alt_resolution_not_available')
})

test('a message that contradicts itself is refused, even when the payer has signed it', async () => {
  const signed = async (change: (message: Buffer) => void) => {
    const message = Buffer.from(goodBytes.subarray(messageAt))
    change(message)
    const [signatures] = await payer.signMessages([{ content: message, signatures: {} } as never])
    return Buffer.concat([goodBytes.subarray(0, 65), signatures![payer.address]!, message]).toString('base64')
  }
  const undecodable = 'payload_transaction_could_not_be_decoded'
  assert.equal(read({ transaction: await signed(() => {}) }).amount, 5_000_000n)
  // The bytes of a message: its version, three numbers of accounts, how many accounts there are, and the accounts.
  const account = (index: number) => 5 + index * 32
  isRefused(await signed((message) => message.writeUInt8(1, 0)), undecodable)
  isRefused(await signed((message) => message.writeUInt8(1, 1)), 'payload_excessive_signers')
  isRefused(await signed((message) => message.writeUInt8(3, 1)), 'payload_excessive_signers')
  isRefused(await signed((message) => message.copy(message, account(2), account(0), account(1))), undecodable)
  // The program of the last instruction, whose data are the memo and an empty list of lookup tables.
  const lastProgram = (message: Buffer) => message.length - 1 - memo.data!.length - 3
  isRefused(await signed((message) => message.writeUInt8(99, lastProgram(message))), undecodable)
})

test('an authority that does not sign itself is refused', async () => {
  const byDelegate = instructions.transfer({ source, destination, authority: stranger.address, amount: 5n })
  const accounts = byDelegate.accounts!.map((account, index) =>
    index === 3 ? { ...account, role: kit.AccountRole.READONLY } : account,
  )
  const parts = [limit, price, { ...byDelegate, accounts }, { ...memo, accounts: signedBy(payer) }]
  isRefused(await sign(parts as kit.Instruction[]), 'payload_no_transfer_instruction')
})

const signedBy = ({ address }: { address: kit.Address }) => [{ address, role: kit.AccountRole.READONLY_SIGNER }]
