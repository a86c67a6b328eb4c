import { setTimeout as sleep } from 'node:timers/promises'
import type { Address } from '@solana/kit'
import { JsonRpcError } from '#plumbing/json-rpc.js'
import { OperatorError } from '#plumbing/operator-error.js'
import type { FeeKey } from './fee-key.js'
import type { Commitment, SolanaNode } from './node.js'
import { tokenProgram } from './read-payment.js'

type Kit = typeof import('@solana/kit')

const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
const systemProgram = '11111111111111111111111111111111'
const createIdempotent = Uint8Array.of(1)
const askAgainMs = 500

/** Where a wallet keeps its tokens of one kind: the address follows from both. */
export const findTokenAccount = async (kit: Kit, owner: Address, mint: Address): Promise<Address> => {
  const encode = kit.getAddressEncoder().encode
  const [found] = await kit.getProgramDerivedAddress({
    programAddress: kit.address(associatedTokenProgram),
    seeds: [encode(owner), encode(kit.address(tokenProgram)), encode(mint)],
  })
  return found
}

type Needs = {
  kit: Kit
  node: SolanaNode
  feeKey: FeeKey
  confirmation: Commitment
  waitMs: number
}

/** Makes a token account that the fee wallet pays for, and waits until it is there. Does nothing where there is one. */
export const createTokenAccount = async (
  { kit, node, feeKey, confirmation, waitMs }: Needs,
  { owner, mint, tokenAccount }: { owner: Address; mint: Address; tokenAccount: Address },
): Promise<void> => {
  const { READONLY, WRITABLE, WRITABLE_SIGNER } = kit.AccountRole
  const instruction = {
    programAddress: kit.address(associatedTokenProgram),
    accounts: [
      { address: feeKey.address, role: WRITABLE_SIGNER },
      { address: tokenAccount, role: WRITABLE },
      { address: owner, role: READONLY },
      { address: mint, role: READONLY },
      { address: kit.address(systemProgram), role: READONLY },
      { address: kit.address(tokenProgram), role: READONLY },
    ],
    data: createIdempotent,
  }
  const { blockhash, lastValidBlockHeight } = await node.latestBlockhash()
  const message = kit.pipe(
    kit.createTransactionMessage({ version: 0 }),
    (message) => kit.setTransactionMessageFeePayer(feeKey.address, message),
    (message) =>
      kit.setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: kit.blockhash(blockhash), lastValidBlockHeight },
        message,
      ),
    (message) => kit.appendTransactionMessageInstruction(instruction, message),
  )
  const { messageBytes } = kit.compileTransaction(message)
  const bytes = Uint8Array.from(messageBytes)
  const wire = Buffer.concat([Uint8Array.of(1), feeKey.sign(bytes), bytes]).toString('base64')

  const deadline = AbortSignal.timeout(waitMs)
  await node.send(wire).catch((error) => {
    if (!(error instanceof JsonRpcError)) throw error
    throw new OperatorError(
      `The token account ${tokenAccount} of the recipient ${owner} cannot be made: ${error.message}`,
      `Send some SOL to the fee wallet ${feeKey.address}, or any USDC to ${owner}, which makes the account as well`,
    )
  })
  while ((await node.account(tokenAccount, confirmation)) === undefined) {
    if (deadline.aborted)
      throw new OperatorError(
        `The token account ${tokenAccount} of the recipient ${owner} was made and is not there yet`,
      )
    await sleep(Math.min(askAgainMs, waitMs))
  }
}
