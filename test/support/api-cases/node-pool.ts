import { type ApiCase, type Change, casesOf, updatesOf } from './case.ts'

const requires = (requirement: object): Change => ({ 'template.spec.requirements': [requirement] })
const taints = (...list: object[]): Change => ({ 'template.spec.taints': list })
const labels = (map: object): Change => ({ 'template.metadata.labels': map })
const budgets = (...list: object[]): Change => ({ disruption: { consolidateAfter: '0s', budgets: list } })
const many = (count: number, make: (i: number) => object): object[] => Array.from({ length: count }, (_, i) => make(i))

const scheduleNeedsDuration = "'schedule' must be set with 'duration'"
const inNeedsValue = "requirements with operator 'In' must have a value defined"
const coreDomain = 'label domain "karpenter.sh" is restricted'
const modeIsFixed =
  'Cannot transition NodePool between static (replicas set) and dynamic (replicas unset) provisioning modes'

export const nodePoolCases: readonly ApiCase[] = [
  ...casesOf('NodePool', [
    [1, 'the smallest pool', {}],
    [2, 'nodes may live forever', { 'template.spec.expireAfter': 'Never' }],
    [3, 'a lifetime has hours, minutes and seconds', { 'template.spec.expireAfter': '1h30m5s' }],
    [4, 'a lifetime in unknown units', { 'template.spec.expireAfter': '1hr' }, 'should match'],
    [5, 'a negative lifetime', { 'template.spec.expireAfter': '-1s' }, 'should match'],
    [6, 'a termination grace period', { 'template.spec.terminationGracePeriod': '30s' }],
    [7, 'a termination grace period without end', { 'template.spec.terminationGracePeriod': 'Never' }, 'should match'],
    [8, 'consolidation may be off', { disruption: { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' } }],
    [9, 'the balanced policy', { disruption: { consolidateAfter: '1m', consolidationPolicy: 'Balanced' } }],
    [
      10,
      'a policy that does not exist',
      { disruption: { consolidateAfter: '30s', consolidationPolicy: 'WhenUnderutilized' } },
      'Unsupported value',
    ],
    [
      11,
      'disruption settings without consolidateAfter',
      { disruption: { consolidationPolicy: 'WhenEmpty' } },
      'spec.disruption.consolidateAfter: Required value',
    ],
    [12, 'a budget schedule without duration', budgets({ nodes: '10', schedule: '* * * * *' }), scheduleNeedsDuration],
    [13, 'a budget duration without schedule', budgets({ nodes: '10', duration: '20m' }), scheduleNeedsDuration],
    [14, 'a named schedule', budgets({ nodes: '10', schedule: '@annually', duration: '20m' })],
    [15, 'a schedule of one field', budgets({ nodes: '10', schedule: '*', duration: '20m' }), 'should match'],
    [
      16,
      'a budget duration that ends in zero seconds',
      budgets({ nodes: '5', schedule: '0 0 * * *', duration: '2h20m0s' }),
    ],
    [
      17,
      'a budget duration in seconds',
      budgets({ nodes: '5', schedule: '0 0 * * *', duration: '30s' }),
      'should match',
    ],
    [18, 'a budget of all nodes', budgets({ nodes: '100%' })],
    [19, 'a budget of more than all nodes', budgets({ nodes: '101%' }), 'should match'],
    [20, 'a budget with its default size', budgets({ reasons: ['Empty'] })],
    [21, 'a budget with a reason twice', budgets({ reasons: ['Drifted', 'Drifted'] }), 'Duplicate value'],
    [
      22,
      'a budget for a reason that has no budget',
      budgets({ nodes: '0', reasons: ['Expired'] }),
      'Unsupported value',
    ],
    [23, 'more budgets than fit', budgets(...many(51, () => ({ nodes: '10%' }))), 'Too many'],
    [24, 'the largest weight', { weight: 100 }],
    [25, 'a weight of zero', { weight: 0 }, 'greater than or equal to 1'],
    [26, 'limits as number and text', { limits: { cpu: 1000, memory: '1000Gi' } }],
    [27, 'a limit that is no quantity', { limits: { cpu: '1000 cores' } }, 'should match'],
    [
      28,
      'one taint key with two effects',
      taints({ key: 'a', effect: 'NoSchedule' }, { key: 'a', effect: 'NoExecute' }),
    ],
    [29, 'a taint twice', taints({ key: 'a', effect: 'NoSchedule' }, { key: 'a', effect: 'NoSchedule' })],
    [30, 'a taint value with odd characters', taints({ key: 'a', value: '???', effect: 'NoSchedule' }), 'should match'],
    [31, 'an empty taint value', taints({ key: 'a', value: '', effect: 'NoSchedule' }), 'should match'],
    [32, 'a taint without key', taints({ effect: 'NoSchedule' }), 'Required value'],
    [33, 'NotIn without values', requires({ key: 'a', operator: 'NotIn' })],
    [
      34,
      'In without values',
      requires({ key: 'a', operator: 'In' }),
      `no such key: values evaluating rule: ${inNeedsValue}`,
    ],
    [35, 'In with no value in the list', requires({ key: 'a', operator: 'In', values: [] }), inNeedsValue],
    [36, 'minValues with Exists', requires({ key: 'a', operator: 'Exists', minValues: 2 })],
    [
      37,
      'minValues above its bound',
      requires({ key: 'a', operator: 'Exists', minValues: 51 }),
      'less than or equal to 50',
    ],
    [
      38,
      'minValues above the number of values',
      requires({ key: 'a', operator: 'In', values: ['x'], minValues: 2 }),
      "requirements with 'minValues' must have at least that many values specified in the 'values' field",
    ],
    [39, 'a comparison with a word', requires({ key: 'a', operator: 'Gte', values: ['a'] }), 'evaluating rule'],
    [
      40,
      'a comparison with a negative number',
      requires({ key: 'a', operator: 'Gt', values: ['-1'] }),
      'must have a single positive integer value',
    ],
    [41, 'a comparison', requires({ key: 'a', operator: 'Lte', values: ['10'] })],
    [
      42,
      'a requirement on the pool label',
      requires({ key: 'karpenter.sh/nodepool', operator: 'In', values: ['x'] }),
      'label "karpenter.sh/nodepool" is restricted',
    ],
    [
      43,
      "an unknown label of Karpenter's domain",
      requires({ key: 'karpenter.sh/custom', operator: 'Exists' }),
      coreDomain,
    ],
    [44, "a domain that ends like Karpenter's", requires({ key: 'notkarpenter.sh/x', operator: 'Exists' }), coreDomain],
    [
      45,
      'a label of the AWS domain',
      requires({ key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['4'] }),
    ],
    [
      46,
      'an unknown label of the AWS domain',
      requires({ key: 'karpenter.k8s.aws/bogus', operator: 'Exists' }),
      'label domain "karpenter.k8s.aws" is restricted',
    ],
    [
      47,
      'a requirement on the host name',
      requires({ key: 'kubernetes.io/hostname', operator: 'Exists' }),
      'label "kubernetes.io/hostname" is restricted',
    ],
    [
      48,
      'a subdomain of kubernetes.io',
      requires({ key: 'subdomain.kubernetes.io/test', operator: 'In', values: ['t'] }),
    ],
    [49, 'the zone id', requires({ key: 'topology.k8s.aws/zone-id', operator: 'In', values: ['use1-az1'] })],
    [50, 'a value with spaces', requires({ key: 'a', operator: 'In', values: ['has spaces in it'] })],
    [
      51,
      'more requirements than fit',
      { 'template.spec.requirements': many(101, (i) => ({ key: `a${i}`, operator: 'Exists' })) },
      'Too many',
    ],
    [52, 'labels, also of the capacity type', labels({ team: 'a', 'karpenter.sh/capacity-type': 'spot' })],
    [53, 'a label that the controller sets', labels({ 'karpenter.sh/initialized': 'true' }), coreDomain],
    [54, 'a label value with a space', labels({ team: 'bad value' }), 'should match'],
    [55, 'a label key with spaces', labels({ 'spaces are not allowed': 'x' })],
    [
      56,
      'a class group with a version',
      { 'template.spec.nodeClassRef.group': 'karpenter.k8s.aws/v1' },
      'should match',
    ],
    [57, 'an empty class name', { 'template.spec.nodeClassRef.name': '' }, 'name may not be empty'],
    [58, 'a static pool with a limit of nodes', { replicas: 3, limits: { nodes: 10 } }],
    [59, 'a static pool with no limit in the list', { replicas: 3, limits: {} }],
    [60, 'fewer than no replicas', { replicas: -1 }, 'greater than or equal to 0'],
    [
      61,
      'a static pool with a limit of CPU',
      { replicas: 3, limits: { cpu: 10 } },
      "only 'limits.nodes' is supported on static NodePools",
    ],
    [62, 'a static pool with a weight', { replicas: 3, weight: 5 }, "'weight' is not supported on static NodePools"],
  ]),
  ...updatesOf('NodePool', [
    [63, 'a dynamic pool becomes static', {}, { replicas: 3 }, modeIsFixed],
    [64, 'a static pool grows', { replicas: 3 }, { replicas: 5 }],
    [65, 'a pool gets another class', {}, { 'template.spec.nodeClassRef.name': 'other' }],
    [
      66,
      'a pool gets a class of another kind',
      {},
      { 'template.spec.nodeClassRef.kind': 'Other' },
      'nodeClassRef.kind is immutable',
    ],
  ]),
]
