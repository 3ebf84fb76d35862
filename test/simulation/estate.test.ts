import { expect, test } from 'vitest'
import { labelArch, labelNodePool } from '../../src/api/labels.ts'
import { nodes, pods } from '../../src/kube/kinds.ts'
import { createWorld, minute } from './world.ts'

test('in a grown estate every pool serves those who ask for it', async () => {
  const world = await createWorld({ seed: 1, estate: true })
  const { client, clock } = world.stack.cluster
  await clock.run({ forMs: 30 * minute })
  const labelsOf = new Map((await client.list(nodes)).items.map(({ metadata }) => [metadata.name, metadata.labels]))
  const { items } = await client.list(pods)
  const under = (app: string) =>
    items
      .filter(({ metadata }) => metadata.labels?.['app'] === app)
      .map(({ spec }) => labelsOf.get(spec.nodeName ?? ''))
  expect(new Set(under('graviton').map((labels) => labels?.[labelArch]))).toEqual(new Set(['arm64']))
  expect(new Set(under('report').map((labels) => labels?.[labelNodePool]))).toEqual(new Set(['batch']))
  expect(under('picky')).toHaveLength(4)
  for (const labels of under('picky')) {
    expect(labels).toBeDefined()
    const generation = Number(labels?.['karpenter.k8s.aws/instance-generation'])
    expect(generation > 6 || labels?.['topology.kubernetes.io/zone'] !== 'us-west-2a').toBe(true)
  }
  // Nobody has opened their gates.
  expect(under('queued')).toEqual(Array.from({ length: 4 }, () => undefined))
  await world.stack.stop()
})
