import { expect, test } from 'vitest'
import { discard } from '../../../../src/controllers/rollout/discard.ts'
import { nodeClaims, rolloutPolicies } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

test('a node that never came up goes, and one that is not ready any more, unless it has recovered unseen', async () => {
  const world = aControllerWorld()
  const { kube, caches, log } = world
  caches.of(nodeClaims)
  await world.start()
  const policy = await kube.create(rolloutPolicies, {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'p' },
    spec: { nodePoolSelector: {} },
  })
  for (const [name, ready] of Object.entries({ dead: 'Unknown', recovered: 'Unknown', young: undefined } as const)) {
    const providerID = `aws:///us-west-2a/${name}`
    const conditions = [trueCondition('Launched'), ...(ready === undefined ? [] : [trueCondition('Initialized')])]
    await kube.create(nodeClaims, aClaim(name, { status: { nodeName: name, providerID, conditions } }))
    if (ready !== undefined) await kube.create(nodes, aNode(name, { providerID, ready }))
  }
  await world.run(1_000)
  const body = { status: { conditions: [{ type: 'Ready', status: 'True' }] } }
  await kube.patch(nodes, { name: 'recovered' }, { kind: 'merge', body })
  await discard(world, policy, ['dead', 'recovered', 'young', 'gone'], log)
  expect((await kube.list(nodeClaims)).items.map(({ metadata }) => metadata.name)).toEqual(['recovered'])
  expect(world.recorder.published.map(({ message }) => message)).toEqual([
    'NodeClaim dead is deleted: its node is not ready any more and makes room for others',
    'NodeClaim young is deleted: its node never came up and makes room for others',
  ])
})
