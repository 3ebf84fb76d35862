import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { userDataProblem } from '../../../src/cloud/aws/userdata/user-data-problem.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { silentLogger } from '../../../src/kube/logger.ts'
import type { Clock } from '../../../src/model/clock.ts'
import { manageCertificates } from '../../../webhooks/certificate-manager.ts'
import type { Lifetimes } from '../../../webhooks/certificate-rotation.ts'
import { mutateReview, validateReview } from '../../../webhooks/judge-review.ts'
import { createWebhookServer, type TLSMaterial, type WebhookServer } from '../../../webhooks/server.ts'
import { bringWebhookSecret } from '../../support/webhook-secret.ts'

export interface RunningWebhook {
  readonly port: number
  /** PEM certificates that have been served, in order. */
  readonly served: readonly string[]
  stop(): Promise<void>
}

export interface RunWebhookOptions {
  readonly kube: KubeClient
  readonly clock: Clock
  readonly lifetimes?: Lifetimes
  readonly recheckMs?: number
}

/** The webhook as the command runs it: certificates of its own, kept in a Secret, their authority written into the configurations. */
export async function runWebhook({ kube, clock, ...rest }: RunWebhookOptions): Promise<RunningWebhook> {
  await bringWebhookSecret(kube)
  const stop = new AbortController()
  const served: string[] = []
  const listening = Promise.withResolvers<{ server: WebhookServer; port: number }>()
  let server: WebhookServer | undefined
  const onCertificate = (tls: TLSMaterial): void => {
    served.push(tls.certificate)
    if (server !== undefined) return server.replaceCertificate(tls)
    const created = createWebhookServer({
      tls,
      validate: validateReview({ clock, facts: async () => ({ userDataProblem }) }),
      mutate: mutateReview,
      unreadyBecause: () => undefined,
      metricsText: async () => '',
      log: silentLogger,
    })
    server = created
    created
      .listen({ host: '127.0.0.1', port: 0 })
      .then((port) => listening.resolve({ server: created, port }), listening.reject)
  }
  const certificates = manageCertificates(
    {
      kube,
      clock,
      log: silentLogger,
      namespace: 'kube-system',
      secretName: 'joinery-webhook-certificates',
      hosts: ['localhost', 'joinery-webhook.kube-system.svc'],
      validating: ['joinery'],
      mutating: ['joinery'],
      ...rest,
    },
    onCertificate,
    stop.signal,
  )
  const { port } = await listening.promise
  return {
    port,
    served,
    async stop() {
      stop.abort()
      await certificates
      await server?.close()
    },
  }
}

interface ShippedConfiguration extends KubeObject {
  readonly webhooks: readonly { readonly clientConfig: { readonly service: { readonly path: string } } }[]
}

/** A webhook configuration that names an address. */
interface WebhookConfiguration extends KubeObject {
  readonly webhooks: readonly { readonly clientConfig: { readonly url: string } }[]
}

/** The webhook configurations that are shipped, without a Service in between. */
export function shippedConfigurations(port: number): WebhookConfiguration[] {
  return shipped('base/joinery.yaml')
    .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
    .map((object) => {
      const { webhooks } = object as ShippedConfiguration
      return {
        ...object,
        webhooks: webhooks.map((webhook) => ({
          ...webhook,
          clientConfig: { url: `https://localhost:${port}${webhook.clientConfig.service.path}` },
        })),
      }
    })
}

/** By file: they stay as they are while tests run, and a fault whose certificates rotate asks for one every minute. */
const read = new Map<string, readonly KubeObject[]>()

export function shipped(file: string): readonly KubeObject[] {
  let objects = read.get(file)
  if (objects === undefined) {
    const text = readFileSync(join(import.meta.dirname, '../../../manifests', file), 'utf8')
    objects = parseAllDocuments(text).map((document) => document.toJS() as KubeObject)
    read.set(file, objects)
  }
  return objects
}
