import { beforeAll, describe, expect, test } from 'vitest'
import { judge } from '../../../src/admission/index.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { apiCases, caseObject, type CaseKind, type Change } from '../../support/api-cases.ts'
import { mutated } from '../../support/mutated-objects.ts'
import { installCRDs } from '../support/crds.ts'
import { describeWithPeers } from '../support/peers.ts'
import { eventually } from '../support/eventually.ts'
import { installPolicies } from '../support/shipped.ts'
import { useControlPlane } from '../support/use-control-plane.ts'
import { pathOf } from '../support/verdicts.ts'

const budget = (schedule: string): Change => ({
  disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1', schedule, duration: '1h' }] },
})
const template = 'template.spec'
const lines = (...requirements: object[]): Change => ({ [`${template}.requirements`]: requirements })
const line = (operator: string, ...values: string[]) => ({
  key: 'a',
  operator,
  ...(values.length > 0 ? { values } : {}),
})
const device = (volumeSize: string): Change => ({ blockDeviceMappings: [{ ebs: { volumeSize } }] })

/** Each is also what one of our rules denies. */
const denied: Record<string, [CaseKind, Change]> = {
  'a schedule of words': ['NodePool', budget('every day at nine o’clock')],
  'a macro with something behind it': ['NodePool', budget('@hourly x y z w')],
  'lists without a common value': ['NodePool', lines(line('In', 'a'), line('In', 'b', 'c'))],
  'a list of which nothing is left': ['NodePool', lines(line('NotIn', 'a', 'b'), line('In', 'b'))],
  'a list of what must not be there': ['NodePool', lines(line('In', 'a'), line('DoesNotExist'))],
  'a value that no label has': ['NodePool', lines(line('In', 'has spaces in it'))],
  'a value of 64 characters': ['NodePool', lines(line('NotIn', 'a'.repeat(64)))],
  'a capacity type that is none': [
    'NodePool',
    lines({ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['xspot'] }),
  ],
  'the same taint twice, once at the start': [
    'NodePool',
    {
      [`${template}.taints`]: [{ key: 'a', effect: 'NoSchedule' }],
      [`${template}.startupTaints`]: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
    },
  ],
  'an alias of two versions': ['EC2NodeClass', { amiSelectorTerms: [{ alias: 'al2023@v1@v2' }] }],
  'a unit without a number': ['EC2NodeClass', device('Ti')],
}

const allowed: Record<string, [CaseKind, Change]> = {
  'tabs in a schedule, and white space around it': ['NodePool', budget(' 0\t9  * * mon-fri\t')],
  'signs and commas that mean nothing': ['NodePool', budget('+5 9,, * jan,feb ?')],
  'lists with a common value': ['NodePool', lines(line('In', 'a', 'b'), line('In', 'b', 'c'), line('NotIn', 'a'))],
  'capacity types of which one is known': [
    'NodePool',
    lines({ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['xspot', 'spot'] }),
  ],
  'the same key with two effects': [
    'NodePool',
    {
      [`${template}.taints`]: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoExecute' },
      ],
    },
  ],
  'an alias of one version': ['EC2NodeClass', { amiSelectorTerms: [{ alias: 'al2023@v1' }] }],
  'a number with a unit': ['EC2NodeClass', device('1Ti')],
}

