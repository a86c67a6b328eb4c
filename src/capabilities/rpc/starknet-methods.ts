import { type Method, once, read, readAt, readRange } from './method.js'

/** A block tells its own status, which changes when Ethereum has accepted it: its number alone does not decide. */
const block = (name: string): Method => ({ ...read(name, 'mined'), blockPlace: 0 })

export const starknetMethods: readonly Method[] = [
  once('starknet_addInvokeTransaction'),
  once('starknet_addDeclareTransaction'),
  once('starknet_addDeployAccountTransaction'),

  read('starknet_chainId', 'constant'),
  read('starknet_blockNumber', 'head'),
  read('starknet_blockHashAndNumber', 'head'),
  read('starknet_specVersion', 'never'),
  read('starknet_syncing', 'never'),

  block('starknet_getBlockWithTxHashes'),
  block('starknet_getBlockWithTxs'),
  block('starknet_getBlockWithReceipts'),
  readAt('starknet_getBlockTransactionCount', 0),
  readAt('starknet_getStateUpdate', 0),
  readAt('starknet_getTransactionByBlockIdAndIndex', 0),

  read('starknet_getTransactionByHash', 'content'),
  read('starknet_getTransactionReceipt', 'mined'),
  read('starknet_getTransactionStatus', 'never'),
  read('starknet_getMessagesStatus', 'never'),
  readRange('starknet_getEvents', 0),

  readAt('starknet_getStorageAt', 2),
  readAt('starknet_getStorageProof', 0),
  readAt('starknet_getNonce', 0),
  readAt('starknet_getClass', 0),
  readAt('starknet_getClassAt', 0),
  readAt('starknet_getClassHashAt', 0),
  read('starknet_getCompiledCasm', 'content'),

  readAt('starknet_call', 1),
  readAt('starknet_estimateFee', 2),
  readAt('starknet_estimateMessageFee', 1),
  readAt('starknet_simulateTransactions', 0),
  // Does not say in which block the transaction is, so nobody knows whether it stays there.
  read('starknet_traceTransaction', 'head'),
  readAt('starknet_traceBlockTransactions', 0),
]
