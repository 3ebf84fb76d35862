import type { Deployment, Unsaved } from '../../api/kubernetes.ts'
import { isConditionTrue } from '../../api/conditions.ts'
import { labelNodePool } from '../../api/labels.ts'
import { deployments } from '../../kube/kinds.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import { nodeClass, nodePool } from '../demo/manifests.ts'
import type { Stack } from '../embedded/stack.ts'

/** A fleet of this size takes some minutes of virtual time; longer, and something is wrong with the cluster. */
const fleetLimitMs = 60 * 60_000

/**
 * A NodePool, its class, and a Deployment with one pod a node, run ahead until every node is ready, or until the signal: a large fleet takes
 * minutes.
 * @returns whether it came up in time
 */
export async function raiseFleet({ cluster, operator }: Stack, size: number, signal: AbortSignal): Promise<boolean> {
  await cluster.client.create(ec2NodeClasses, nodeClass)
  await cluster.client.create(nodePools, nodePool)
  await cluster.client.create(deployments, onePerNode(size))
  const isUp = (): boolean => {
    const claims = operator.caches.of(nodeClaims).list()
    return claims.length >= size && claims.every((claim) => isConditionTrue(claim, 'Initialized'))
  }
  await cluster.clock.run({ until: () => signal.aborted || isUp(), withinMs: fleetLimitMs })
  return isUp()
}

function onePerNode(replicas: number): Unsaved<Deployment> {
  const labels = { app: 'fleet' }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'fleet', namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'pause',
              image: 'registry.k8s.io/pause:3.10',
              resources: { requests: { cpu: '500m', memory: '1Gi' } },
            },
          ],
          // The node of the cluster's own pods is none of the fleet.
          nodeSelector: { [labelNodePool]: nodePool.metadata.name ?? '' },
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' },
              ],
            },
          },
        },
      },
    },
  }
}
