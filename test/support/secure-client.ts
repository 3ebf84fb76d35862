import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'

/** One connection to a server of this machine, by which bytes are sent as they are written. */
export interface SecureClient {
  readonly socket: TLSSocket
  /** All that has been received. */
  readonly text: () => string
  readonly closed: Promise<void>
}

export type SecureClientOptions = ConnectionOptions & { readonly allowHalfOpen?: boolean }

/** Rejects when the handshake fails. What goes wrong later is seen by the end of the connection. */
export async function secureClient(port: number, ca: string, more: SecureClientOptions = {}): Promise<SecureClient> {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost', ...more })
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
  socket.on('error', () => undefined)
  return { socket, text: () => text, closed }
}
