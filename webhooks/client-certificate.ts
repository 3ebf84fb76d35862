import { TLSSocket } from 'node:tls'

/** Whether the peer of a connection may ask for reviews, where only the clients of an authority may. */
export type ClientStanding = 'known' | 'without certificate' | 'unknown certificate'

/** The handshake of a connection has asked for a certificate and judged it. */
export function clientStanding(connection: object): ClientStanding {
  if (!(connection instanceof TLSSocket)) return 'without certificate'
  if (connection.authorized) return 'known'
  return connection.getPeerX509Certificate() === undefined ? 'without certificate' : 'unknown certificate'
}
