import { describe, expect, test } from 'vitest'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { type aClaim, aNode, unregisteredTaint } from '../../../support/controller-builders.ts'
import { claimKey, conditionIn, launched, nodeKey } from '../../../support/lifecycle-world.ts'

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

  test('a new generation of the claim changes nothing about what was reached, and says so', async () => {
    const { world } = await launched()
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    await world.kube.patch(nodeClaims, claimKey, { kind: 'merge', body: { metadata: { generation: 2 } } })
    await world.run(5_000)
    const { conditions = [] } = (await world.read(nodeClaims, claimKey)).status ?? {}
    expect(conditions.map(({ type, status, observedGeneration }) => [type, status, observedGeneration])).toEqual(
      ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => [type, 'True', 2]),
    )
  })

  test('a node that joined without its taint is not ready for use while a hook keeps it', async () => {
    const { world } = await launched()
    world.cloud.registrationHooks.push({
      name: 'PartitionHook',
      check: async () => ({ kind: 'pending', requeueAfterMs: 1_000 }),
    })
    await world.kube.create(nodes, aNode('n1'))
    await world.run(5_000)
    expect(await conditionIn(world, 'Initialized')).toMatch(/^Unknown/)
    expect((await world.read(nodes, nodeKey)).metadata.labels).not.toHaveProperty(['karpenter.sh/initialized'])
  })

  test('a node that cannot be marked is not called initialized, until it can', async () => {
    const { world } = await launched()
    let isRefused = true
    world.kube.fault = ({ operation, resource }) => {
      const isRegistered =
        operation === 'patch' && resource === 'nodes' && world.logged('registered nodeclaim').length > 0
      if (isRegistered && isRefused) throw new KubeError('Forbidden', 403, 'denied by policy')
    }
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(5_000)
    expect(await conditionIn(world, 'Initialized')).toMatch(/^Unknown/)
    isRefused = false
    await world.run(60_000)
    expect(await conditionIn(world, 'Initialized')).toBe('True/Initialized/')
    expect((await world.read(nodes, nodeKey)).metadata.labels).toMatchObject({ 'karpenter.sh/initialized': 'true' })
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
