// Measures what it costs to check a sign-in, without the database: ours beside viem and the helper of x402.
import { generateKeyPairSigner } from '@solana/kit'
import {
  createSIWxMessage,
  createSIWxPayload,
  encodeSIWxHeader,
  verifySIWxSignature,
} from '@x402/extensions/sign-in-with-x'
import { verifyMessage } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { buildIfNeeded } from './build.mjs'

await buildIfNeeded()
const { challengeOf, createSignIn } = await import('../dist/src/guard/sign-in/sign-in.js')

const nowMs = Date.now()
const uri = 'https://api.example.com/api/v1/chat/completions'
const place = {
  publicUrl: 'https://api.example.com',
  evm: { chainId: 8453, rpcUrl: '' },
  solana: { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' },
  maxAgeSeconds: 300,
  // Nothing is remembered, so no database is needed.
  isReusable: true,
}
const signIn = createSignIn({ sql: undefined, clock: { nowMs: () => nowMs }, place: () => place })

const account = privateKeyToAccount(generatePrivateKey())
const signer = await generateKeyPairSigner()
const { info, supportedChains } = challengeOf(place, { nowMs, uri })
const evm = await createSIWxPayload({ ...info, ...supportedChains[0] }, account, uri)
const solana = await createSIWxPayload({ ...info, ...supportedChains[2] }, signer, uri)
const textOf = (payload) => createSIWxMessage(payload, payload.address)
const envelopeOf = ({ address, signature, chainId, ...rest }) =>
  encodeSIWxHeader({ address, signature, chainId, message: textOf({ address, chainId, ...rest }) })

/** Milliseconds of CPU for one, and how long the loop was busy with it. */
const measure = async (name, work, seconds = 1) => {
  for (let warm = 0; warm < 20; warm++) await work()
  const cpu = process.cpuUsage()
  const startedMs = performance.now()
  let runs = 0
  while (performance.now() - startedMs < seconds * 1000) {
    await work()
    runs++
  }
  const { user, system } = process.cpuUsage(cpu)
  const wallMs = (performance.now() - startedMs) / runs
  console.log(`${name.padEnd(52)} ${((user + system) / 1000 / runs).toFixed(3)} ms CPU  ${wallMs.toFixed(3)} ms`)
}

const ours = {
  evmText: envelopeOf(evm),
  evmParts: encodeSIWxHeader(evm),
  solanaText: envelopeOf(solana),
  solanaParts: encodeSIWxHeader(solana),
}
await measure('EVM, the text', () => signIn(ours.evmText))
await measure('EVM, its parts', () => signIn(ours.evmParts))
await measure('Solana, the text', () => signIn(ours.solanaText))
await measure('Solana, its parts', () => signIn(ours.solanaParts))
const wrong = encodeSIWxHeader({ ...evm, nonce: 'another0nonce' })
await measure('EVM, a signature of something else', () => signIn(wrong).catch(() => {}))
await measure('no sign-in at all', () => signIn('bm9uc2Vuc2U=').catch(() => {}))
const { address, signature } = evm
await measure('viem: verifyMessage (EVM, the signature alone)', () =>
  verifyMessage({ address, message: textOf(evm), signature }),
)
await measure('x402: verifySIWxSignature (EVM)', () => verifySIWxSignature(evm))
await measure('x402: verifySIWxSignature (Solana)', () => verifySIWxSignature(solana))
