import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type AdmissionFacts, type Finding, judge, ruleIDs, rules } from '../../../src/admission/index.ts'
import type {
  EC2NodeClass,
  EC2NodeClassSpec,
  NodeClaim,
  NodePool,
  NodePoolDisruption,
  NodePoolTemplateSpec,
  NodePoolBudget,
} from '../../../src/api/karpenter.ts'
import type { KubeObject, ObjectMeta } from '../../../src/api/kubernetes.ts'
import type { InstanceType } from '../../../src/model/instance-type.ts'
import { classProblems } from '../../../src/cloud/aws/class-problems.ts'
import { Quantity } from '../../../src/model/quantity.ts'
import { oneOf, oneValue } from '../../../src/model/requirement.ts'
import { requirementsOf } from '../../../src/model/requirements.ts'

const now = Date.parse('2026-03-04T10:00:00Z')
const zone = 'topology.kubernetes.io/zone'
const capacityType = 'karpenter.sh/capacity-type'
const typeKey = 'node.kubernetes.io/instance-type'
const familyKey = 'karpenter.k8s.aws/instance-family'

function metadata(name = 'default', more: Partial<ObjectMeta> = {}): ObjectMeta {
  return { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', ...more }
}

interface PoolParts {
  name?: string
  template?: Partial<NodePoolTemplateSpec>
  labels?: Record<string, string>
  disruption?: Partial<NodePoolDisruption>
  limits?: Record<string, string>
  weight?: number
}

function aPool({ name, template, labels, disruption, limits, weight }: PoolParts = {}): NodePool {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: metadata(name),
    spec: {
      template: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [],
          expireAfter: '720h',
          ...template,
        },
      },
      ...(disruption === undefined ? {} : { disruption: { consolidateAfter: '0s', ...disruption } }),
      ...(limits === undefined ? {} : { limits }),
      ...(weight === undefined ? {} : { weight }),
    },
  }
}

function aClass(spec: Partial<EC2NodeClassSpec> = {}): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: metadata(),
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@v20240625' }],
      subnetSelectorTerms: [{ id: 'subnet-1' }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      role: 'nodes',
      ...spec,
    },
  }
}

function aType(name: string, cpu: number): InstanceType {
  const none = new Map<string, Quantity>()
  return {
    name,
    requirements: requirementsOf(
      oneValue(typeKey, name),
      oneValue(familyKey, name.split('.')[0] ?? ''),
      oneValue(zone, 'a'),
      oneOf(capacityType, ['spot', 'on-demand']),
    ),
    capacity: new Map([['cpu', Quantity.of(cpu)]]),
    overhead: { kubeReserved: none, systemReserved: none, evictionThreshold: none },
    offerings: ['spot', 'on-demand'].map((capacity) => ({
      requirements: requirementsOf(oneValue(zone, 'a'), oneValue(capacityType, capacity)),
      price: 1,
      available: true,
    })),
  }
}

const catalogue = [aType('m7i.large', 2), aType('c7i.xlarge', 4)]

function aClaim(labels: Record<string, string> = {}): NodeClaim {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: metadata('c', { labels: { 'karpenter.sh/nodepool': 'default', ...labels } }),
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }, requirements: [] },
  }
}

function findings(
  object: KubeObject,
  facts: AdmissionFacts = {},
  oldObject?: KubeObject,
): { denied: Finding[]; warned: Finding[] } {
  const verdict = judge({
    object,
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    rules: 'all',
    facts,
    now,
    ...(oldObject === undefined ? {} : { oldObject }),
  })
  expect(verdict.allowed).toBe(verdict.errors.length === 0)
  return { denied: [...verdict.errors], warned: [...verdict.warnings] }
}

const disk = (deviceName: string) => ({ deviceName, ebs: { volumeSize: '20Gi' } })
const rolloutPolicy = (spec: object): KubeObject & { spec: object } => ({
  apiVersion: 'joinery.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata: metadata(),
  spec: { nodePoolSelector: {}, ...spec },
})
const overlay = (spec: object): KubeObject & { spec: object } => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'NodeOverlay',
  metadata: metadata(),
  spec: { requirements: [], ...spec },
})

