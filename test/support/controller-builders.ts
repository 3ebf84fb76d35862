import type { NodeClaim, NodePool } from '../../src/api/karpenter.ts'
import type { Condition, KubeObject, Node, ObjectMeta, Pod, Unsaved } from '../../src/api/kubernetes.ts'

/** Smallest objects as a client would create them; the fake API server fills in the rest. */
export function aClaim(
  name = 'c1',
  more: {
    metadata?: Partial<ObjectMeta>
    spec?: Partial<NodeClaim['spec']>
    status?: NodeClaim['status']
  } = {},
): Unsaved<NodeClaim> {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, labels: { 'karpenter.sh/nodepool': 'default' }, ...more.metadata },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [],
      ...more.spec,
    },
    ...(more.status === undefined ? {} : { status: more.status }),
  }
}

export function aPool(name = 'default', spec: Partial<NodePool['spec']> = {}, status?: NodePool['status']) {
  const pool: Unsaved<NodePool> = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [],
        },
      },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  }
  return pool
}

export const unregisteredTaint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' } as const

export function aNode(
  name = 'n1',
  more: {
    metadata?: Partial<ObjectMeta>
    providerID?: string
    taints?: NonNullable<Node['spec']['taints']>
    ready?: 'True' | 'False' | 'Unknown'
    status?: Node['status']
  } = {},
): Unsaved<Node> {
  const { providerID = 'aws:///us-west-2a/i-1', ready = 'True' } = more
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, ...more.metadata },
    spec: { providerID, ...(more.taints === undefined ? {} : { taints: more.taints }) },
    status: {
      capacity: { cpu: '2', memory: '8Gi', pods: '29' },
      allocatable: { cpu: '1930m', memory: '7Gi', pods: '29' },
      conditions: [{ type: 'Ready', status: ready, lastTransitionTime: '2026-01-01T00:00:00Z' }],
      ...more.status,
    },
  }
}

export function aPod(
  name: string,
  more: { metadata?: Partial<ObjectMeta>; spec?: Partial<Pod['spec']>; status?: Pod['status'] } = {},
): Unsaved<Pod> {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...more.metadata },
    spec: { containers: [{ name: 'main' }], terminationGracePeriodSeconds: 30, ...more.spec },
    status: { phase: 'Running', ...more.status },
  }
}

/** A pod that the scheduler found no node for. */
export function aPendingPod(name: string, more: Parameters<typeof aPod>[1] = {}): Unsaved<Pod> {
  return aPod(name, {
    ...more,
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
      ...more.status,
    },
  })
}

export function ownedBy(kind: string, apiVersion = 'apps/v1', name = 'owner') {
  return { ownerReferences: [{ apiVersion, kind, name, uid: `${kind}-${name}`, controller: true }] }
}

export function conditionOf(
  object: KubeObject & { status?: { conditions?: Condition[] } },
  type: string,
): string | undefined {
  const found = object.status?.conditions?.find((condition) => condition.type === type)
  return found === undefined ? undefined : `${found.status}/${found.reason ?? ''}/${found.message ?? ''}`
}

export function trueCondition(type: string, lastTransitionTime = '2026-01-01T00:00:00Z'): Condition {
  return { type, status: 'True', reason: type, message: '', lastTransitionTime, observedGeneration: 1 }
}
