import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { evmMethods } from './evm-methods.js'
import type { Family, Tier } from './method.js'
import { creditsOf, findMethod, refusalOf } from './methods.js'
import { solanaMethods } from './solana-methods.js'
import { starknetMethods } from './starknet-methods.js'

const families = ['evm', 'solana', 'starknet'] as const
const lists = { evm: evmMethods, solana: solanaMethods, starknet: starknetMethods }

/** The published prices. */
const published: Record<Tier, Partial<Record<Family, string>>> = {
  standard: {
    evm: `eth_call eth_chainId eth_getBalance eth_blockNumber eth_sendRawTransaction eth_getLogs
      eth_getTransactionReceipt eth_estimateGas eth_gasPrice eth_feeHistory eth_getTransactionCount net_version
      web3_clientVersion eth_sendUserOperation eth_estimateUserOperationGas eth_getUserOperationByHash
      eth_getUserOperationReceipt eth_supportedEntryPoints eth_getBlockByHash eth_getBlockByNumber
      eth_getBlockReceipts eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getCode
      eth_getProof eth_getStorageAt eth_getTransactionByHash eth_getTransactionByBlockHashAndIndex
      eth_getTransactionByBlockNumberAndIndex eth_maxPriorityFeePerGas eth_syncing eth_createAccessList
      net_listening web3_sha3 zks_estimateFee zks_somethingNew linea_estimateGas linea_getProof bor_getAuthor
      bor_somethingNew`,
    solana: 'getAccountInfo getBalance getLatestBlockhash getProgramAccounts sendTransaction simulateTransaction',
    starknet: 'starknet_call starknet_blockNumber starknet_traceTransaction starknet_somethingNew',
  },
  advanced: {
    evm: `trace_block trace_call trace_transaction trace_somethingNew debug_traceCall debug_traceTransaction
      debug_traceBlockByHash debug_traceBlockByNumber txpool_inspect txpool_status arbtrace_call arbtrace_somethingNew`,
  },
  large: {
    evm: `trace_replayBlockTransactions trace_replayTransaction txpool_content arbtrace_replayTransaction
      arbtrace_replayBlockTransactions`,
    solana: 'getLargestAccounts getSupply',
  },
}

const eachPublished = Object.entries(published).flatMap(([tier, byFamily]) =>
  Object.entries(byFamily).flatMap(([family, names]) =>
    names.split(/\s+/).map((name) => ({ tier, family: family as Family, name })),
  ),
)

/** Never run, whatever the network. */
const refused = `eth_subscribe eth_unsubscribe accountSubscribe accountUnsubscribe logsSubscribe slotSubscribe
  signatureUnsubscribe programSubscribe rootSubscribe voteSubscribe blockSubscribe slotsUpdatesSubscribe
  starknet_subscribeNewHeads starknet_subscribeEvents starknet_unsubscribe trace_subscribe eth_newFilter
  eth_newBlockFilter eth_newPendingTransactionFilter eth_getFilterChanges eth_getFilterLogs eth_uninstallFilter
  eth_sign eth_signTransaction eth_signTypedData eth_signTypedData_v4 eth_accounts eth_sendTransaction eth_resend
  personal_sign personal_unlockAccount personal_importRawKey admin_addPeer admin_nodeInfo admin_startHTTP miner_start
  miner_setEtherbase eth_mining eth_hashrate eth_getWork eth_submitWork eth_submitHashrate eth_coinbase debug_setHead
  debug_verbosity debug_cpuProfile debug_writeMemProfile debug_dbGet debug_chaindbCompact debug_stacks
  debug_standardTraceBlockToFile engine_newPayloadV3 engine_forkchoiceUpdatedV3 bor_getVoteOnHash anvil_setBalance
  hardhat_reset evm_mine clique_propose les_addBalance validatorExit rpc_modules`.split(/\s+/)

test('every published method has its tier', () => {
  for (const { tier, family, name } of eachPublished)
    assert.equal(findMethod(family, name)?.tier, tier, `${name} on ${family}`)
})

test('the credits of the published examples', () => {
  const credits = (family: Family, name: string, base: number) => {
    const method = findMethod(family, name)
    return method && creditsOf(method, base)
  }
  assert.equal(credits('evm', 'eth_call', 20), 20)
  assert.equal(credits('evm', 'trace_transaction', 20), 40)
  assert.equal(credits('evm', 'trace_replayTransaction', 20), 80)
  assert.equal(credits('evm', 'eth_call', 30), 30)
  assert.equal(credits('solana', 'getLargestAccounts', 30), 120)
})

