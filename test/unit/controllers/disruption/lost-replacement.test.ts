import { expect, test } from 'vitest'
import { conditionOf } from '../../../../src/api/conditions.ts'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aRunningPod, aWorld, condition } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps, replacement } from '../../../support/disruption-deps.ts'

test('case 67: a drifted node whose replacement finds no capacity is given back, is still drifted, and is tried again', async () => {
  const world = aControllerWorld()
  const state = await aStoredNode(world, 'a', { pods: [aRunningPod()], conditions: [condition('Drifted')] })
  const known = new Set<string>()
  const launched: string[] = []
  const seen = {
    snapshot: () => aWorld({ nodes: [state], now: world.clock.now() }),
    hasNodeClaim: (name: string) => known.has(name),
  }
  const deps = disruptionDeps(world, seen, {
    simulatorFor: () =>
      function* simulate() {
        yield undefined
        return { kind: 'placed', replacements: [replacement], destinations: [], unplaced: undefined }
      },
    launch: () => {
      const name = `new-${launched.length + 1}`
      launched.push(name)
      known.add(name)
      return world.kube.create(nodeClaims, aClaim(name))
    },
  })
  const queue = new OrchestrationQueue(deps)
  const marks = async () => {
    const claim = await world.read(nodeClaims, { name: 'claim-a' })
    const taints = (await world.read(nodes, { name: 'a' })).spec.taints ?? []
    const status = (type: string) => conditionOf(claim, type)?.status
    return [taints.map(({ key }) => key), status('DisruptionReason'), status('Drifted')]
  }
  await world.start(disruptionController(deps, queue, new VerdictBook()), queue.controller())
  await world.run(3_000)
  expect(launched).toEqual(['new-1'])
  expect(await marks()).toEqual([['karpenter.sh/disrupted'], 'True', 'True'])

  await world.kube.delete(nodeClaims, { name: 'new-1' })
  known.clear()
  await world.run(2_000)
  expect(await marks()).toEqual([[], undefined, 'True'])
  expect(await world.exists(nodeClaims, { name: 'claim-a' })).toBe(true)
  const failed = world.logged('failed terminating nodes while executing a disruption command')
  expect(failed).toMatchObject([{ err: new Error('replacement was deleted') }])

  await world.run(10_000)
  expect(launched).toEqual(['new-1', 'new-2'])
  expect(await marks()).toEqual([['karpenter.sh/disrupted'], 'True', 'True'])
})
