import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import { describeWithKubectl } from './kubectl.ts'
import { nodePool } from './objects.ts'

/*
 * What docs/gitops.md says to type before Karpenter leaves Git: from then on whatever prunes or uninstalls takes neither a definition nor a
 * NodePool that has nodes.
 */

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/gitops.md'), 'utf8')
const [, block = ''] = /```sh\n([^]*?)```/.exec(page) ?? []
const syncOptions = '{.metadata.annotations.argocd\\.argoproj\\.io/sync-options}'

describeWithKubectl('the guard before a move by commits', (world) => {
  test('is put up beside a Karpenter that knows nothing of it, also twice', async () => {
    expect(block).not.toBe('')
    for (let time = 0; time < 2; time += 1)
      expect(await world().shell(`cd ${root}\n${block}`)).toMatchObject({ code: 0, stderr: '' })
  })

  test.each(customResourceDefinitions.map(({ metadata }) => metadata.name).filter((name) => /karpenter/.test(name)))(
    'keeps Argo CD and everybody else from deleting %s',
    async (name) => {
      const { kubectl } = world()
      expect((await kubectl(['get', 'crd', name, '-o', `jsonpath=${syncOptions}`])).stdout).toBe(
        'Prune=false,Delete=false',
      )
      const deletion = await kubectl(['delete', 'crd', name])
      expect(deletion.code).toBe(1)
      expect(deletion.stderr).toContain(`deleting ${name} deletes every object of its kind, and with them nodes`)
    },
  )

  test('keeps a NodePool that has nodes, and lets one go that has none, or whose end is confirmed', async () => {
    const { kubectl, file } = world()
    await kubectl(['create', '-f', await file('pools', nodePool('used'), nodePool('empty'))])
    const status = JSON.stringify({ status: { nodes: 3 } })
    await kubectl(['patch', 'nodepool', 'used', '--subresource=status', '--type=merge', '-p', status])
    expect(await kubectl(['delete', 'nodepool', 'empty'])).toMatchObject({ code: 0 })
    const deletion = await kubectl(['delete', 'nodepool', 'used'])
    expect(deletion.stderr).toContain('NodePool used still has 3 node(s): deleting it deletes them')
    await kubectl(['annotate', 'nodepool', 'used', 'joinery.dev/confirm-delete=used'])
    expect(await kubectl(['delete', 'nodepool', 'used'])).toMatchObject({ code: 0 })
  })
})
