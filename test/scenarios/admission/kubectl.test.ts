import { afterEach, expect, test } from 'vitest'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { clientFor } from '../../../src/embedded/apiserver/index.ts'
import { nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { describeWithKubectl, type KubectlWorld } from '../kubectl/kubectl.ts'
import { node, nodePool } from '../kubectl/objects.ts'
import { type RunningWebhook, runWebhook, shipped, shippedConfigurations } from './webhook-world.ts'

/** Fine for the schema, but no controller could ever read the schedule. */
const brokenPool = (name: string) => ({
  ...nodePool(name),
  spec: {
    ...nodePool(name).spec,
    disruption: { consolidateAfter: '1m', budgets: [{ nodes: '1', schedule: '0 0 * * tue-mon', duration: '1h' }] },
  },
})

describeWithKubectl('admission, seen through kubectl', (world) => {
  let webhook: RunningWebhook | undefined
  afterEach(async () => {
    await webhook?.stop()
    webhook = undefined
  })

  async function withWebhook(): Promise<KubectlWorld & { readonly stopWebhook: () => Promise<void> }> {
    const { server, kubectl, file } = world()
    const running = await runWebhook({ kube: clientFor(server, { fieldManager: 'webhook' }), clock: systemClock() })
    webhook = running
    const path = await file('configurations', ...shippedConfigurations(running.port))
    expect((await kubectl(['apply', '--server-side', '-f', path])).code).toBe(0)
    // The authority's certificate is written by the webhook itself once the configurations are there.
    await running.stop()
    const again = await runWebhook({ kube: clientFor(server, { fieldManager: 'webhook' }), clock: systemClock() })
    webhook = again
    const pointed = await file('configurations', ...shippedConfigurations(again.port))
    expect((await kubectl(['apply', '--server-side', '-f', pointed])).stderr).not.toContain('conflict')
    const bundle = await kubectl([
      'get',
      'validatingwebhookconfiguration',
      'joinery',
      '-o',
      'jsonpath={.webhooks[0].clientConfig.caBundle}',
    ])
    expect(Buffer.from(bundle.stdout, 'base64').toString()).toContain('BEGIN CERTIFICATE')
    return { ...world(), stopWebhook: () => again.stop() }
  }

  test('what can never work is refused with the words of the rule, by a dry run as by the real thing', async () => {
    const { kubectl, file } = await withWebhook()
    const path = await file('broken', brokenPool('broken'))
    const real = await kubectl(['apply', '-f', path])
    const dry = await kubectl(['apply', '-f', path, '--dry-run=server'])
    expect([real.code, dry.code]).toEqual([1, 1])
    expect(real.stderr).toContain('admission webhook "validation.webhook.joinery.dev" denied the request')
    expect(real.stderr).toMatch(/spec\.disruption\.budgets\[0\]\.schedule: .*\(JN-101: /)
    expect(dry.stderr).toBe(real.stderr)
    expect((await kubectl(['get', 'nodepool', 'broken'])).stderr).toContain('not found')
  })

  test('what the schema refuses is refused in its own words before any webhook is asked', async () => {
    const { kubectl, file } = await withWebhook()
    const path = await file('heavy', { ...nodePool('heavy'), spec: { ...nodePool('heavy').spec, weight: 200 } })
    const { stderr } = await kubectl(['apply', '-f', path])
    expect(stderr).toContain('spec.weight in body should be less than or equal to 100')
  })

  test('a good pool comes back as it was written, and a second look finds no difference', async () => {
    const { kubectl, file, server } = await withWebhook()
    const path = await file('good', nodePool('good'))
    expect((await kubectl(['apply', '-f', path])).stdout).toContain('nodepool.karpenter.sh/good created')
    const stored = await clientFor(server, { fieldManager: 'test' }).get(nodePools, { name: 'good' })
    expect(stored.spec).toMatchObject(nodePool('good').spec)
    const { code, stdout } = await kubectl(['diff', '-f', path])
    expect([code, stdout]).toEqual([0, ''])
    // What Flux and Argo CD look at: a server-side apply with another manager changes nothing either.
    const flux = ['apply', '--server-side', '--field-manager=kustomize-controller', '--force-conflicts', '-f', path]
    await kubectl(flux)
    const before = await kubectl(['get', 'nodepool', 'good', '-o', 'jsonpath={.metadata.resourceVersion}'])
    await kubectl(flux)
    const after = await kubectl(['get', 'nodepool', 'good', '-o', 'jsonpath={.metadata.resourceVersion}'])
    expect(after.stdout).toBe(before.stdout)
  })

  test('warnings are shown to whoever applies', async () => {
    const { kubectl, file } = await withWebhook()
    const path = await file('free', {
      ...nodePool('free'),
      spec: { ...nodePool('free').spec, disruption: { consolidateAfter: '1m', budgets: [] } },
    })
    const { code, stderr } = await kubectl(['apply', '-f', path])
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Warning: JN-208: /m)])
  })

  test('with the webhook stopped, pools are applied, nodes register and everything can be deleted', async () => {
    const { kubectl, file, stopWebhook } = await withWebhook()
    await stopWebhook()
    webhook = undefined
    const unjudged = await file('unjudged', nodePool('unjudged'))
    expect((await kubectl(['apply', '-f', unjudged])).code).toBe(0)
    expect((await kubectl(['create', '-f', await file('node', node('registers'))])).code).toBe(0)
    expect((await kubectl(['delete', '-f', unjudged])).stdout).toContain('deleted')
  })

  test('the deletion guard refuses a pool that has nodes, and our CRDs, until the deletion is confirmed by name', async () => {
    const { kubectl, file, server } = world()
    const guard = shipped('components/deletion-guard/deletion-guard.yaml')
    expect((await kubectl(['apply', '-f', await file('guard', ...guard)])).code).toBe(0)
    const path = await file('guarded', nodePool('guarded'))
    await kubectl(['apply', '-f', path])
    const kube = clientFor(server, { fieldManager: 'controller' })
    // The second is what older releases of Karpenter write, and all that their definitions keep.
    for (const status of [{ nodes: 3 }, { nodes: 0, resources: { nodes: '3' } }]) {
      const stored = await kube.get(nodePools, { name: 'guarded' })
      await kube.update(nodePools, { ...stored, status }, { subresource: 'status' })
      const { code, stderr } = await kubectl(['delete', '-f', path])
      expect([code, stderr]).toEqual([1, expect.stringContaining('NodePool guarded still has 3 node(s)')])
    }
    const crd = await kubectl(['delete', 'crd', 'nodepools.karpenter.sh'])
    expect(crd.stderr).toContain('deletes every object of its kind')
    const empty = await file('empty', nodePool('empty'))
    await kubectl(['apply', '-f', empty])
    const fresh = await kube.get(nodePools, { name: 'empty' })
    await kube.update(nodePools, { ...fresh, status: { resources: { nodes: '0' } } }, { subresource: 'status' })
    expect((await kubectl(['delete', '-f', empty])).code).toBe(0)
    await kubectl(['annotate', 'nodepool', 'guarded', 'joinery.dev/confirm-delete=guarded'])
    expect((await kubectl(['delete', '-f', path])).code).toBe(0)
    for (const { kind, metadata } of guard as KubeObject[]) await kubectl(['delete', kind, metadata.name])
  })
})
