import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { EmbeddedStateError, readEmbeddedState, writeEmbeddedState } from '../../../src/embedded/index.ts'
import { deployments, events } from '../../../src/kube/kinds.ts'
import { aCluster, aDeployment, launch, launchReady, listNodes, listPods } from './world.ts'

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
