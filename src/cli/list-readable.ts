import type { KubeObject } from '../api/kubernetes.ts'
import { hasCode, type KubeErrorCode } from '../kube/errors.ts'
import type { KubeClient } from '../kube/port.ts'
import type { Resource } from '../kube/resource.ts'

type Lister = Pick<KubeClient, 'list'>

/** All of a kind; none where it is not served, as RolloutPolicies are not with Karpenter's own definitions. */
export async function listServed<T extends KubeObject>(
  client: Lister,
  resource: Resource<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  return (await listUnless(['NotFound'], client, resource, signal)) ?? []
}

/** All of a kind; undefined where it is not served or may not be read, since what other objects say can be told all the same. */
export function listReadable<T extends KubeObject>(
  client: Lister,
  resource: Resource<T>,
  signal: AbortSignal,
): Promise<readonly T[] | undefined> {
  return listUnless(['NotFound', 'Forbidden'], client, resource, signal)
}

async function listUnless<T extends KubeObject>(
  codes: readonly KubeErrorCode[],
  client: Lister,
  resource: Resource<T>,
  signal: AbortSignal,
): Promise<readonly T[] | undefined> {
  try {
    return (await client.list(resource, { signal })).items
  } catch (error) {
    if (codes.some((code) => hasCode(error, code))) return undefined
    throw error
  }
}