describe('what can never work is denied', () => {
  const cases: Record<string, [string, string, KubeObject, AdmissionFacts?]> = {
    'a schedule that does not parse': [
      'JN-101',
      'spec.disruption.budgets[0].schedule',
      aPool({ disruption: { budgets: [{ nodes: '1', schedule: '0 25 * * *', duration: '1h' }] } }),
    ],
    'requirements that exclude each other': [
      'JN-102',
      'spec.template.spec.requirements[1]',
      aPool({
        template: {
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'beta.kubernetes.io/arch', operator: 'NotIn', values: ['amd64'] },
          ],
        },
      }),
    ],
    'a label against a requirement': [
      'JN-102',
      'spec.template.spec.requirements[0]',
      aPool({ labels: { team: 'a' }, template: { requirements: [{ key: 'team', operator: 'In', values: ['b'] }] } }),
    ],
    'bounds that cross': [
      'JN-102',
      'spec.requirements[1]',
      overlay({
        requirements: [
          { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['8'] },
          { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['8'] },
        ],
      }),
    ],
    'minValues above the different values': [
      'JN-103',
      'spec.template.spec.requirements[0].minValues',
      aPool({ template: { requirements: [{ key: typeKey, operator: 'In', values: ['a', 'a'], minValues: 2 }] } }),
    ],
    'minValues of a claim above the different values': [
      'JN-103',
      'spec.requirements[1].minValues',
      {
        ...aClaim(),
        spec: {
          ...aClaim().spec,
          requirements: [
            { key: zone, operator: 'In', values: ['a', 'b'], minValues: 2 },
            { key: typeKey, operator: 'In', values: ['a', 'a'], minValues: 2 },
          ],
        },
      } as NodeClaim,
    ],
    'requirements of a claim that exclude each other': [
      'JN-102',
      'spec.requirements[1]',
      {
        ...aClaim(),
        spec: {
          ...aClaim().spec,
          requirements: [
            { key: zone, operator: 'In', values: ['a'] },
            { key: zone, operator: 'NotIn', values: ['a'] },
          ],
        },
      } as NodeClaim,
    ],
    'a pool that runtime validation refuses': [
      'JN-104',
      'spec.template.spec.taints[1]',
      aPool({
        template: {
          taints: [
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', effect: 'NoSchedule' },
          ],
        },
      }),
    ],
    'an overlay that runtime validation refuses': [
      'JN-105',
      'spec.capacity.aws.amazon.com/neuron',
      overlay({ capacity: { 'aws.amazon.com/neuron': 1 } }),
    ],
    'kubelet settings that do not exist': ['JN-106', 'spec.kubelet', aClass({ kubelet: { notAKubeletField: true } })],
    'a kubelet expression that can never make a number': [
      'JN-106',
      'spec.kubelet',
      aClass({ kubelet: { maxPods: 'vcpus *' } }),
      classProblems,
    ],
    'a kubelet expression that makes text': [
      'JN-106',
      'spec.kubelet',
      aClass({ kubelet: { kubeReserved: { cpu: 'instance_type' } } }),
      classProblems,
    ],
    'user data that does not merge': [
      'JN-107',
      'spec.userData',
      aClass({ userData: '[' }),
      { userDataProblem: (text) => (text === '[' ? 'no TOML' : undefined) },
    ],
    'a duration beyond 292 years': [
      'JN-108',
      'spec.template.spec.expireAfter',
      aPool({ template: { expireAfter: '99999999h' } }),
    ],
    'a grace period beyond 292 years': [
      'JN-108',
      'spec.template.spec.terminationGracePeriod',
      aPool({ template: { terminationGracePeriod: '99999999h' } }),
    ],
    'a wait for consolidation beyond 292 years': [
      'JN-108',
      'spec.disruption.consolidateAfter',
      aPool({ disruption: { consolidateAfter: '99999999h' } }),
    ],
    'a window of a budget beyond 292 years': [
      'JN-108',
      'spec.disruption.budgets[1].duration',
      aPool({
        disruption: { budgets: [{ nodes: '1' }, { nodes: '1', schedule: '@daily', duration: '99999999h' }] },
      }),
    ],
    'a grace period of a claim beyond 292 years': [
      'JN-108',
      'spec.terminationGracePeriod',
      { ...aClaim(), spec: { ...aClaim().spec, terminationGracePeriod: '99999999h' } } as NodeClaim,
    ],
    'a volume size without a number': [
      'JN-109',
      'spec.blockDeviceMappings[0].ebs.volumeSize',
      aClass({ blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: 'Ti' } }] }),
    ],
    'an alias with two versions': [
      'JN-110',
      'spec.amiSelectorTerms[0].alias',
      aClass({ amiSelectorTerms: [{ alias: 'al2023@v1@x' }] }),
    ],
    'a time zone that does not exist': [
      'JN-111',
      'spec.windows[0].timeZone',
      rolloutPolicy({ windows: [{ schedule: '@daily', duration: '1h', timeZone: 'Europe/Berln' }] }),
    ],
    'a window whose schedule does not parse': [
      'JN-111',
      'spec.windows[0].schedule',
      rolloutPolicy({ windows: [{ schedule: '0 25 * * *', duration: '1h' }] }),
    ],
    'a day that does not exist': [
      'JN-111',
      'spec.blackoutDates[0].from',
      rolloutPolicy({ blackoutDates: [{ from: '2026-02-30' }] }),
    ],
    'a window that never opens': [
      'JN-112',
      'spec.windows[0].schedule',
      rolloutPolicy({ windows: [{ schedule: '0 3 31 2 *', duration: '1h' }] }),
    ],
    'a window of no length': [
      'JN-112',
      'spec.windows[0].duration',
      rolloutPolicy({ windows: [{ schedule: '@daily', duration: '0h' }] }),
    ],
    'a shared budget of nothing': ['JN-112', 'spec.sharedBudget', rolloutPolicy({ sharedBudget: '0%' })],
    'a rate in no time': ['JN-112', 'spec.rate.per', rolloutPolicy({ rate: { nodes: 1, per: '0s' } })],
    'a soft expiry at birth': ['JN-112', 'spec.softExpireAfter', rolloutPolicy({ softExpireAfter: '0h' })],
    'no time for nodes to become ready': [
      'JN-112',
      'spec.gates.nodeReadyTimeout',
      rolloutPolicy({ gates: { nodeReadyTimeout: '0s' } }),
    ],
    'no time for pods to become ready': [
      'JN-112',
      'spec.gates.podReadyTimeout',
      rolloutPolicy({ gates: { podReadyTimeout: '0s' } }),
    ],
    'a Prometheus at no URL': [
      'JN-112',
      'spec.gates.prometheus.address',
      rolloutPolicy({
        gates: { prometheus: { address: 'http://:x', query: 'up', operator: 'GreaterThan', threshold: '0' } },
      }),
    ],
  }
  test.each(Object.entries(cases))('%s', (_name, [rule, path, object, facts]) => {
    const { denied, warned } = findings(object, facts)
    expect(denied).toEqual([expect.objectContaining({ rule, path })])
    expect(warned.filter(({ message }) => message.includes('the rule failed'))).toEqual([])
  })
})

