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

  test('of several things that are missing the first is told, one after the other', async () => {
    const startupTaints = [{ key: 'agent', value: 'yes', effect: 'NoSchedule' as const }]
    const { world } = await launched({
      spec: { startupTaints, resources: { requests: { cpu: '1', 'nvidia.com/gpu': '1' } } },
    })
    const unreachable = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' as const }
    await world.kube.create(nodes, aNode('n1', { ready: 'Unknown', taints: [unregisteredTaint, unreachable] }))
    const told: (string | undefined)[] = []
    const andThen = async (body: object) => {
      await world.run(5_000)
      told.push(await conditionIn(world, 'Initialized'))
      await world.kube.patch(nodes, nodeKey, { kind: 'merge', body })
    }
    const conditions = [{ type: 'Ready', status: 'True' }]
    await andThen({ status: { conditions } })
    // Whatever its value is by now, it is the taint that was asked for.
    await andThen({ spec: { taints: [unreachable, { key: 'agent', value: 'no', effect: 'NoSchedule' }] } })
    await andThen({ spec: { taints: [unreachable, { key: 'agent', effect: 'NoExecute' }] } })
    await andThen({ spec: { taints: [] } })
    await andThen({ status: { allocatable: { 'nvidia.com/gpu': '1' } } })
    await andThen({})
    expect(told).toEqual([
      'Unknown/NodeNotReady/Node status is NotReady',
      'Unknown/StartupTaintsExist/StartupTaint "agent=yes:NoSchedule" still exists',
      'Unknown/StartupTaintsExist/StartupTaint "agent=yes:NoSchedule" still exists',
      'Unknown/KnownEphemeralTaintsExist/KnownEphemeralTaint "node.kubernetes.io/unreachable:NoSchedule" still exists',
      'Unknown/ResourceNotRegistered/Resource "nvidia.com/gpu" was requested but not registered',
      'True/Initialized/',
    ])
  })

  const readyOnly = { key: 'node.kubernetes.io/not-ready', effect: 'PreferNoSchedule' as const }
  const cases: Record<
    string,
    { claim?: Parameters<typeof aClaim>[1]; node: Parameters<typeof aNode>[1]; want: string }
  > = {
    'the node is not ready': {
      node: { ready: 'False' },
      want: 'Unknown/NodeNotReady/Node status is NotReady',
    },
    'a known taint with an effect that holds nobody': { node: { taints: [readyOnly] }, want: 'True/Initialized/' },
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
