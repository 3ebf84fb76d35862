import type { KubeObject } from '../../api/kubernetes.ts'
import { hasCode } from '../../kube/errors.ts'
import * as karpenterKinds from '../../kube/karpenter-kinds.ts'
import * as kinds from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { apiVersionOf, type Resource } from '../../kube/resource.ts'
import { print, type Terminal } from '../command-line.ts'
import { leftOutMarker } from './left-out.ts'
import { redact } from './redact.ts'

/** What plan and simulate read. No Secret, no ConfigMap, no event. */
export const recordedKinds: readonly Resource[] = [
  karpenterKinds.nodePools,
  karpenterKinds.ec2NodeClasses,
  karpenterKinds.nodeOverlays,
  karpenterKinds.nodeClaims,
  karpenterKinds.capacityBuffers,
  karpenterKinds.rolloutPolicies,
  kinds.namespaces,
  kinds.nodes,
  kinds.pods,
  kinds.daemonSets,
  kinds.deployments,
  kinds.replicaSets,
  kinds.statefulSets,
  kinds.services,
  kinds.podDisruptionBudgets,
  kinds.persistentVolumeClaims,
  kinds.persistentVolumes,
  kinds.storageClasses,
  kinds.csiNodes,
  kinds.priorityClasses,
  kinds.podTemplates,
  kinds.resourceClaims,
  kinds.deviceClasses,
  kinds.resourceSlices,
]

const pageSize = 500

/**
 * Every recorded object, redacted, kinds in order, each by namespace and name as the server lists them; at the end, where some kinds may not be
 * listed, the marker that names these.
 */
export async function readCluster(
  client: KubeClient,
  terminal: Pick<Terminal, 'stderr' | 'signal'>,
): Promise<KubeObject[]> {
  const objects: KubeObject[] = []
  const leftOut: string[] = []
  for (const resource of recordedKinds) {
    try {
      objects.push(...(await listAll(client, resource, terminal.signal)))
    } catch (error) {
      // A cluster without some of the CRDs is still worth a snapshot; what may not be read must be said.
      if (hasCode(error, 'NotFound')) continue
      if (!hasCode(error, 'Forbidden')) throw error
      print(terminal.stderr, `warning: ${resource.plural} may not be listed and are left out`)
      leftOut.push(resource.plural)
    }
  }
  return leftOut.length === 0 ? objects : [...objects, leftOutMarker(leftOut)]
}

async function listAll(client: KubeClient, resource: Resource, signal: AbortSignal): Promise<KubeObject[]> {
  const objects: KubeObject[] = []
  let next: string | undefined
  do {
    const page = await client.list(resource, {
      limit: pageSize,
      signal,
      ...(next === undefined ? {} : { continue: next }),
    })
    for (const item of page.items)
      objects.push(redact({ ...item, apiVersion: apiVersionOf(resource), kind: resource.kind }))
    next = page.continue === '' ? undefined : page.continue
  } while (next !== undefined)
  return objects
}