test('windows beyond those that the schema allows are not looked through for a day that there is not', () => {
  const never = { schedule: '0 3 31 2 *', duration: '1h' }
  const { denied: errors } = findings(rolloutPolicy({ windows: Array.from({ length: 30 }, () => never) }))
  expect(errors.filter(({ rule }) => rule === 'JN-112')).toHaveLength(20)
  expect(errors.map(({ path }) => path)).toContain('spec.windows')
})

describe('what is risky only warns', () => {
  const spot = { key: capacityType, operator: 'In' as const, values: ['spot'] }
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
    'tags without an owner': [
      'JN-212',
      'spec.amiSelectorTerms[0]',
      aClass({ amiFamily: 'AL2023', amiSelectorTerms: [{ tags: { a: 'b' } }] }),
    ],
    'an open owner': [
      'JN-212',
      'spec.amiSelectorTerms[0].owner',
      aClass({ amiFamily: 'AL2023', amiSelectorTerms: [{ name: 'x', owner: 'aws-marketplace' }] }),
    ],
    'a missing node class': ['JN-214', 'spec.template.spec.nodeClassRef.name', aPool(), { nodeClasses: [] }],
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
    'a kubelet expression': ['JN-215', 'spec.kubelet', aClass({ kubelet: { maxPods: 'vcpus * 10' } })],
  }
  test.each(Object.entries(cases))('%s', (_name, [rule, path, object, facts]) => {
    const { denied, warned } = findings(object, facts)
    expect(denied).toEqual([])
    expect(warned).toEqual([expect.objectContaining({ rule, path, fix: expect.stringMatching(/./) })])
    expect(warned[0]?.message.length).toBeLessThanOrEqual(120)
  })

  test('pools of equal weight are only held against those of the same kind of class', () => {
    const nodeClassRef = { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' }
    const foreign = aPool({ name: 'other', template: { nodeClassRef } })
    expect(findings(aPool(), { nodePools: [aPool(), foreign] }).warned).toEqual([])
    expect(
      findings(foreign, { nodePools: [foreign, aPool({ name: 'more', template: { nodeClassRef } })] }).warned,
    ).toEqual([
      expect.objectContaining({
        rule: 'JN-211',
        message: 'the same pods fit more at the same weight: the later name is tried first',
      }),
    ])
  })

  test.each(['al2@latest', 'bottlerocket@latest'])('what to do about %s is not to change its family', (alias) => {
    const [found] = findings(aClass({ amiSelectorTerms: [{ alias }] })).warned
    expect(found?.fix).toMatch(/^Write a version of the family/)
  })

  test.each<[string, NodePoolBudget[]]>([
    [
      'a reason',
      [
        { nodes: '0', reasons: ['Drifted'] },
        { nodes: '0', reasons: ['Empty'] },
      ],
    ],
    [
      'an hour',
      [
        { nodes: '0', schedule: '0 8 * * *', duration: '12h' },
        { nodes: '0', schedule: '0 20 * * *', duration: '11h' },
      ],
    ],
    [
      'a Sunday',
      [
        { nodes: '0', schedule: '0 0 * * 1-5', duration: '24h' },
        { nodes: '0', schedule: '0 0 * * 6', duration: '24h' },
      ],
    ],
    ['a Sunday, and freeze hour by hour', [{ nodes: '0', schedule: '0 * * * mon-sat', duration: '1h' }]],
    ['what cannot be read', [{ nodes: '0', schedule: 'now and then', duration: '24h' }]],
    ['windows without length', [{ nodes: '0', schedule: '* * * * *', duration: '0s' }]],
  ])('freezes that leave out %s are none for ever', (_what, budgets) => {
    const pool = aPool({ disruption: { budgets } })
    const found = findings(pool)
    expect([...found.denied, ...found.warned].filter(({ rule }) => rule === 'JN-209')).toEqual([])
  })

  test('freezes of rare days do not fill the hour that a daily one leaves out', () => {
    const rare = Array.from({ length: 49 }, (_, index) => ({
      nodes: '0',
      schedule: `${index} 0 29 2 *`,
      duration: '1h',
    }))
    const pool = aPool({ disruption: { budgets: [{ nodes: '0', schedule: '@daily', duration: '23h' }, ...rare] } })
    expect(findings(pool).warned.filter(({ rule }) => rule === 'JN-209')).toEqual([])
  })

  test.each([
    { key: capacityType, operator: 'NotIn' as const, values: ['on-demand', 'reserved'] },
    { key: capacityType, operator: 'In' as const, values: ['spot', 'sopt'] },
  ])('spot of one type is seen however it is written: $operator $values', (capacity) => {
    const requirements = [capacity, { key: typeKey, operator: 'In' as const, values: ['m7i.large'] }]
    expect(findings(aPool({ template: { requirements } })).warned.map(({ rule }) => rule)).toEqual(['JN-210'])
  })

  test.each<[string, string[], string[]]>([
    ['on-demand of one type', ['on-demand'], ['m7i.large']],
    ['spot or on-demand of one type', ['spot', 'on-demand'], ['m7i.large']],
    ['spot of two types', ['spot'], ['m7i.large', 'm7i.xlarge']],
  ])('%s is not at the mercy of one shortage of spot', (_what, capacityTypes, types) => {
    const requirements = [
      { key: capacityType, operator: 'In' as const, values: capacityTypes },
      { key: typeKey, operator: 'In' as const, values: types },
    ]
    const { warned } = findings(aPool({ template: { requirements } }))
    expect(warned.filter(({ rule }) => rule === 'JN-210')).toEqual([])
  })

  test('a change of the template that drifts nodes says how many', () => {
    const { warned } = findings(
      aPool({ template: { expireAfter: '1h' } }),
      { nodeClaims: [aClaim(), aClaim(), aClaim({ 'karpenter.sh/nodepool': 'x' })] },
      aPool(),
    )
    expect(warned).toEqual([
      expect.objectContaining({
        rule: 'JN-213',
        message: 'this change replaces 2 nodes of 2: spec.template.spec.expireAfter: 720h -> 1h',
      }),
    ])
  })

  test('a change of requirements drifts the nodes that no longer meet them', () => {
    const narrowed = aPool({ template: { requirements: [{ key: zone, operator: 'In', values: ['a'] }] } })
    const { warned } = findings(narrowed, { nodeClaims: [aClaim({ [zone]: 'a' }), aClaim({ [zone]: 'b' })] }, aPool())
    expect(warned.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^this change replaces 1 node of 2: spec\.template\.spec\.requirements\[0\]: /),
    ])
  })

  test('a change of the node class drifts its nodes', () => {
    const { warned } = findings(aClass({ userData: 'x' }), { nodeClaims: [aClaim()] }, aClass())
    expect(warned.map(({ rule }) => rule)).toEqual(['JN-213'])
    // User data is never shown.
    expect(warned[0]?.message).toMatch(/spec\.userData: \(absent\) -> "?sha256:/)
  })

  test('another image alias may replace nodes, and the warning names it', () => {
    const { warned } = findings(
      aClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] }),
      { nodeClaims: [aClaim(), aClaim()] },
      aClass({ amiSelectorTerms: [{ alias: 'al2023@v20260601' }] }),
    )
    expect(warned.map(({ message }) => message)).toEqual([
      'this change may replace 2 nodes of 2: spec.amiSelectorTerms[0].alias: al2023@v20260601 -> al2023@v20260701',
    ])
  })

  test('other capacity reservations may replace the nodes that are in one', () => {
    const reserved = aClaim({ 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' })
    const warnings = (nodeClaims: readonly NodeClaim[]) =>
      findings(
        aClass({ capacityReservationSelectorTerms: [{ id: 'cr-2' }] }),
        { nodeClaims },
        aClass({ capacityReservationSelectorTerms: [{ id: 'cr-1' }] }),
      ).warned.map(({ message }) => message)
    expect(warnings([reserved, aClaim()])).toEqual([
      'this change may replace 1 node of 2: spec.capacityReservationSelectorTerms[0].id: cr-1 -> cr-2',
    ])
    expect(warnings([aClaim()])).toEqual([])
  })
})

