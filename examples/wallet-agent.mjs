// An agent with USDC and no account. It pays in when its credit runs low, signs in for every call, and chats through the
// ordinary OpenAI client.
//
//   WALLET_KEY=0x... node examples/wallet-agent.mjs "What is a tessera?"
//
// The wallet needs USDC on the chain that the service takes (Base unless configured otherwise), and no ETH: the service
// pays the fees. Other settings: TESSERA_URL (http://127.0.0.1:8080), MODEL (the default one), TOP_UP_USD (what the
// service asks for).
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, x402Client, x402HTTPClient } from '@x402/fetch'
import OpenAI from 'openai'
import { privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage, generateSiweNonce } from 'viem/siwe'

const origin = (process.env.TESSERA_URL ?? 'http://127.0.0.1:8080').replace(/\/$/, '')
const api = `${origin}/api/v1`
if (!process.env.WALLET_KEY) {
  console.error('Set WALLET_KEY to the private key of a wallet that holds USDC.')
  process.exit(1)
}
const account = privateKeyToAccount(process.env.WALLET_KEY)

/** The official client refuses to pay more than a dollar at a time unless it is told how much we allow. */
const payer = registerExactEvmScheme(new x402Client(), { signer: account })
payer.setSpendControls({ maxAmountPerPayment: '$50' })
const wire = new x402HTTPClient(payer)

/** A sign-in is good once, for some minutes, and only at this service. */
const signIn = async () => {
  const message = createSiweMessage({
    address: account.address,
    chainId: 8453,
    domain: new URL(origin).host,
    uri: origin,
    version: '1',
    nonce: generateSiweNonce(),
    issuedAt: new Date(),
    expirationTime: new Date(Date.now() + 4 * 60_000),
  })
  const signature = await account.signMessage({ message })
  const proof = { address: account.address, message, signature, chainId: 8453 }
  return Buffer.from(JSON.stringify(proof)).toString('base64')
}

/** Asks what can be paid, signs one of the options, and sends it. Sending the same payment again never pays twice. */
const topUp = async () => {
  const offer = await fetch(`${api}/x402/top-up`, { method: 'POST' })
  const required = wire.getPaymentRequiredResponse((name) => offer.headers.get(name), await offer.json())
  const units = process.env.TOP_UP_USD && String(Math.round(Number(process.env.TOP_UP_USD) * 1e6))
  if (units) for (const option of required.accepts) option.amount = units
  const headers = wire.encodePaymentSignatureHeader(await payer.createPaymentPayload(required))
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${api}/x402/top-up`, { method: 'POST', headers })
    const body = await answer.json()
    if (answer.status === 503 && tries < 30) {
      // Sent, but not confirmed yet: the same payment again tells how it ended.
      await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get('retry-after') ?? 2) * 1000))
      continue
    }
    if (!answer.ok) throw new Error(`The top-up failed: ${body.message ?? body.error}`)
    const { transaction } = decodePaymentResponseHeader(answer.headers.get('payment-response'))
    console.error(
      `Paid in ${body.data.amountCredited} USD (${transaction}); the balance is ${body.data.newBalance} USD.`,
    )
    return
  }
}

/** Signs every request, and pays in when the service says that the credit is too small. */
const walletFetch = async (url, init) => {
  const send = async () => {
    const headers = new Headers(init?.headers)
    headers.set('SIGN-IN-WITH-X', await signIn())
    return fetch(url, { ...init, headers })
  }
  const answer = await send()
  if (answer.status !== 402) return answer
  await topUp()
  return send()
}

const openai = new OpenAI({ baseURL: api, apiKey: 'a wallet signs in instead', fetch: walletFetch })
const { data: chat, response } = await openai.chat.completions
  .create({
    model: process.env.MODEL ?? 'default',
    messages: [{ role: 'user', content: process.argv[2] ?? 'Say hello.' }],
    max_completion_tokens: 200,
  })
  .withResponse()
console.log(chat.choices[0].message.content)
console.error(`Left: ${response.headers.get('x-balance-remaining')} USD.`)
