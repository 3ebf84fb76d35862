import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { argoHealth, fluxHealth } from '../../support/gitops-health.ts'
import { describeWithKubectl } from './kubectl.ts'
import { nodePool } from './objects.ts'

/*
 * Karpenter keeps conditions and fields that it does not know. Those of ours would stay as they were when the operator was taken away, and
 * whoever goes by them would wait for ever.
 */

const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')
const [, wayBack = ''] = readme.split(/^### Back to Karpenter$/m)
const [command = ''] = /^for object in [^]*?^done$/m.exec(wayBack) ?? []

const nodeClass = (name: string) => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name },
  spec: {
    role: 'r',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: { a: 'b' } }],
    securityGroupSelectorTerms: [{ tags: { a: 'b' } }],
  },
})

const lastTransitionTime = '2026-01-01T00:00:00Z'
const condition = (type: string, status: string) => ({ type, status, reason: type, message: '', lastTransitionTime })

describeWithKubectl('what README.md says to type on the way back to Karpenter', (world) => {
  test.each([
    ['NodePool', nodePool, ['Retiring', 'PlannedChange', 'CircuitOpen', 'AdmissionWarnings']],
    ['EC2NodeClass', nodeClass, ['PlannedChange', 'AdmissionWarnings']],
  ] as const)("lets health checks go by Karpenter's conditions of a %s again", async (kind, manifest, others) => {
    const { kubectl, file, shell } = world()
    const health = async (name: string) => {
      const object = JSON.parse((await kubectl(['get', kind, name, '-o', 'json'])).stdout) as object
      return [argoHealth(kind, object).status, fluxHealth(kind, object)]
    }
    const names = ['rolling', 'stuck', 'settled', 'unseen']
    await kubectl(['create', '-f', await file(kind, ...names.map((name) => manifest(`${kind}-${name}`.toLowerCase())))])
    const left: Record<string, readonly (readonly [string, string])[]> = {
      rolling: [['Reconciling', 'True'], ['Stalled', 'False'], ...others.map((type) => [type, 'True'] as const)],
      stuck: [
        ['Reconciling', 'True'],
        ['Stalled', 'True'],
      ],
      settled: [
        ['Reconciling', 'False'],
        ['Stalled', 'False'],
      ],
    }
    for (const [name, ours] of Object.entries(left)) {
      const conditions = [condition('Ready', 'True'), ...ours.map(([type, status]) => condition(type, status))]
      const patch = JSON.stringify({ status: { conditions, observedGeneration: 1 } })
      const target = `${kind}-${name}`.toLowerCase()
      await kubectl(['patch', kind, target, '--subresource=status', '--type=merge', '-p', patch])
    }
    const of = (name: string) => health(`${kind}-${name}`.toLowerCase())
    expect(await of('rolling')).toEqual(['Progressing', 'Progressing'])
    expect(await of('stuck')).toEqual(['Degraded', 'Degraded'])
    expect(await of('settled')).toEqual(['Healthy', 'Healthy'])

    expect(await shell(command)).toMatchObject({ code: 0, stderr: '' })
    for (const name of ['rolling', 'stuck', 'settled']) expect(await of(name)).toEqual(['Healthy', 'Healthy'])
    expect(await of('unseen')).toEqual(['Progressing', 'Progressing'])
    const types = await kubectl(['get', kind, '-o', 'jsonpath={.items[*].status.conditions[*].type}'])
    expect(types.stdout).toBe('Ready Ready Ready')

    const edit = kind === 'NodePool' ? { weight: 7 } : { detailedMonitoring: true }
    const edited = `${kind}-settled`.toLowerCase()
    await kubectl(['patch', kind, edited, '--type=merge', '-p', JSON.stringify({ spec: edit })])
    expect(await of('settled')).toEqual(['Healthy', 'Healthy'])
  })

  test('waits for pods that may be gone already', async () => {
    const [wait = ''] = /^kubectl .* wait --for=delete .*$/m.exec(wayBack) ?? []
    expect(wait).not.toBe('')
    expect(await world().shell(wait)).toMatchObject({ code: 0, stderr: '' })
  })
})