describe('what is fine is not remarked on', () => {
  const cases: Record<string, [KubeObject, AdmissionFacts?]> = {
    'a node class without a spec, which servers let pass': [{ ...aClass(), spec: undefined } as KubeObject],
    'a claim': [aClaim(), { nodeClaims: [], nodePools: [], nodeClasses: [], catalogueOf: () => catalogue }],
    'an overlay': [overlay({ price: '1' }), { nodePools: [], nodeClasses: [], catalogueOf: () => catalogue }],
    'a buffer': [
      {
        apiVersion: 'autoscaling.x-k8s.io/v1beta1',
        kind: 'CapacityBuffer',
        metadata: metadata('b', { namespace: 'n' }),
        spec: { podTemplateRef: { name: 'a' }, replicas: 1 },
      } as KubeObject,
      { nodePools: [], nodeClasses: [], catalogueOf: () => catalogue },
    ],
    'a plain pool': [aPool(), { catalogueOf: () => catalogue, nodePools: [], nodeClasses: [aClass()] }],
    'a limit of zero pauses the pool': [aPool({ limits: { cpu: '0' } }), { catalogueOf: () => catalogue }],
    'keys that may be absent': [
      aPool({
        template: {
          requirements: [
            { key: 'a', operator: 'NotIn', values: ['x'] },
            { key: 'a', operator: 'DoesNotExist' },
          ],
        },
      }),
    ],
    'a weekly freeze': [
      aPool({ disruption: { budgets: [{ nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h' }] } }),
    ],
    'a freeze of one reason': [aPool({ disruption: { budgets: [{ nodes: '0', reasons: ['Underutilized'] }] } })],
    'an equal pool with other taints': [
      aPool(),
      { nodePools: [aPool({ name: 'o', template: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })] },
    ],
    'a floating alias outside production': [
      aClass({ amiSelectorTerms: [{ alias: 'al2023@latest' }] }),
      { production: false },
    ],
    'minValues that are just met': [
      aPool({ template: { requirements: [{ key: typeKey, operator: 'In', values: ['a', 'b'], minValues: 2 }] } }),
    ],
    'minValues that the catalogue just meets': [
      aPool({ template: { requirements: [{ key: familyKey, operator: 'Exists', minValues: 2 }] } }),
      { catalogueOf: () => catalogue },
    ],
    'user data that merges': [aClass({ userData: '#!/bin/bash\necho x\n' }), classProblems],
    'a class without user data': [aClass(), { userDataProblem: () => 'no TOML' }],
    'durations that never end, where that may be': [
      aPool({ template: { expireAfter: 'Never' }, disruption: { consolidateAfter: 'Never' } }),
    ],
    'a limit that the smallest type just fits': [
      aPool({ limits: { cpu: '2', 'nvidia.com/gpu': '1' } }),
      { catalogueOf: () => catalogue },
    ],
    'a rollout policy that advances': [
      rolloutPolicy({
        windows: [{ schedule: '0 3 * * sun', duration: '2h', timeZone: 'Europe/Berlin' }],
        blackoutDates: [{ from: '2026-12-24', to: '2026-12-26', timeZone: 'UTC' }],
        sharedBudget: '5%',
        rate: { nodes: 1, per: '1m' },
        softExpireAfter: '720h',
        gates: {
          nodeReadyTimeout: '10m',
          podReadyTimeout: '10m',
          prometheus: { address: 'http://prometheus:9090', query: 'up', operator: 'GreaterThan', threshold: '0' },
        },
      }),
    ],
    'selectors that find something, and one that is not given': [
      aClass(),
      { selectorMatches: { amis: 1, subnets: 1, securityGroups: 1, capacityReservations: 0 } },
    ],
    'the disk of the family': [aClass({ blockDeviceMappings: [disk('/dev/xvdz'), disk('/dev/xvda')] })],
    'the second disk of Bottlerocket': [
      aClass({
        amiSelectorTerms: [{ alias: 'bottlerocket@1.32.0' }],
        blockDeviceMappings: [disk('/dev/xvda'), disk('/dev/xvdb')],
      }),
    ],
    'a disk that is marked': [aClass({ blockDeviceMappings: [{ ...disk('/dev/xvdz'), rootVolume: true }] })],
    'images by id, by name alone, and of known owners': [
      aClass({
        amiFamily: 'AL2023',
        amiSelectorTerms: [
          { id: 'ami-1' },
          { name: 'x' },
          { tags: { a: 'b' }, owner: 'self' },
          { name: 'x', owner: 'amazon' },
          { tags: { a: 'b' }, name: 'x', owner: '123456789012' },
        ],
      }),
    ],
    'the latest Windows, which has no other version': [aClass({ amiSelectorTerms: [{ alias: 'windows2022@latest' }] })],
    'an equal pool of another weight': [aPool({ weight: 2 }), { nodePools: [aPool({ name: 'o', weight: 1 })] }],
    'an equal pool for other types': [
      aPool({ template: { requirements: [{ key: familyKey, operator: 'In', values: ['m7i'] }] } }),
      { nodePools: [aPool({ name: 'o', labels: { [familyKey]: 'c7i' } })] },
    ],
    'an equal pool of a fixed size': [
      aPool(),
      { nodePools: [{ ...aPool({ name: 'o' }), spec: { ...aPool().spec, replicas: 1 } }] },
    ],
    "another controller's node class": [
      aPool({ template: { nodeClassRef: { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'x' } } }),
      { nodeClasses: [] },
    ],
    'a startup taint of an agent': [
      aPool({ template: { startupTaints: [{ key: 'node.cilium.io/agent-not-ready', effect: 'NoExecute' }] } }),
    ],
    'a kubelet expression with the gate on': [aClass({ kubelet: { maxPods: 'vcpus * 10' } }), { nodeClassCEL: true }],
  }
  test.each(Object.entries(cases))('%s', (_name, [object, facts]) => {
    expect(findings(object, facts)).toEqual({ denied: [], warned: [] })
  })
})

describe('the catalogue of rules', () => {
  test('has unique IDs in order', () => {
    expect(ruleIDs).toEqual([...new Set(ruleIDs)].sort())
  })

  test.each(rules.map((rule) => [rule.id, rule] as const))('%s has a page with its title and severity', (id, rule) => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'rules', `${id}.md`), 'utf8')
    expect(page).toContain(`# ${id}: ${rule.title}`)
    expect(page).toContain(`Default severity: \`${rule.severity}\``)
  })
})
