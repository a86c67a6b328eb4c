import { type Hex, pad, toEventSelector } from 'viem'
import type { SignedPayment } from '../rail.js'
import type { Log, Receipt } from './chain.js'
import { payloadOf } from './read-payment.js'

const transfer = toEventSelector('Transfer(address,address,uint256)')
export const authorizationUsed = toEventSelector('AuthorizationUsed(address,bytes32)')
export const authorizationCanceled = toEventSelector('AuthorizationCanceled(address,bytes32)')

export const topicOf = (address: Hex): Hex => pad(address.toLowerCase() as Hex)

/**
 * Whether this transaction moved the money of this payment. The token tells of the transfer right after it tells that the
 * authorization was used: any other transfer in the same transaction is not this payment's.
 */
export const isPaidBy = ({ status, logs }: Receipt, payment: SignedPayment, asset: Hex): boolean => {
  const { from, to, nonce } = payloadOf(payment).authorization
  const isAbout = ({ topics }: Log, event: Hex, ...indexed: Hex[]) =>
    [event, ...indexed].every((topic, index) => topics[index]?.toLowerCase() === topic)
  const ofToken = logs.filter(({ address }) => address.toLowerCase() === asset.toLowerCase())
  const used = ofToken.findIndex((log) => isAbout(log, authorizationUsed, topicOf(from), nonce))
  const moved = used < 0 ? undefined : ofToken[used + 1]
  return (
    status === 'success' &&
    moved !== undefined &&
    isAbout(moved, transfer, topicOf(from), topicOf(to)) &&
    BigInt(moved.data) === payment.amount
  )
}
