import type { KubeObject } from '../src/api/kubernetes.ts'
import type { Resource } from '../src/kube/resource.ts'

export interface Secret extends KubeObject {
  type?: string
  /** Base64. */
  data?: Record<string, string>
}

export interface WebhookConfiguration extends KubeObject {
  webhooks?: { name: string; clientConfig: { caBundle?: string; service?: unknown; url?: string } }[]
}

export const secrets: Resource<Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
}

export const validatingWebhookConfigurations: Resource<WebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
}

export const mutatingWebhookConfigurations: Resource<WebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
}
