import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { installCRDs } from '../support/crds.ts'
import { documentedBlocks, userShell } from '../support/documented-steps.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const root = join(import.meta.dirname, '../../..')

await describeWithPeers(
  'the reader of plans, on a real control plane',
  ['kube-apiserver', 'kube-controller-manager', 'kubectl', 'helm'],
  () => {
    const controlPlane = useControlPlane({ controllerManager: {} })

    test('the kubeconfig that docs/plan.md makes reads what a snapshot needs, and no Secret', async () => {
      await installCRDs(controlPlane())
      const shell = await userShell(controlPlane())
      // What is written there is no part of the checkout.
      const folder = await mkdtemp(join(tmpdir(), 'joinery-plan-reader-'))
      onTestFinished(async () => {
        await shell.dispose()
        await rm(folder, { recursive: true })
      })
      for (const name of ['bin', 'manifests', 'node_modules', 'package.json'])
        await symlink(join(root, name), join(folder, name))
      const [commands = ''] = await documentedBlocks('In a pipeline, at admission, and afterwards', 'docs/plan.md')
      const printed = await shell.type(`cd '${folder}'\n${commands}\nkubectl auth can-i list secrets -A || true`)
      expect(printed.trimEnd().split('\n').at(-1)).toBe('no')
      const { items } = JSON.parse(await readFile(join(folder, 'snapshot.json'), 'utf8')) as {
        readonly items: readonly { readonly kind: string; readonly metadata: { readonly name: string } }[]
      }
      expect(items.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toContain('Namespace/kube-system')
    })
  },
)
