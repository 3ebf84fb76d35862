import { describe, expect, test } from 'vitest'
import { nodes } from '../../../../src/kube/kinds.ts'
import { type aClaim, aNode, unregisteredTaint } from '../../../support/controller-builders.ts'
import { conditionIn, launched, nodeKey } from '../../../support/lifecycle-world.ts'

describe('initialization', () => {
  test('a ready node with all it was asked for is marked, for good', async () => {
    const { world } = await launched({ spec: { resources: { requests: { cpu: '1', 'nvidia.com/gpu': '0' } } } })
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    expect((await world.read(nodes, nodeKey)).metadata.labels).toMatchObject({ 'karpenter.sh/initialized': 'true' })
    expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
    expect(await conditionIn(world, 'Ready')).toBe('True/Ready/')
    expect(world.logged('initialized nodeclaim')).toHaveLength(1)
    await world.kube.patch(nodes, nodeKey, {
      kind: 'merge',
      body: { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
    })
    await world.run(5_000)
    expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
  })

  const cases: Record<
    string,
    { claim?: Parameters<typeof aClaim>[1]; node: Parameters<typeof aNode>[1]; want: string }
  > = {
    'the node is not ready': {
      node: { ready: 'False' },
      want: 'Unknown/NodeNotReady/Node status is NotReady',
    },
    'case 116: a readiness taint is there': {
      node: { taints: [{ key: 'readiness.k8s.io/x', value: 'y', effect: 'NoSchedule' }] },
      want: 'Unknown/KnownEphemeralTaintsExist/KnownEphemeralTaint "readiness.k8s.io/x=y:NoSchedule" still exists',
    },
    'the cloud controller has not seen the node': {
      node: {
        taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }],
      },
      want: 'Unknown/KnownEphemeralTaintsExist/KnownEphemeralTaint "node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule" still exists',
    },
    'case 115: the requested GPU is not registered': {
      claim: { spec: { resources: { requests: { 'nvidia.com/gpu': '1' } } } },
      node: {
        status: { allocatable: { cpu: '2', 'nvidia.com/gpu': '0' }, conditions: [{ type: 'Ready', status: 'True' }] },
      },
      want: 'Unknown/ResourceNotRegistered/Resource "nvidia.com/gpu" was requested but not registered',
    },
    'case 115: nobody asked for the GPU': {
      claim: { spec: { resources: { requests: { cpu: '1' } } } },
      node: {
        status: { allocatable: { cpu: '2', 'nvidia.com/gpu': '0' }, conditions: [{ type: 'Ready', status: 'True' }] },
      },
      want: 'True/Initialized/',
    },
  }
  test.each(Object.entries(cases))('%s', async (_name, { claim, node, want }) => {
    const { world } = await launched(claim)
    await world.kube.create(nodes, aNode('n1', node))
    await world.run(5_000)
    expect(await conditionIn(world, 'Initialized')).toBe(want)
  })
})
