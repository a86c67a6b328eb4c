import type { ChainError } from './node.js'

const sentences: Record<string, string> = {
  fee_payer_mismatch: 'its fee payer is not the one that was asked for',
  payload_amount_mismatch: 'its amount is not the one that was signed',
  payload_excessive_signers: 'nobody but the payer and the fee payer may sign the transaction',
  payload_mint_mismatch: 'it pays with another token',
  payload_no_transfer_instruction: 'it has no transfer where one is expected',
  payload_recipient_mismatch: 'it pays somebody else',
  payload_signature_invalid: 'the payer has not signed this transaction',
  payload_transaction_could_not_be_decoded: 'its transaction cannot be read',
  payload_transaction_fee_payer_transferring_funds: 'it would take money from the fee payer',
  payload_transaction_instructions_compute_limit_instruction:
    'the first instruction of the transaction must set the limit of compute units',
  payload_transaction_instructions_compute_limit_instruction_too_high: 'its limit of compute units is too high',
  payload_transaction_instructions_compute_price_instruction:
    'the second instruction of the transaction must set the price of compute units',
  payload_transaction_instructions_compute_price_instruction_too_high: 'its price of compute units is too high',
  payload_transaction_instructions_length: 'the transaction must have three to seven instructions',
}

/** What a person is told for one of x402's words. */
export const sayReason = (reason: string): string => {
  const word = reason.replace(/^invalid_exact_svm_/, '')
  if (/^payload_unknown_\w+_instruction$/.test(word))
    return 'after the transfer the transaction may have memos and assertions of the Lighthouse program only'
  return sentences[word] ?? 'it does not have the shape of an exact payment'
}

// Of the token program, by the number of its error.
const transferErrors: Record<number, string> = {
  1: 'the payer does not have enough USDC',
  3: 'the account that pays holds another token',
  4: 'the account that pays belongs to somebody else',
  17: 'the account that pays or the one that is paid is frozen',
}

/** Why the chain refuses a transaction, for a person. */
export const sayChainError = (error: ChainError): string => {
  if (error === 'BlockhashNotFound') return 'it has expired; sign a new one'
  if (error === 'AlreadyProcessed') return 'it was settled before'
  const [index, inner] =
    typeof error === 'object' && Array.isArray(error.InstructionError) ? error.InstructionError : []
  const says = index === 2 && transferErrors[(inner as { Custom?: number } | null)?.Custom ?? -1]
  if (says) return says
  if (index === 2) return 'the chain refuses the transfer; does the payer have an account with USDC?'
  return 'the chain refuses the transaction'
}

/** When it is our own purse that is empty. The fee wallet is the first account of every transaction. */
export const isFeeWalletEmpty = (error: ChainError): boolean =>
  error === 'InsufficientFundsForFee' ||
  error === 'AccountNotFound' ||
  (typeof error === 'object' && (error.InsufficientFundsForRent as { account_index?: number })?.account_index === 0)
