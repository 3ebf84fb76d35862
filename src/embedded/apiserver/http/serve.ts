import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { messageOf } from '../../../api/error-text.ts'
import { writePrivateFile } from '../../private-file.ts'
import type { Caller } from '../api/context.ts'
import { type ApiServer, systemCaller } from '../server.ts'
import { createListener } from './listener.ts'

export interface ServeOptions {
  readonly server: ApiServer
  /** 0 takes a free one. */
  readonly port?: number
  /** Where the kubeconfig is written, readable by its owner only. */
  readonly kubeconfigPath?: string
  /** Name of cluster, user and context in the kubeconfig. */
  readonly name?: string
}

export interface RunningAPIServer {
  readonly url: string
  readonly port: number
  /** Certificate authority of the server, PEM. */
  readonly authority: string
  /** A bearer token with all rights, for clients that cannot do certificates. */
  readonly token: string
  readonly kubeconfig: string
  /** A kubeconfig for another user, by a client certificate of its own. */
  kubeconfigFor(user: string, groups: readonly string[]): Promise<string>
  close(): Promise<void>
}

const loopback = '127.0.0.1'

/** Where the kubeconfig could not be written; nothing is served then. */
export class KubeconfigError extends Error {
  readonly code = 'Kubeconfig'
  override readonly name = 'KubeconfigError'
}

/**
 * Serves the API over HTTPS on the loopback address. Clients show a certificate of its authority, or its token.
 * @throws KubeconfigError, and what `listen` throws
 */
export async function serve(options: ServeOptions): Promise<RunningAPIServer> {
  // 73 ms to load, so only who serves pays for it.
  const { createCertificates } = await import('./certificates.ts')
  const { kubeconfigText } = await import('./kubeconfig.ts')
  const { server, port = 0, name = 'joinery' } = options
  // Peers check validity against their own clocks, so certificates live in real time even when the cluster's is virtual.
  const certificates = await createCertificates(Date.now())
  const token = randomBytes(32).toString('hex')
  const https = createServer(
    {
      key: certificates.server.key,
      cert: certificates.server.certificate,
      ca: certificates.authority,
      requestCert: true,
      rejectUnauthorized: false,
    },
    createListener({ server, authenticate: (request) => authenticate(request, token) }),
  )
  // Watches stay open for as long as clients like.
  https.requestTimeout = 0
  https.headersTimeout = 60_000
  https.keepAliveTimeout = 60_000
  const sockets = new Set<Duplex>()
  https.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    https.once('error', reject)
    https.listen(port, loopback, resolve)
  })
  const address = addressOf(https.address())
  const url = `https://${loopback}:${address.port}`
  const kubeconfigFor = async (user: string, groups: readonly string[]): Promise<string> => {
    const client = await certificates.issueClient(user, groups)
    return kubeconfigText({ server: url, authority: certificates.authority, client, name })
  }
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      https.close(() => resolve())
    })
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const kubeconfig = await kubeconfigFor('kubernetes-admin', ['system:masters'])
  if (options.kubeconfigPath !== undefined) {
    try {
      await writePrivateFile(options.kubeconfigPath, kubeconfig)
    } catch (error) {
      await close()
      const because = messageOf(error)
      throw new KubeconfigError(`cannot write the kubeconfig: ${because}`, { cause: error })
    }
  }
  return {
    url,
    port: address.port,
    authority: certificates.authority,
    token,
    kubeconfig,
    kubeconfigFor,
    close,
  }
}

function authenticate(request: IncomingMessage, token: string): Caller | undefined {
  const { socket } = request
  if (socket instanceof TLSSocket && socket.authorized) {
    const subject = socket.getPeerCertificate().subject
    const groups = [subject?.O ?? []].flat()
    if (subject !== undefined)
      return { user: [subject.CN].flat()[0] ?? '', groups: [...groups, 'system:authenticated'] }
  }
  const sent = Buffer.from(request.headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return sent.length === wanted.length && timingSafeEqual(sent, wanted) ? systemCaller : undefined
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port')
  return address
}
