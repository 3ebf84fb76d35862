import { expect, test } from 'vitest'
import type { NodeSelectorRequirement, Pod } from '../../../src/api/kubernetes.ts'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { events, pods } from '../../../src/kube/kinds.ts'
import { containerOf } from '../../support/deployments.ts'
import { aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'

const minute = 60_000

/** What one pod asks of a label that its pool leaves to the pods. */
async function outcomeOf(spec: object) {
  const { cluster, stop } = await anEmbeddedOperator()
  const { client, clock } = cluster
  try {
    await aFleet(cluster)
    const [pool] = (await client.list(nodePools)).items
    const requirements = [...(pool?.spec.template.spec.requirements ?? []), { key: 'team', operator: 'Exists' }]
    const change = { spec: { template: { spec: { requirements } } } }
    await client.patch(nodePools, { name: 'default' }, { kind: 'merge', body: change })
    await clock.run({ forMs: minute })
    await client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'odd', namespace: 'default' },
      spec: { containers: [containerOf({ cpu: '300m', memory: '300Mi' })], ...spec },
    } as unknown as Pod)
    await clock.run({ forMs: 5 * minute })
    const told = (await client.list(events)).items.filter(({ reason }) => reason === 'FailedScheduling')
    return {
      claims: (await client.list(nodeClaims)).items.length,
      phase: (await client.get(pods, { namespace: 'default', name: 'odd' })).status?.phase,
      told: told.map(({ message }) => message ?? ''),
    }
  } finally {
    await stop()
  }
}

const asks = (...matchExpressions: readonly NodeSelectorRequirement[]) => ({
  nodeSelector: { 'karpenter.sh/nodepool': 'default' },
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  },
})

test('an empty value is one, too: its node has it', async () => {
  expect(await outcomeOf({ nodeSelector: { 'karpenter.sh/nodepool': 'default', team: '' } })).toMatchObject({
    claims: 1,
    phase: 'Running',
  })
})

test('bounds of which every number is excluded make no node after another', async () => {
  const found = await outcomeOf(
    asks({ key: 'team', operator: 'NotIn', values: ['0', '1'] }, { key: 'team', operator: 'Lt', values: ['2'] }),
  )
  expect(found).toMatchObject({ claims: 0, phase: 'Pending' })
  expect(found.told.join()).toContain('team')
})

test('numbers that no float holds are told apart', async () => {
  const bounds = [
    { key: 'team', operator: 'Gt', values: ['9007199254740991'] },
    { key: 'team', operator: 'Lt', values: ['9223372036854775807'] },
    { key: 'team', operator: 'NotIn', values: ['9007199254740992'] },
  ]
  expect(await outcomeOf(asks(...bounds))).toMatchObject({ claims: 1, phase: 'Running' })
})
