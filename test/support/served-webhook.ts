import { afterEach, beforeAll } from 'vitest'
import { silentLogger } from '../../src/kube/logger.ts'
import type { Issued } from '../../webhooks/certificates.ts'
import { createWebhookServer, type WebhookOptions, type WebhookServer } from '../../webhooks/server.ts'
import { type SecureClient, secureClient } from './secure-client.ts'
import { servingCertificate } from './serving-certificate.ts'

/** What a review begins with, by the way that it takes: a header that is not known on the connection itself goes through Fastify. */
export const reviewHead = 'POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
export const ways = { 'on the connection itself': reviewHead, 'through Fastify': `${reviewHead}X-Other-Way: yes\r\n` }

/** The body of a review of a NodePool of the name. */
export function reviewOf(name = 'a'): string {
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      kind: { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' },
      operation: 'CREATE',
      object: { metadata: { name } },
    },
  })
}

export interface ServedWebhook {
  /** Starts one that allows everything, and resolves to its port. */
  readonly start: (changes: Partial<WebhookOptions>) => Promise<number>
  /** For what a test starts by itself. */
  readonly running: WebhookServer[]
  readonly connected: (port: number) => Promise<SecureClient>
}

/** Webhooks and connections for the tests of a file; each test's own are closed behind it. */
export function servedWebhook(): ServedWebhook {
  const running: WebhookServer[] = []
  const open: SecureClient[] = []
  let authority: Issued
  let leaf: Issued
  beforeAll(async () => {
    ;({ authority, leaf } = await servingCertificate())
  })
  afterEach(async () => {
    for (const { socket } of open.splice(0)) socket.destroy()
    for (const server of running.splice(0)) await server.close()
  })
  return {
    running,
    async start(changes) {
      const server = createWebhookServer({
        tls: leaf,
        validate: () => ({ allowed: true }),
        mutate: () => ({ allowed: true }),
        unreadyBecause: () => undefined,
        metricsText: async () => '',
        log: silentLogger,
        ...changes,
      })
      running.push(server)
      return server.listen({ host: '127.0.0.1', port: 0 })
    },
    async connected(port) {
      const client = await secureClient(port, authority.certificate)
      open.push(client)
      return client
    },
  }
}
