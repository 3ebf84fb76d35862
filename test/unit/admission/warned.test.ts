import { describe, expect, test } from 'vitest'
import type { AdmissionFacts } from '../../../src/admission/index.ts'
import { warningTexts } from '../../../src/admission/warning-text.ts'
import type { EC2NodeClass, EC2NodeClassSpec } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import {
  aClass,
  aPool,
  capacityType,
  catalogue,
  disk,
  familyKey,
  findings,
  typeKey,
  withImages,
  zone,
} from '../../support/judged-objects.ts'

describe('what is risky only warns', () => {
  const spot = { key: capacityType, operator: 'In' as const, values: ['spot'] }
  const dedicated = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' as const }
  const preferred = { key: 'slow', effect: 'PreferNoSchedule' as const }
  const going = aClass() as EC2NodeClass
  const cases: Record<string, [string, string, KubeObject, AdmissionFacts?]> = {
    'a selector without matches': [
      'JN-201',
      'spec.subnetSelectorTerms',
      aClass(),
      { selectorMatches: { amis: 1, subnets: 0 } },
    ],
    'no instance type, for one requirement': [
      'JN-202',
      'spec.template.spec.requirements[1]',
      aPool({
        template: {
          requirements: [
            { key: zone, operator: 'Exists' },
            { key: familyKey, operator: 'In', values: ['m77i'] },
          ],
        },
      }),
      { catalogueOf: () => catalogue },
    ],
    'no instance type, for a label': [
      'JN-202',
      `spec.template.metadata.labels[${familyKey}]`,
      aPool({ labels: { team: 'a', [familyKey]: 'm77i' } }),
      { catalogueOf: () => catalogue },
    ],
    'no instance type, for several requirements together': [
      'JN-202',
      'spec.template.spec.requirements',
      aPool({
        template: {
          requirements: [
            { key: familyKey, operator: 'In', values: ['m7i'] },
            { key: familyKey, operator: 'NotIn', values: ['x'] },
            { key: typeKey, operator: 'In', values: ['c7i.xlarge'] },
          ],
        },
      }),
      { catalogueOf: () => catalogue },
    ],
    'minValues beyond the catalogue': [
      'JN-203',
      'spec.template.spec.requirements[0].minValues',
      aPool({ template: { requirements: [{ key: familyKey, operator: 'Exists', minValues: 3 }] } }),
      { catalogueOf: () => catalogue },
    ],
    'minValues of a label of your own, which no type has': [
      'JN-203',
      'spec.template.spec.requirements[0].minValues',
      aPool({
        template: { requirements: [{ key: 'example.com/team', operator: 'In', values: ['a', 'b'], minValues: 2 }] },
      }),
      { catalogueOf: () => catalogue },
    ],
    'a limit below every type': [
      'JN-204',
      'spec.limits.cpu',
      aPool({ limits: { cpu: '1' } }),
      { catalogueOf: () => catalogue },
    ],
    'an empty list of reasons': [
      'JN-205',
      'spec.disruption.budgets[0].reasons',
      aPool({ disruption: { budgets: [{ nodes: '1', reasons: [] }] } }),
    ],
    'no disk for pods': [
      'JN-206',
      'spec.blockDeviceMappings',
      aClass({ blockDeviceMappings: [{ deviceName: '/dev/xvdz', ebs: { volumeSize: '1Gi' } }] }),
    ],
    'a floating alias': [
      'JN-207',
      'spec.amiSelectorTerms[0].alias',
      aClass({ amiSelectorTerms: [{ alias: 'al2023@latest' }] }),
    ],
    'no budgets': ['JN-208', 'spec.disruption.budgets', aPool({ disruption: { budgets: [] } })],
    'a freeze without end': [
      'JN-209',
      'spec.disruption.budgets[0]',
      aPool({ disruption: { budgets: [{ nodes: '0' }] } }),
    ],
    'a freeze that recurs before it ends': [
      'JN-209',
      'spec.disruption.budgets[0]',
      aPool({ disruption: { budgets: [{ nodes: '0%', schedule: '@daily', duration: '24h' }] } }),
    ],
    'a freeze on a day that never comes, which counts as every day': [
      'JN-209',
      'spec.disruption.budgets[0]',
      aPool({ disruption: { budgets: [{ nodes: '0', schedule: '0 0 31 2 *', duration: '1h' }] } }),
    ],
    'two freezes that leave no reason out': [
      'JN-209',
      'spec.disruption.budgets',
      aPool({
        disruption: {
          budgets: [
            { nodes: '0', reasons: ['Drifted'] },
            { nodes: '0%', reasons: ['Empty', 'Underutilized'] },
            { nodes: '10%' },
          ],
        },
      }),
    ],
    'two freezes that leave no hour out': [
      'JN-209',
      'spec.disruption.budgets',
      aPool({
        disruption: {
          budgets: [
            { nodes: '0', schedule: '0 8 * * *', duration: '12h' },
            { nodes: '0', schedule: '0 20 * * *', duration: '12h' },
          ],
        },
      }),
    ],
    'spot of one type': [
      'JN-210',
      'spec.template.spec.requirements',
      aPool({ template: { requirements: [spot, { key: typeKey, operator: 'In', values: ['m7i.large'] }] } }),
    ],
    'an equal pool beside it': ['JN-211', 'spec.weight', aPool(), { nodePools: [aPool(), aPool({ name: 'other' })] }],
    'an equal pool whose taints are written in another order': [
      'JN-211',
      'spec.weight',
      aPool({ template: { taints: [dedicated, preferred] } }),
      { nodePools: [aPool({ name: 'other', template: { taints: [preferred, dedicated] } })] },
    ],
    'tags without an owner': [
      'JN-212',
      'spec.amiSelectorTerms[0]',
      aClass({ amiFamily: 'AL2023', amiSelectorTerms: [{ tags: { a: 'b' } }] }),
    ],
    'tags with an owner that is empty, which is none': [
      'JN-212',
      'spec.amiSelectorTerms[0]',
      aClass({ amiFamily: 'AL2023', amiSelectorTerms: [{ tags: { a: 'b' }, owner: '' }] }),
    ],
    'an open owner': [
      'JN-212',
      'spec.amiSelectorTerms[0].owner',
      aClass({ amiFamily: 'AL2023', amiSelectorTerms: [{ name: 'x', owner: 'aws-marketplace' }] }),
    ],
    'a missing node class': ['JN-214', 'spec.template.spec.nodeClassRef.name', aPool(), { nodeClasses: [] }],
    'a node class that is being deleted': [
      'JN-214',
      'spec.template.spec.nodeClassRef.name',
      aPool(),
      { nodeClasses: [{ ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }] },
    ],
    'a startup taint that nobody takes off': [
      'JN-216',
      'spec.template.spec.startupTaints[1]',
      aPool({
        template: {
          startupTaints: [
            { key: 'node.cilium.io/agent-not-ready', value: 'true', effect: 'NoExecute' },
            { key: 'karpenter.sh/unregistered', effect: 'NoSchedule' },
            { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
          ],
        },
      }),
    ],
    'an architecture without an image': [
      'JN-217',
      'spec.template.spec.requirements',
      aPool(),
      { catalogueOf: () => catalogue, nodeClasses: [withImages('arm64')] },
    ],
    'an architecture without an image, where the pool names it': [
      'JN-217',
      'spec.template.spec.requirements[1]',
      aPool({
        template: {
          requirements: [
            { key: familyKey, operator: 'Exists' },
            { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          ],
        },
      }),
      { catalogueOf: () => catalogue, nodeClasses: [withImages('arm64')] },
    ],
    'a static pool without room for a replacement': [
      'JN-218',
      'spec.limits.nodes',
      aPool({ replicas: 5, limits: { nodes: '5' } }),
    ],
    'a term that selects every subnet': [
      'JN-220',
      'spec.subnetSelectorTerms[1]',
      aClass({ subnetSelectorTerms: [{ id: 'subnet-1' }, { tags: {} }] }),
    ],
    'a term that selects every security group': [
      'JN-220',
      'spec.securityGroupSelectorTerms[0]',
      aClass({ securityGroupSelectorTerms: [{ tags: {} }] }),
    ],
    'a tag whose key EC2 keeps for itself': [
      'JN-221',
      'spec.tags[AWS:team]',
      aClass({ tags: { team: 'a', 'AWS:team': 'a' } }),
    ],
    'a tag whose value is too long': ['JN-221', 'spec.tags[team]', aClass({ tags: { team: 'a'.repeat(257) } })],
    'a tag whose key is too long': ['JN-221', 'spec.tags', aClass({ tags: { ['a'.repeat(129)]: '' } })],
    'nodes that expire before they are ready': [
      'JN-219',
      'spec.template.spec.expireAfter',
      aPool({ template: { expireAfter: '14m59s' } }),
    ],
    'a kubelet expression': ['JN-215', 'spec.kubelet', aClass({ kubelet: { maxPods: 'vcpus * 10' } })],
  }
  test.each(Object.entries(cases))('%s', (_name, [rule, path, object, facts]) => {
    const { denied, warned } = findings(object, facts)
    expect(denied).toEqual([])
    expect(warned).toEqual([expect.objectContaining({ rule, path, fix: expect.stringMatching(/./) })])
    expect(warningTexts(warned)[0]).not.toContain('…')
  })

  test.each<[Partial<EC2NodeClassSpec>, RegExp]>([
    [{}, /^no mapping is for \/dev\/xvda or has rootVolume: true;/],
    [{ amiFamily: 'Custom' }, /^no mapping has rootVolume: true;/],
  ])('the disk that holds pods is named where the family has one, as with %j', (spec, message) => {
    const { warned } = findings(aClass({ blockDeviceMappings: [disk('/dev/xvdz')], ...spec }))
    expect(warned.map((it) => it.message)).toEqual([expect.stringMatching(message)])
  })

  test('pools of equal weight are only held against those of the same kind of class', () => {
    const nodeClassRef = { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' }
    const foreign = aPool({ name: 'other', template: { nodeClassRef } })
    expect(findings(aPool(), { nodePools: [aPool(), foreign] }).warned).toEqual([])
    for (const one of [{ kind: 'NodeClass' }, { group: 'eks.amazonaws.com' }]) {
      const other = aPool({
        name: 'other',
        template: { nodeClassRef: { ...aPool().spec.template.spec.nodeClassRef, ...one } },
      })
      expect(findings(aPool(), { nodePools: [other] }).warned).toEqual([])
    }
    expect(
      findings(foreign, { nodePools: [foreign, aPool({ name: 'more', template: { nodeClassRef } })] }).warned,
    ).toEqual([
      expect.objectContaining({
        rule: 'JN-211',
        message: 'the same pods fit more at the same weight: the later name is tried first',
      }),
    ])
  })

  test('labels of the template narrow the types, as requirements do', () => {
    const facts = { catalogueOf: () => catalogue }
    const warnedOf = (family: string) =>
      findings(aPool({ labels: { [familyKey]: family }, limits: { cpu: '2' } }), facts).warned.map(({ rule }) => rule)
    expect(['m7i', 'c7i'].map(warnedOf)).toEqual([[], ['JN-204']])
  })

  test('the class that is missing and the taint that stays are named', () => {
    const startupTaints = [{ key: 'karpenter.sh/unregistered', effect: 'NoSchedule' as const }]
    const { warned } = findings(aPool({ template: { startupTaints } }), { nodeClasses: [] })
    expect(warned.map(({ message }) => message).toSorted()).toEqual([
      'nodes never initialize: nobody removes karpenter.sh/unregistered:NoSchedule',
      'there is no EC2NodeClass default yet',
    ])
  })

  test.each<[Record<string, string> | undefined, readonly string[]]>([
    [undefined, []],
    [{ nodes: '6' }, []],
    [{ nodes: '5' }, ['drifted nodes are not replaced: a replacement has no room beside 5 replicas']],
    [{ nodes: '4' }, ['no more than 4 of 5 replicas come, and drifted nodes are not replaced']],
    [{ nodes: '0' }, []],
  ])('what a static pool of five does under the limits %j', (limits, messages) => {
    const limited = limits === undefined ? {} : { limits }
    expect(findings(aPool({ replicas: 5, ...limited })).warned.map(({ message }) => message)).toEqual(messages)
    expect(findings(aPool(limited)).warned).toEqual([])
  })

  test.each(['15m', '1h', 'Never', '9999999999h'])('nodes may live for %s', (expireAfter) => {
    expect(findings(aPool({ template: { expireAfter } })).warned).toEqual([])
  })

  test('tags that EC2 takes', () => {
    const tags = { 'awsome:team': 'a', 'team/aws:': 'a', ['é'.repeat(128)]: '😀'.repeat(256) }
    expect(findings(aClass({ tags })).warned).toEqual([])
  })

  test('terms that name something select that', () => {
    const subnetSelectorTerms = [{ tags: { team: '*' } }, { id: 'subnet-1' }]
    const securityGroupSelectorTerms = [{ name: 'nodes' }]
    expect(findings(aClass({ subnetSelectorTerms, securityGroupSelectorTerms })).warned).toEqual([])
  })

  test('a long name leaves room for what is wrong with it', () => {
    const name = 'x'.repeat(200)
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name }
    const startupTaints = [{ key: `karpenter.sh/${'y'.repeat(60)}`, effect: 'PreferNoSchedule' as const }]
    const deleted = { ...going, metadata: { ...going.metadata, name, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    const messages = (nodeClasses: readonly EC2NodeClass[]) =>
      findings(aPool({ template: { nodeClassRef, startupTaints } }), { nodeClasses }).warned.map(
        ({ message }) => message,
      )
    expect(messages([]).toSorted()).toEqual([
      expect.stringMatching(/^nodes never initialize: nobody removes karpenter.sh\/y+:PreferNoSchedule$/),
      expect.stringMatching(/^there is no EC2NodeClass x{63} yet$/),
    ])
    expect(messages([deleted])).toContain(`the EC2NodeClass ${name.slice(0, 63)} is being deleted`)
  })

  test('of several equal pools the first by name is told, and how many more there are', () => {
    const nodePools = ['c', 'b', 'd'].map((name) => aPool({ name }))
    expect(findings(aPool(), { nodePools }).warned.map(({ message }) => message)).toEqual([
      'the same pods fit b and 2 more at the same weight: the later name is tried first',
    ])
  })

  test.each(['al2@latest', 'bottlerocket@latest'])('what to do about %s is not to change its family', (alias) => {
    const [found] = findings(aClass({ amiSelectorTerms: [{ alias }] })).warned
    expect(found?.fix).toMatch(/^Write a version of the family/)
  })
})
