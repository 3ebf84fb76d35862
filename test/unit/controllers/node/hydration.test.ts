import { expect, test } from 'vitest'
import { nodeHydration } from '../../../../src/controllers/node/index.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

const providerID = 'aws:///us-west-2a/i-1'
const ours = aClaim('c1', { status: { providerID } })
const nodeClassRef = { group: 'other.example', kind: 'OtherClass', name: 'default' }

const cases: Record<string, [claims: readonly ReturnType<typeof aClaim>[], label: string | undefined]> = {
  'a node from before the NodeClass label existed gets it': [[ours], 'default'],
  'one without a claim does not': [[], undefined],
  'nor one that two claims name': [[ours, aClaim('c2', { status: { providerID } })], undefined],
  'nor one of another provider': [[aClaim('c1', { spec: { nodeClassRef }, status: { providerID } })], undefined],
}
test.each(Object.entries(cases))('%s', async (_name, [claims, label]) => {
  const world = aControllerWorld()
  await world.kube.create(nodes, aNode('n1', { providerID }))
  for (const claim of claims) await world.kube.create(nodeClaims, claim)
  await world.start(nodeHydration(world))
  await world.run(1_000)
  const { labels = {} } = (await world.read(nodes, { name: 'n1' })).metadata
  expect(labels['karpenter.k8s.aws/ec2nodeclass']).toBe(label)
})

test('a node whose claim learns of its instance later gets it then', async () => {
  const world = aControllerWorld()
  await world.kube.create(nodes, aNode('n1', { providerID }))
  await world.kube.create(nodeClaims, aClaim('c1'))
  await world.start(nodeHydration(world))
  await world.run(1_000)
  await world.kube.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { status: { providerID } } })
  await world.run(1_000)
  const { labels } = (await world.read(nodes, { name: 'n1' })).metadata
  expect(labels).toMatchObject({ 'karpenter.k8s.aws/ec2nodeclass': 'default' })
})
