import { type Method, once, read, readAt, send } from './method.js'

const large = { tier: 'large' } as const
/** Another node may already know it. */
const doubtful = { isNullDoubtful: true }

export const solanaMethods: readonly Method[] = [
  send('sendTransaction'),
  once('requestAirdrop'),

  read('getGenesisHash', 'constant'),
  read('getEpochSchedule', 'constant'),
  read('getBlock', 'mined', doubtful),
  read('getTransaction', 'mined', doubtful),
  readAt('getBlockTime', 0, doubtful),

  read('getLargestAccounts', 'head', large),
  read('getSupply', 'head', large),
  ...[
    'getAccountInfo',
    'getBalance',
    'getBlockCommitment',
    'getBlockHeight',
    'getBlockProduction',
    'getBlocks',
    'getBlocksWithLimit',
    'getEpochInfo',
    'getFeeForMessage',
    'getInflationGovernor',
    'getInflationRate',
    'getInflationReward',
    'getLatestBlockhash',
    'getLeaderSchedule',
    'getMinimumBalanceForRentExemption',
    'getMultipleAccounts',
    'getProgramAccounts',
    'getRecentPerformanceSamples',
    'getRecentPrioritizationFees',
    'getSignaturesForAddress',
    'getSlot',
    'getSlotLeader',
    'getSlotLeaders',
    'getStakeMinimumDelegation',
    'getTokenAccountBalance',
    'getTokenAccountsByDelegate',
    'getTokenAccountsByOwner',
    'getTokenLargestAccounts',
    'getTokenSupply',
    'getTransactionCount',
    'getVoteAccounts',
    'isBlockhashValid',
  ].map((name) => read(name, 'head')),

  // Who asks this waits for a change.
  read('getSignatureStatuses', 'never'),
  read('simulateTransaction', 'never'),
  // About the node itself, and each has its own.
  ...[
    'getClusterNodes',
    'getFirstAvailableBlock',
    'getHealth',
    'getHighestSnapshotSlot',
    'getIdentity',
    'getMaxRetransmitSlot',
    'getMaxShredInsertSlot',
    'getVersion',
    'minimumLedgerSlot',
  ].map((name) => read(name, 'never')),
]