await describeWithPeers('the policies for clusters without our webhook', ['kube-apiserver', 'kubectl'], () => {
  const controlPlane = useControlPlane()
  beforeAll(async () => {
    await installCRDs(controlPlane())
    await installPolicies(controlPlane())
    for (const [kind, change] of [denied['a value that no label has'], denied['a unit without a number']].flatMap(
      (one) => (one === undefined ? [] : [one]),
    )) {
      await eventually(`the policy on ${kind} is in force`, async () => (await refusal(kind, change)) !== undefined)
    }
    await eventually('the guard is in force', async () => {
      const path = `${definitions}/nodeoverlays.karpenter.sh?dryRun=All`
      return (await controlPlane().request('DELETE', path)).status === 403
    })
  })

  test.each(Object.entries(denied))('%s is denied, as by our rules', async (_name, [kind, change]) => {
    expect(await refusal(kind, change)).toContain('ValidatingAdmissionPolicy')
    expect(deniedByRules(caseObject(kind, change))).toBe(true)
  })

  test.each(Object.entries(allowed))('%s is let pass', async (_name, [kind, change]) => {
    expect(await refusal(kind, change)).toBeUndefined()
    expect(deniedByRules(caseObject(kind, change))).toBe(false)
  })

  test.each(['NodePool', 'EC2NodeClass'] as const)(
    'no random %s is denied by them and not by our rules',
    async (kind) => {
      const random = new SeededRandom(20_260_501)
      const cases = apiCases.filter((one) => one.kind === kind && one.want === 'accepted')
      let seen = 0
      for (let i = 0; i < 250; i++) {
        const change = { ...cases[random.below(cases.length)]?.change, ...cases[random.below(cases.length)]?.change }
        const object = mutated(caseObject(kind, change, 'sample'), random)
        const { body } = await controlPlane().request('POST', `${pathOf(object)}?dryRun=All`, object)
        const message = String((body as { message?: unknown }).message)
        if (!message.includes('ValidatingAdmissionPolicy')) continue
        seen += 1
        expect([object.spec, deniedByRules(object)]).toEqual([object.spec, true])
      }
      // A policy that is not asked would pass as well. Random node classes hardly ever have what theirs is about.
      if (kind === 'NodePool') expect(seen).toBeGreaterThan(0)
    },
  )

  test('an update answers for what it brings only', async () => {
    const bad = { ...denied['a value that no label has']?.[1], ...budget('every day at nine o’clock') }
    await controlPlane().kubectl(['delete', 'validatingadmissionpolicybinding', 'joinery-nodepool-denied'])
    const path = '/apis/karpenter.sh/v1/nodepools'
    await eventually('it can be stored', async () => {
      return (await controlPlane().request('POST', path, caseObject('NodePool', bad, 'stored'))).status === 201
    })
    await installPolicies(controlPlane())
    await eventually('the policy is in force', async () => (await refusal('NodePool', bad)) !== undefined)
    const patch = async (spec: object) => {
      const type = 'application/merge-patch+json'
      return (await controlPlane().request('PATCH', `${path}/stored?dryRun=All`, { spec }, type)).status
    }
    expect(await patch({ weight: 5 })).toBe(200)
    expect(
      await patch({ disruption: { budgets: [{ nodes: '1', schedule: 'not one, either, of them', duration: '1h' }] } }),
    ).toBe(422)
  })

  describe('and the deletion guard', () => {
    test('stops the deletion of a definition, alone or with others, until it is confirmed by name', async () => {
      const name = 'nodeoverlays.karpenter.sh'
      const erase = async (query: string) => (await controlPlane().request('DELETE', `${definitions}${query}`)).status
      expect(await erase(`/${name}?dryRun=All`)).toBe(403)
      expect(await erase(`?dryRun=All&fieldSelector=metadata.name%3D${name}`)).toBe(403)
      const annotate = async (value: string) => {
        const metadata = { annotations: { 'joinery.dev/confirm-delete': value } }
        const type = 'application/merge-patch+json'
        await controlPlane().request('PATCH', `${definitions}/${name}`, { metadata }, type)
      }
      await annotate('nodepools.karpenter.sh')
      expect(await erase(`/${name}?dryRun=All`)).toBe(403)
      await annotate(name)
      expect(await erase(`/${name}?dryRun=All`)).toBe(200)
    })

    test('stops the deletion of pools that have nodes, and of nothing else', async () => {
      const path = '/apis/karpenter.sh/v1/nodepools'
      const type = 'application/merge-patch+json'
      for (const name of ['busy', 'idle']) await controlPlane().request('POST', path, caseObject('NodePool', {}, name))
      await controlPlane().request('PATCH', `${path}/busy/status`, { status: { nodes: 2 } }, type)
      const erase = async (at: string) => (await controlPlane().request('DELETE', `${at}?dryRun=All`)).status
      expect([await erase(`${path}/busy`), await erase(`${path}/idle`), await erase(path)]).toEqual([403, 200, 403])
      const foreign = { ...foreignDefinition, metadata: { name: 'things.example.com' } }
      expect((await controlPlane().request('POST', definitions, foreign)).status).toBe(201)
      expect(await erase(`${definitions}/things.example.com`)).toBe(200)
      expect(await erase('/api/v1/namespaces/kube-system/configmaps')).toBe(200)
    })
  })

  /** What a policy says against an object of the kind, or undefined. */
  async function refusal(kind: CaseKind, change: Change): Promise<string | undefined> {
    const object = caseObject(kind, change)
    const { status, body } = await controlPlane().request('POST', `${pathOf(object)}?dryRun=All`, object)
    return status === 201 ? undefined : String((body as { message?: unknown }).message)
  }
})

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const foreignDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  spec: {
    group: 'example.com',
    names: { plural: 'things', kind: 'Thing' },
    scope: 'Cluster',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

function deniedByRules(object: object): boolean {
  const { errors } = judge({ object: object as KubeObject, operation: 'CREATE', rules: 'all', now: 0 })
  return errors.length > 0
}
