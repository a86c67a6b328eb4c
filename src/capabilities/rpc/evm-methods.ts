import { type Method, once, read, readAt, readRange, send } from './method.js'

/** Another node may already know it. */
const doubtful = { isNullDoubtful: true }
const advanced = { tier: 'advanced' } as const
const large = { tier: 'large' } as const

const chain: Method[] = [
  read('eth_chainId', 'constant'),
  read('net_version', 'constant'),
  read('web3_sha3', 'constant'),
  read('eth_blockNumber', 'head'),
  read('eth_gasPrice', 'head'),
  read('eth_maxPriorityFeePerGas', 'head'),
  read('eth_blobBaseFee', 'head'),
  read('eth_baseFee', 'head'),
  read('eth_suggestPriceOptions', 'head'),
  readAt('eth_feeHistory', 1),
  // About the node itself, and each has its own.
  read('eth_syncing', 'never'),
  read('eth_config', 'never'),
  read('eth_protocolVersion', 'never'),
  read('net_listening', 'never'),
  read('net_peerCount', 'never'),
  read('web3_clientVersion', 'never'),
]

const state: Method[] = [
  readAt('eth_getBalance', 1),
  readAt('eth_getCode', 1),
  readAt('eth_getTransactionCount', 1),
  readAt('eth_getStorageAt', 2),
  readAt('eth_getProof', 2),
  readAt('eth_getAccount', 1),
  readAt('eth_call', 1),
  readAt('eth_estimateGas', 1),
  readAt('eth_createAccessList', 1),
  readAt('eth_simulateV1', 1),
]

const blocks: Method[] = [
  readAt('eth_getBlockByNumber', 0, doubtful),
  readAt('eth_getHeaderByNumber', 0, doubtful),
  readAt('eth_getBlockReceipts', 0, doubtful),
  readAt('eth_getBlockTransactionCountByNumber', 0, doubtful),
  readAt('eth_getTransactionByBlockNumberAndIndex', 0, doubtful),
  readAt('eth_getRawTransactionByBlockNumberAndIndex', 0),
  readAt('eth_getUncleByBlockNumberAndIndex', 0),
  readAt('eth_getUncleCountByBlockNumber', 0),
  read('eth_getBlockByHash', 'content', doubtful),
  read('eth_getHeaderByHash', 'content', doubtful),
  read('eth_getBlockTransactionCountByHash', 'content', doubtful),
  read('eth_getTransactionByBlockHashAndIndex', 'content', doubtful),
  read('eth_getUncleByBlockHashAndIndex', 'content'),
  read('eth_getUncleCountByBlockHash', 'content'),
]

const transactions: Method[] = [
  send('eth_sendRawTransaction'),
  read('eth_getTransactionByHash', 'mined', doubtful),
  read('eth_getTransactionReceipt', 'mined', doubtful),
  // An unknown one is `0x` on some nodes, which must not be kept.
  read('eth_getRawTransactionByHash', 'never'),
  read('eth_getRawTransactionByBlockHashAndIndex', 'never'),
  readRange('eth_getLogs', 0),
  read('txpool_status', 'never', advanced),
  read('txpool_inspect', 'never', advanced),
  read('txpool_contentFrom', 'never', advanced),
  read('txpool_content', 'never', large),
]

/** ERC-4337. */
const userOperations: Method[] = [
  once('eth_sendUserOperation'),
  read('eth_estimateUserOperationGas', 'never'),
  read('eth_getUserOperationByHash', 'never', doubtful),
  read('eth_getUserOperationReceipt', 'never', doubtful),
  read('eth_supportedEntryPoints', 'head'),
]

/** The same methods under the names of two kinds of node. */
const traces = (prefix: 'trace' | 'arbtrace'): Method[] => [
  readAt(`${prefix}_block`, 0, { ...advanced, ...doubtful }),
  readAt(`${prefix}_call`, 2, advanced),
  readAt(`${prefix}_callMany`, 1, advanced),
  readRange(`${prefix}_filter`, 0, advanced),
  read(`${prefix}_get`, 'mined', { ...advanced, ...doubtful }),
  read(`${prefix}_transaction`, 'mined', { ...advanced, ...doubtful }),
  read(`${prefix}_rawTransaction`, 'head', advanced),
  // Does not say in which block the transaction is, so nobody knows whether it stays there.
  read(`${prefix}_replayTransaction`, 'head', large),
  readAt(`${prefix}_replayBlockTransactions`, 0, large),
]

const debugging: Method[] = [
  read('debug_traceTransaction', 'head', advanced),
  readAt('debug_traceCall', 1, advanced),
  read('debug_traceCallMany', 'head', advanced),
  readAt('debug_traceBlockByNumber', 0, advanced),
  read('debug_traceBlockByHash', 'content', advanced),
  read('debug_traceBlock', 'head', advanced),
  read('debug_traceBadBlock', 'never', advanced),
  readAt('debug_getRawBlock', 0, advanced),
  readAt('debug_getRawHeader', 0, advanced),
  readAt('debug_getRawReceipts', 0, advanced),
  read('debug_getRawTransaction', 'never', advanced),
  read('debug_getBadBlocks', 'never', advanced),
  read('debug_storageRangeAt', 'content', advanced),
]

const zkSync: Method[] = [
  once('zks_sendRawTransactionWithDetailedOutput'),
  read('zks_L1ChainId', 'constant'),
  read('zks_getBytecodeByHash', 'content'),
  ...[
    'zks_L1BatchNumber',
    'zks_estimateFee',
    'zks_estimateGasL1ToL2',
    'zks_getAllAccountBalances',
    'zks_getBaseTokenL1Address',
    'zks_getBatchFeeInput',
    'zks_getBlockDetails',
    'zks_getBridgeContracts',
    'zks_getBridgehubContract',
    'zks_getConfirmedTokens',
    'zks_getFeeParams',
    'zks_getL1BatchBlockRange',
    'zks_getL1BatchDetails',
    'zks_getL1GasPrice',
    'zks_getL2ToL1LogProof',
    'zks_getL2ToL1MsgProof',
    'zks_getMainContract',
    'zks_getProof',
    'zks_getProtocolVersion',
    'zks_getRawBlockTransactions',
    'zks_getTestnetPaymaster',
    'zks_getTransactionDetails',
  ].map((name) => read(name, 'head')),
]

const linea: Method[] = [
  read('linea_estimateGas', 'head'),
  readAt('linea_getProof', 2),
  read('linea_getTransactionExclusionStatusV1', 'never'),
]

const polygon: Method[] = [
  read('eth_getRootHash', 'head'),
  read('bor_getRootHash', 'head'),
  read('bor_getCurrentProposer', 'head'),
  read('bor_getCurrentValidators', 'head'),
  readAt('bor_getAuthor', 0),
  readAt('bor_getSigners', 0),
  readAt('bor_getSnapshot', 0),
  readAt('bor_getSnapshotProposer', 0),
  readAt('bor_getSnapshotProposerSequence', 0),
  read('bor_getSignersAtHash', 'content'),
  read('bor_getSnapshotAtHash', 'content'),
]

export const evmMethods: readonly Method[] = [
  ...chain,
  ...state,
  ...blocks,
  ...transactions,
  ...userOperations,
  ...traces('trace'),
  ...traces('arbtrace'),
  ...debugging,
  ...zkSync,
  ...linea,
  ...polygon,
]
