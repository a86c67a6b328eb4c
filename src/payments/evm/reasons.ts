/** x402's words for why a payment is no good, and ours for a person; they continue "The payment was refused: ...". */
const sentences: Record<string, string> = {
  invalid_exact_evm_signature: 'the signature is not that of the payer, or not of this transfer',
  invalid_exact_evm_failed_to_parse_signature: 'the signature cannot be read',
  invalid_exact_evm_recipient_mismatch: 'it pays somebody else',
  invalid_exact_evm_payload_authorization_valid_before: 'the authorization has expired, or does within seconds',
  invalid_exact_evm_payload_authorization_valid_after: 'the authorization is not valid yet',
  invalid_exact_evm_payload_authorization_value_mismatch: 'it is not the amount that was signed',
  invalid_exact_evm_nonce_already_used: 'the authorization was used or cancelled before',
  invalid_exact_evm_insufficient_balance: 'the wallet has less of the token than it signed for',
  invalid_exact_evm_transaction_simulation_failed: 'the token would not make this transfer',
  invalid_exact_evm_transaction_failed: 'the chain reverted the transaction',
  eip6492_factory_not_allowed: 'the wallet is not deployed yet, by a factory that this service does not call',
  smart_wallet_deployment_failed: 'the wallet could not be deployed',
  deployments_paused: 'wallets are not deployed right now; deploy it yourself, or try again later',
  fee_too_high: "the chain's fees are above what this service pays right now; sign again later",
  fee_wallet_empty: "this service cannot pay the chain's fees right now; sign again later",
  gas_too_high: 'the transaction needs more gas than this service pays for',
}

export const sentenceOf = (reason: string): string => sentences[reason] ?? 'the chain would not take it'

export const failed = (reason: string) => ({ state: 'failed', reason, says: sentenceOf(reason) }) as const

/** Nothing was sent, and this is why. */
export class Unpayable extends Error {
  constructor(readonly reason: 'deployments_paused' | 'fee_too_high' | 'fee_wallet_empty' | 'gas_too_high') {
    super(reason)
    this.name = 'Unpayable'
  }
}
