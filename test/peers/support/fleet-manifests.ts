import type { EC2NodeClass, NodePool } from '../../../src/api/karpenter.ts'
import type { Deployment, Unsaved } from '../../../src/api/kubernetes.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { clusterName, nodeRole, type Release } from './moto-account.ts'

/** What a fleet test applies; its name is that of every object. */
export interface FleetShape {
  readonly name: string
  /** On-demand unless said. */
  readonly capacityTypes?: readonly ('on-demand' | 'spot' | 'reserved')[]
  /** All zones unless said. */
  readonly zones?: readonly string[]
  /** What its EC2NodeClass says besides, or otherwise. */
  readonly nodeClass?: Partial<EC2NodeClass['spec']>
  readonly expireAfter?: string
}

export const plainFleet: FleetShape = { name: 'peers' }

/** Two pods of this size fit on each of the pool's nodes, three do not. */
const podRequests = { cpu: '700m', memory: '256Mi' }

const tags = { 'karpenter.sh/discovery': clusterName }

/** The release is pinned, as in Git; a change of it rolls the nodes. */
export function aNodeClass(release: Release, { name, nodeClass }: FleetShape = plainFleet): Unsaved<EC2NodeClass> {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      role: nodeRole,
      amiSelectorTerms: [{ alias: `al2023@${release}` }],
      subnetSelectorTerms: [{ tags }],
      securityGroupSelectorTerms: [{ tags }],
      ...nodeClass,
    },
  }
}

export function aNodePool(shape: FleetShape = plainFleet): Unsaved<NodePool> {
  const { name, capacityTypes = ['on-demand'], zones, expireAfter = 'Never' } = shape
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      template: {
        metadata: { labels: { fleet: name } },
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name },
          requirements: [
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: [...capacityTypes] },
            ...(zones === undefined
              ? []
              : [{ key: 'topology.kubernetes.io/zone', operator: 'In' as const, values: [...zones] }]),
            { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['c5.large', 'm5.large'] },
          ],
          expireAfter,
        },
      },
      disruption: {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: '2s',
        budgets: [{ nodes: '2' }],
      },
    },
  }
}

export function aDeployment(replicas: number, { name }: FleetShape = plainFleet): Unsaved<Deployment> {
  const spec = {
    terminationGracePeriodSeconds: 1,
    nodeSelector: { fleet: name },
    containers: [containerOf(podRequests)],
  }
  return deploymentOf(name, replicas, spec)
}