test('a method of one family is unknown to the others, and they say whose it is', () => {
  for (const home of families)
    for (const { name } of lists[home])
      for (const family of families.filter((other) => other !== home)) {
        assert.equal(findMethod(family, name), undefined, `${name} on ${family}`)
        assert.match(refusalOf(family, name), /^belongs to (EVM networks|Solana|Starknet)$/)
      }
})

test('no name is in a list twice, and all that tell of a block say which parameter names it', () => {
  for (const family of families) {
    const names = lists[family].map(({ name }) => name)
    assert.deepEqual(names, [...new Set(names)])
    for (const { name, keeping, blockPlace } of lists[family])
      if (keeping === 'block' || keeping === 'logs') assert.equal(typeof blockPlace, 'number', name)
  }
})

test('what changes something is never kept, and a transaction is only sent again by who knows how', () => {
  const changing = families.flatMap((family) => lists[family].filter(({ kind }) => kind !== 'read'))
  assert.deepEqual(
    changing.map(({ name, kind, keeping }) => `${name} ${kind} ${keeping}`),
    [
      'eth_sendRawTransaction send never',
      'eth_sendUserOperation once never',
      'zks_sendRawTransactionWithDetailedOutput once never',
      'sendTransaction send never',
      'requestAirdrop once never',
      'starknet_addInvokeTransaction once never',
      'starknet_addDeclareTransaction once never',
      'starknet_addDeployAccountTransaction once never',
    ],
  )
  for (const family of families)
    for (const { name, kind } of lists[family]) assert.equal(/send|_add[A-Z]|Airdrop/.test(name), kind !== 'read', name)
})

test('what is not in the list of an open namespace is passed on once, and never kept', () => {
  for (const [family, name, tier] of [
    ['evm', 'zks_newThing', 'standard'],
    ['evm', 'linea_newThing2', 'standard'],
    ['evm', 'bor_newThing', 'standard'],
    ['evm', 'trace_newThing', 'advanced'],
    ['evm', 'arbtrace_newThing', 'advanced'],
    ['evm', 'trace_replayNewThing', 'large'],
    ['starknet', 'starknet_newThing', 'standard'],
  ] as const)
    assert.deepEqual(findMethod(family, name), { name, tier, keeping: 'never', kind: 'once', isNullDoubtful: false })
  for (const name of ['zks_', 'zks_a-b', 'zks_a b', 'zks_a\n', '\nzks_a', 'zks_é', `zks_${'a'.repeat(51)}`, 'zks_a_b'])
    assert.equal(findMethod('evm', name), undefined, name)
  for (const name of ['debug_newThing', 'txpool_newThing', 'eth_newThing', 'net_newThing', 'web3_newThing'])
    assert.equal(findMethod('evm', name), undefined, name)
})

test('what is refused is refused on every family, in any case and with any space around it', () => {
  const space = fc.constantFrom('', ' ', '\t', '\n', '\0', '\u00a0')
  fc.assert(
    fc.property(
      fc.oneof(fc.constantFrom(...refused), fc.mixedCase(fc.constantFrom(...refused))),
      fc.constantFrom(...families),
      space,
      space,
      (name, family, before, after) => {
        assert.equal(findMethod(family, before + name + after), undefined)
        assert.ok(refusalOf(family, before + name + after).length > 0)
      },
    ),
    { numRuns: 2_000 },
  )
  for (const name of refused) for (const family of families) assert.equal(findMethod(family, name), undefined, name)
})

test('names that no table has are refused, also those that every object has', () => {
  for (const family of families)
    for (const name of ['', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'ETH_CALL', 'eth_call ', 'call'])
      assert.equal(findMethod(family, name), undefined, name)
})

test('the reason of a refusal helps', () => {
  assert.equal(refusalOf('evm', 'eth_subscribe'), 'works over a websocket only')
  assert.equal(refusalOf('solana', 'accountSubscribe'), 'works over a websocket only')
  assert.equal(refusalOf('starknet', 'starknet_subscribeNewHeads'), 'works over a websocket only')
  assert.equal(refusalOf('evm', 'eth_newFilter'), 'stateful filters are not kept, use eth_getLogs')
  assert.match(refusalOf('evm', 'eth_sendTransaction'), /^needs a key of the node/)
  assert.equal(refusalOf('evm', 'eth_mining'), 'is for miners')
  assert.equal(refusalOf('evm', 'debug_setHead'), 'is for the operator of a node')
  assert.equal(refusalOf('evm', 'getBalance'), 'belongs to Solana')
  assert.equal(refusalOf('starknet', 'eth_call'), 'belongs to EVM networks')
  assert.equal(refusalOf('solana', 'starknet_call'), 'belongs to Starknet')
  assert.equal(refusalOf('evm', 'eth_GetBalance'), 'not known, use eth_getBalance')
  assert.equal(refusalOf('evm', 'eth_nonsense'), 'not known')
})
