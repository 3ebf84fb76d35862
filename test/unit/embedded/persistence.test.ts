import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import type { CustomResourceDefinition } from '../../../src/api/custom-resource-definition.ts'
import { EmbeddedStateError, readEmbeddedState, writeEmbeddedState } from '../../../src/embedded/index.ts'
import { deployments, events } from '../../../src/kube/kinds.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { aCluster, aDeployment, launch, launchReady, listNodes, listPods } from './world.ts'

type StoredDefinition = KubeObject & Pick<CustomResourceDefinition, 'spec'>
const definitions: Resource<StoredDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
}

function asBefore({ spec, ...rest }: CustomResourceDefinition): StoredDefinition {
  const versions = spec.versions.map((version) => ({
    ...version,
    schema: { openAPIV3Schema: { ...version.schema?.openAPIV3Schema, description: 'old' } },
  }))
  return { ...rest, spec: { ...spec, versions } } as unknown as StoredDefinition
}

const folder = mkdtempSync(join(tmpdir(), 'embedded-'))
afterEach(() => rmSync(join(folder, 'state.json'), { force: true }))
afterAll(() => rmSync(folder, { recursive: true }))

test('a cluster is saved to a file and continues from it', async () => {
  const first = await aCluster()
  await launchReady(first)
  await first.client.create(deployments, aDeployment('web', 2))
  await first.clock.run({ forMs: 10_000 })
  await launch(first)
  const path = join(folder, 'state.json')
  await writeEmbeddedState(path, first.save())

  const second = await aCluster({ state: await readEmbeddedState(path) })
  expect(second.clock.now()).toBe(first.clock.now())
  expect(second.clusterName).toBe(first.clusterName)
  expect(await listPods(second)).toHaveLength(2)
  // The second instance was still booting.
  expect(await listNodes(second)).toHaveLength(1)
  await second.clock.run({ forMs: 60_000 })
  expect(await listNodes(second)).toHaveLength(2)
  await second.client.patch(
    deployments,
    { namespace: 'default', name: 'web' },
    { kind: 'merge', body: { spec: { replicas: 3 } } },
  )
  await second.clock.run({ forMs: 10_000 })
  expect((await listPods(second)).map(({ status }) => status?.phase)).toEqual(['Running', 'Running', 'Running'])
  const told = (await second.client.list(events, { namespace: 'default' })).items.map(({ metadata }) => metadata.uid)
  expect(new Set(told).size).toBe(told.length)
})

test.each(['{"formatVersion":2}', 'apiVersion: v1\nkind: List\n', ''])(
  'a file that holds %j is refused',
  async (text) => {
    const path = join(folder, 'state.json')
    writeFileSync(path, text)
    await expect(readEmbeddedState(path)).rejects.toThrow(
      new EmbeddedStateError(`${path} is not the saved state of an embedded cluster`),
    )
  },
)

test('a file that lacks a part is refused, which the defaults would replace without a word', async () => {
  const path = join(folder, 'state.json')
  const { nodeRole: _lost, ...rest } = (await aCluster()).save()
  writeFileSync(path, JSON.stringify(rest))
  await expect(readEmbeddedState(path)).rejects.toThrow(EmbeddedStateError)
})

test('a saved cluster gets the definitions of the version that continues it, but for those that somebody else has written', async () => {
  const first = await aCluster({ crds: customResourceDefinitions.map(asBefore) })
  const written = { kind: 'merge', body: { spec: { names: { shortNames: ['np'] } } } } as const
  await first.clientFor('kubectl-patch').patch(definitions, { name: 'nodepools.karpenter.sh' }, written)
  const annotated = { kind: 'merge', body: { metadata: { annotations: { team: 'a' } } } } as const
  await first.clientFor('kubectl-annotate').patch(definitions, { name: 'nodeclaims.karpenter.sh' }, annotated)

  const second = await aCluster({ state: first.save() })
  const { items } = await second.client.list(definitions)
  const old = items.filter(({ spec }) =>
    spec.versions.some(({ schema }) => schema?.openAPIV3Schema?.description === 'old'),
  )
  expect(old.map(({ metadata }) => metadata.name)).toEqual(['nodepools.karpenter.sh'])
  const third = await aCluster({ state: second.save() })
  expect((await third.client.list(definitions)).items).toEqual(items)
})
