import { networkInterfaces } from 'node:os'

/**
 * An address of this machine that an EndpointSlice may have: none on loopback.
 *
 * @throws Error when there is no other
 */
export function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)
  if (own === undefined) throw new Error('this machine has no IPv4 address but loopback')
  return own.address
}
