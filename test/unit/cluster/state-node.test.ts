import { describe, expect, test } from 'vitest'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import type { CSINode, Node, Taint } from '../../../src/api/kubernetes.ts'
import { toStateNode } from '../../../src/cluster/state-node.ts'
import { toResourceList } from '../../../src/model/resources.ts'
import { metadata } from '../../support/scheduling-objects.ts'
import { aNode } from '../../support/scheduling-world.ts'

const csiNode: CSINode = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: metadata('n'),
  spec: {
    drivers: [
      { name: 'ebs.csi.aws.com', nodeID: 'i-1', allocatable: { count: 25 } },
      { name: 'none.example.com', nodeID: 'i-1', allocatable: { count: 0 } },
      { name: 'efs.csi.aws.com', nodeID: 'i-1' },
      { name: 'fsx.csi.aws.com', nodeID: 'i-1', allocatable: {} },
    ],
  },
}

test('volumes are limited for the drivers that say how many a node takes', () => {
  const { node, nodeClaim } = aNode({ name: 'n', pool: 'np' })
  const stateOf = (csi: CSINode | undefined) =>
    toStateNode({ key: 'k', node, nodeClaim, csiNode: csi, pods: [], nominatedUntil: 0, marked: false })
  expect([...stateOf(csiNode).volumeLimits]).toEqual([
    ['ebs.csi.aws.com', 25],
    ['none.example.com', 0],
  ])
  expect(stateOf(undefined).volumeLimits.size).toBe(0)
})

const plain = aNode({ name: 'n', pool: 'np' })

/** A machine of which some halves are there, each with labels, annotations and taints of its own. */
function machine(node: Partial<Node['metadata'] & Node['spec']> | undefined, claim?: Partial<NodeClaim['metadata']>) {
  const { taints = [], ...nodeMetadata } = node ?? {}
  if (plain.node === undefined || plain.nodeClaim === undefined) throw new Error('a managed node has both halves')
  return toStateNode({
    key: 'k',
    node:
      node === undefined
        ? undefined
        : { ...plain.node, metadata: { ...plain.node.metadata, labels: {}, ...nodeMetadata }, spec: { taints } },
    nodeClaim:
      claim === undefined
        ? undefined
        : { ...plain.nodeClaim, metadata: { ...plain.nodeClaim.metadata, labels: {}, ...claim } },
    csiNode: undefined,
    pods: [],
    nominatedUntil: 0,
    marked: false,
  })
}

describe('which half says what', () => {
  const claim = { name: 'c', annotations: { of: 'claim' } }

  test('until the node is registered the claim does, the name that it will have on the network included', () => {
    const labels = { 'kubernetes.io/hostname': 'ip-10-0-0-1' }
    const unregistered = machine({ labels, annotations: { of: 'node' } }, claim)
    expect(unregistered).toMatchObject({ name: 'c', hostname: 'c', annotations: { of: 'claim' } })
    const named = machine(undefined, { ...claim, labels })
    expect(named).toMatchObject({ name: 'c', hostname: 'ip-10-0-0-1', registered: false, initialized: false })
  })

  test('from then on the node does', () => {
    const labels = { 'karpenter.sh/registered': 'true', 'kubernetes.io/hostname': 'ip-10-0-0-1' }
    expect(machine({ labels, annotations: { of: 'node' } }, claim)).toMatchObject({
      name: 'n',
      hostname: 'ip-10-0-0-1',
      annotations: { of: 'node' },
    })
  })

  test('labels that say something else than true make it neither registered nor initialized', () => {
    const labels = { 'karpenter.sh/registered': 'false', 'karpenter.sh/initialized': 'false' }
    expect(machine({ labels }, claim)).toMatchObject({ name: 'c', registered: false, initialized: false })
  })

  test('a node of which no claim is known is what it says itself, whatever its labels', () => {
    const labels = { 'karpenter.sh/nodepool': 'np' }
    const taints: Taint[] = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]
    expect(machine({ labels, taints })).toMatchObject({ managed: false, registered: true, initialized: true, taints })
  })

  test('a node without a claim that is being deleted is on its way out; one with a claim only with its claim', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    expect(machine({ deletionTimestamp }).markedForDeletion).toBe(true)
    expect(machine({ deletionTimestamp }, claim).markedForDeletion).toBe(false)
    expect(machine({}, { ...claim, deletionTimestamp }).markedForDeletion).toBe(true)
  })
})

test('what the cloud promised counts as long as there is no node', () => {
  const nodeClaim: NodeClaim = {
    ...(plain.nodeClaim as NodeClaim),
    status: { providerID: 'k', capacity: { cpu: '4' }, allocatable: { cpu: '3900m' } },
  }
  const promised = toStateNode({
    key: 'k',
    node: undefined,
    nodeClaim,
    csiNode: undefined,
    pods: [],
    nominatedUntil: 0,
    marked: false,
  })
  expect(toResourceList(promised.capacity)).toEqual({ cpu: '4', nodes: '1' })
  expect(toResourceList(promised.allocatable)).toEqual({ cpu: '3900m' })
})
