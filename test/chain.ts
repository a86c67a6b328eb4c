import { createServer } from 'node:http'
import { createEVM } from '@ethereumjs/evm'
import { Account, bytesToHex, createAddressFromString, hexToBytes, type PrefixedHexString } from '@ethereumjs/util'

type Hex = PrefixedHexString

// balanceOf(address): what lies in the slot that the address names.
const stakingCode: Hex = '0x6004355460005260206000f3'

// isValidSignature(bytes32 hash, bytes signature): yes when the hash is in slot 0 and keccak256(signature) in slot 1,
// and the bytes lie where the ABI puts them. Copies the signature, hashes it, compares, and answers with the selector.
const walletCode: Hex =
  '0x60443580606460003760002060015414600435600054141660243560401416631626ba7e60e01b0260005260206000f3'

const word = (hex: string): Hex => `0x${hex.replace(/^0x/, '').padStart(64, '0')}`

/** A chain small enough for a test, but a real EVM that runs real bytecode, behind JSON-RPC. */
export const startChain = async (test: { after(work: () => void): void }) => {
  const evm = await createEVM()
  const install = async (address: string, code: Hex) => {
    await evm.stateManager.putAccount(createAddressFromString(address), new Account())
    await evm.stateManager.putCode(createAddressFromString(address), hexToBytes(code))
  }
  const store = (address: string, slot: string, value: string) =>
    evm.stateManager.putStorage(createAddressFromString(address), hexToBytes(word(slot)), hexToBytes(word(value)))

  const answer = async (method: string, params: [string] | [{ to: string; data: Hex }]) => {
    const [first] = params
    if (method === 'eth_getCode')
      return bytesToHex(await evm.stateManager.getCode(createAddressFromString(first as string)))
    const { to, data } = first as { to: string; data: Hex }
    const { execResult } = await evm.runCall({ to: createAddressFromString(to), data: hexToBytes(data) })
    return bytesToHex(execResult.returnValue)
  }

  const staking = `0x${'5'.repeat(40)}`
  await install(staking, stakingCode)
  const chain = {
    url: '',
    staking,
    /** Faults: every call is answered with 502. */
    isDown: false,
    stake: (address: string, amount: bigint) => store(staking, address, amount.toString(16)),
    /** A contract wallet that approves this one signature of this one hash. */
    async installWallet(address: string, hash: string, signatureHash: string) {
      await install(address, walletCode)
      await store(address, '0', hash)
      await store(address, '1', signatureHash)
    },
  }

  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (chain.isDown) return response.writeHead(502).end('{}')
    const { id, method, params } = JSON.parse(text)
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: await answer(method, params) }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  test.after(() => void server.close())
  chain.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  return chain
}
