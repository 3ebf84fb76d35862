import type { KubeObject, Unsaved } from '../../../../src/api/kubernetes.ts'
import {
  type ApiServer,
  type ApiServerOptions,
  clientFor,
  createApiServer,
} from '../../../../src/embedded/apiserver/index.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { SeededRandom } from '../../../../src/embedded/random.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import type { KubeClient } from '../../../../src/kube/port.ts'
import type { Resource } from '../../../../src/kube/resource.ts'

export interface World {
  readonly clock: VirtualClock
  readonly server: ApiServer
  readonly client: KubeClient
  /** Lets a second pass: controllers of the server have done their work. */
  settle(): Promise<void>
}

export function aWorld(options: Partial<ApiServerOptions> = {}): World {
  const clock = new VirtualClock()
  const server = createApiServer({ clock, random: new SeededRandom(7), ...options })
  return {
    clock,
    server,
    client: clientFor(server, { fieldManager: 'test' }),
    settle: async () => {
      await clock.run({ forMs: 1_000 })
    },
  }
}

export function resource<T extends KubeObject = KubeObject>(
  group: string,
  version: string,
  kind: string,
  plural: string,
  namespaced = false,
): Resource<T> {
  return { group, version, kind, plural, namespaced }
}

export const configMaps = resource<KubeObject & { data?: Record<string, string> }>(
  '',
  'v1',
  'ConfigMap',
  'configmaps',
  true,
)

export async function createMap(
  client: KubeClient,
  name: string,
  metadata: Partial<KubeObject['metadata']> = {},
  data = {},
) {
  return client.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name, ...metadata },
    data,
  })
}

export async function namesOf(client: KubeClient): Promise<string[]> {
  return (await client.list(configMaps, { namespace: 'default' })).items.map((item) => item.metadata.name)
}

/** The failure of a call as `code: message`, or `none`. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'none'
  } catch (error) {
    if (error instanceof KubeError) return `${error.code}: ${error.message}`
    throw error
  }
}

export const validatingWebhooks = resource(
  'admissionregistration.k8s.io',
  'v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
)

export type Fields = { readonly [field: string]: unknown }

/** A configuration with one webhook, which is asked about ConfigMaps unless `webhook` says otherwise. */
export function webhookConfiguration(
  kind: 'Validating' | 'Mutating',
  webhook: Fields = {},
): Unsaved<KubeObject> & Fields {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: 'hooks' },
    webhooks: [
      {
        name: 'hook.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: 'https://hook.example.com/review' },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['configmaps'],
          },
        ],
        ...webhook,
      },
    ],
  }
}
