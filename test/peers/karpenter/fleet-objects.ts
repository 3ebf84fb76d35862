import type { NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import type { Deployment, PodDisruptionBudget, Unsaved } from '../../../src/api/kubernetes.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { type ComparedFleet, type PodGroup, typesOf } from './compared-fleet.ts'

/** The EC2NodeClass of most. */
export const sharedClass = 'shared'

/** Until then consolidation says nothing of a node; what it once said it does not say otherwise for a quarter of an hour. */
export const later = '1h'

export function poolOf(fleet: ComparedFleet): Unsaved<NodePool> {
  const { name, template, disruption, limits, replicas } = fleet
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      ...(limits === undefined ? {} : { limits }),
      template: {
        metadata: { labels: { fleet: name } },
        spec: { ...ofMachines(fleet), expireAfter: 'Never', ...template },
      },
      disruption: { consolidateAfter: later, budgets: [{ nodes: '100%' }], ...disruption },
    },
  }
}

/** That nobody but a person asks for. */
export function standaloneClaimOf(fleet: ComparedFleet): Unsaved<NodeClaim> {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: `${fleet.name}-by-hand`, labels: { fleet: fleet.name } },
    spec: { ...ofMachines(fleet), expireAfter: 'Never', resources: { requests: { cpu: '1' } }, ...fleet.template },
  }
}

export function workloadOf(
  fleet: string,
  { name, count = 1, requests, annotations, nodeSelector }: PodGroup,
): Unsaved<Deployment> {
  const spec = {
    terminationGracePeriodSeconds: 1,
    nodeSelector: { ...nodeSelector, fleet },
    containers: [containerOf({ ...requests })],
  }
  return deploymentOf(`${fleet}-${name}`, count, spec, { labels: { fleet }, annotations })
}

export function guardsOf({ name, guards = 0 }: ComparedFleet): readonly Unsaved<PodDisruptionBudget>[] {
  return Array.from({ length: guards }, (_, index) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: `${name}-${index}`, namespace: 'default' },
    spec: { maxUnavailable: 0, selector: { matchLabels: { fleet: name } } },
  }))
}

function ofMachines({ name, types = ['m5.large'], capacityType, hasClass = false }: ComparedFleet) {
  const { requirements } = typesOf(types.slice(0, 1), capacityType).template.spec
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: hasClass ? name : sharedClass }
  return { nodeClassRef, requirements }
}
