import type { EC2NodeClass, NodePool } from '../../../src/api/karpenter.ts'
import type { Deployment, Unsaved } from '../../../src/api/kubernetes.ts'
import { clusterName, nodeRole, type Release } from './moto-account.ts'

/** Name of everything that a fleet test applies. */
export const fleetName = 'peers'
/** Two pods of this size fit on each of the pool's nodes, three do not. */
export const podRequests = { cpu: '700m', memory: '256Mi' }

const tags = { 'karpenter.sh/discovery': clusterName }

/** The release is pinned, as in Git; a change of it rolls the nodes. */
export function aNodeClass(release: Release): Unsaved<EC2NodeClass> {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: fleetName },
    spec: {
      role: nodeRole,
      amiSelectorTerms: [{ alias: `al2023@${release}` }],
      subnetSelectorTerms: [{ tags }],
      securityGroupSelectorTerms: [{ tags }],
    },
  }
}

export function aNodePool(): Unsaved<NodePool> {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: fleetName },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: fleetName },
          requirements: [
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
            { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['c5.large', 'm5.large'] },
          ],
          expireAfter: 'Never',
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

export function aDeployment(replicas: number): Unsaved<Deployment> {
  const labels = { app: fleetName }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: fleetName, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests: podRequests } }],
        },
      },
    },
  }
}
