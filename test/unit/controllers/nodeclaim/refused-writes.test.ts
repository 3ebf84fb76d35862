import { describe, expect, test } from 'vitest'
import { CreateError } from '../../../../src/cloud/provider.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, conditionOf, unregisteredTaint } from '../../../support/controller-builders.ts'
import { aLifecycleWorld, claimKey, conditionIn, nodeKey } from '../../../support/lifecycle-world.ts'

describe('a claim that may not have the finalizer', () => {
  async function refused(code: 'Forbidden' | 'ServiceUnavailable', claim = aClaim()) {
    const setup = await aLifecycleWorld()
    const { world, start } = setup
    world.kube.keeps = (object) => {
      if (object.metadata.finalizers === undefined) return object
      throw new KubeError(code, code === 'Forbidden' ? 403 : 503, 'denied by policy')
    }
    await world.kube.create(nodeClaims, claim)
    await start()
    return setup
  }

  test('is not launched, says why, and is given up after five minutes', async () => {
    const { world, outcomes } = await refused('Forbidden')
    await world.run(299_000)
    expect(world.cloud.created).toEqual([])
    expect(await conditionIn(world, 'Launched')).toBe(
      'Unknown/LaunchFailed/adding the finalizer karpenter.sh/termination was refused, denied by policy',
    )
    await world.run(62_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(outcomes).toEqual(['failure c1'])
  })

  test('stays while that may be an outage', async () => {
    const { world } = await refused('ServiceUnavailable')
    await world.run(600_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(true)
  })

  test('stays with the instance that it names', async () => {
    const { world } = await refused('Forbidden', aClaim('c1', { status: { providerID: 'aws:///us-west-2a/i-1' } }))
    await world.run(3_600_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(true)
  })
})

describe('a claim whose status may not be written', () => {
  async function refused() {
    const outcomes: string[] = []
    const setup = await aLifecycleWorld({
      health: {
        recordSuccess: async () => void outcomes.push('success'),
        recordFailure: async (claim) => void outcomes.push(`failure ${conditionOf(claim, 'Launched')}`),
      },
    })
    const { world, start } = setup
    world.kube.keeps = (object) => {
      if (object.kind !== 'NodeClaim' || !('status' in object)) return object
      throw new KubeError('Forbidden', 403, 'denied by policy')
    }
    await world.kube.create(nodeClaims, aClaim())
    await start()
    return { world, outcomes }
  }

  test('is launched once, opens its node to no pods, and is given up with its machine after five minutes', async () => {
    const { world, outcomes } = await refused()
    await world.run(3_000)
    expect([...world.cluster.launched]).toEqual([['c1', 'aws:///us-west-2a/i-1']])
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(290_000)
    expect((await world.read(nodes, nodeKey)).spec.taints).toEqual([unregisteredTaint])
    expect(world.cloud.created).toEqual(['c1'])
    expect(world.cloud.deleted).toEqual([])
    await world.run(240_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
    expect(world.cloud.deleted).toContain('aws:///us-west-2a/i-1')
    expect(world.cloud.created).toEqual(['c1'])
    expect(outcomes).toEqual(['failure Unknown/LaunchFailed/writing the status was refused, denied by policy'])
    expect(world.logged('terminating due to timeout')).toMatchObject([{ reason: 'launch_timeout' }])
  })

  test('registers once its status may be written', async () => {
    const { world, outcomes } = await refused()
    await world.run(3_000)
    await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
    await world.run(120_000)
    world.kube.keeps = (object) => object
    await world.run(62_000)
    expect(await conditionIn(world, 'Registered')).toBe('True/Registered/')
    await world.run(600_000)
    expect(world.cloud.created).toEqual(['c1'])
    expect(outcomes).toEqual(['success'])
  })

  test('is given up after five minutes also where its launch fails', async () => {
    const { world } = await refused()
    world.cloud.failure = new CreateError('no', 'LaunchFailed', 'no')
    await world.run(299_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(true)
    await world.run(62_000)
    expect(await world.exists(nodeClaims, claimKey)).toBe(false)
  })
})
