import ipaddr from 'ipaddr.js'

/** Platform services of a cloud that answer on an address which looks public. */
const platformAddresses = new Set(['168.63.129.16'])

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address lies in the public internet. Only what is plainly public passes: not loopback, private, link-local,
 * carrier-grade NAT, multicast, documentation and reserved ranges, and no IPv6 form that carries an IPv4 address
 * (mapped, NAT64, 6to4, Teredo), since some network behind us might unpack it.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast' || platformAddresses.has(parsed.toString())) return false
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(globalUnicast)
}
