import type { FailedTransactionMetadata } from 'litesvm/dist/internal.js'

/** An error of a transaction, as a node's JSON-RPC spells it. */
export type SvmError = string | Record<string, unknown>

// The library reports its enums as numbers, in this order.
const transactionErrors = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
]
const instructionErrors = [
  'GenericError',
  'InvalidArgument',
  'InvalidInstructionData',
  'InvalidAccountData',
  'AccountDataTooSmall',
  'InsufficientFunds',
  'IncorrectProgramId',
  'MissingRequiredSignature',
  'AccountAlreadyInitialized',
  'UninitializedAccount',
]

export const spellError = (failed: FailedTransactionMetadata): SvmError => {
  const error = failed.err()
  if (typeof error === 'number') return transactionErrors[error] ?? `TransactionError${error}`
  if ('err' in error) {
    const inner = error.err()
    if (typeof inner === 'number')
      return { InstructionError: [error.index, instructionErrors[inner] ?? `InstructionError${inner}`] }
    return { InstructionError: [error.index, 'code' in inner ? { Custom: inner.code } : { BorshIoError: inner.msg }] }
  }
  return 'accountIndex' in error
    ? { InsufficientFundsForRent: { account_index: error.accountIndex } }
    : { DuplicateInstruction: error.index }
}

const sentences: Record<string, string> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  InsufficientFundsForFee: 'Insufficient funds for fee',
}

export const sayError = (error: SvmError): string => {
  if (typeof error === 'string') return sentences[error] ?? error
  const [index, inner] = (error.InstructionError as [number, string | { Custom?: number }] | undefined) ?? []
  if (index === undefined) return JSON.stringify(error)
  const code = (inner as { Custom?: number }).Custom
  return `Error processing Instruction ${index}: ${code === undefined ? inner : `custom program error: 0x${code.toString(16)}`}`
}
