import { hasCode } from '../../src/kube/errors.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import { secrets } from '../../webhooks/kinds.ts'

/** Creates the Secret that the webhook keeps its certificates in, as the manifests do. */
export async function bringWebhookSecret(kube: KubeClient): Promise<void> {
  const metadata = { name: 'joinery-webhook-certificates', namespace: 'kube-system' }
  try {
    await kube.create(secrets, { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata })
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error
  }
}
