import { describe, expect, test } from 'vitest'
import type { AdmissionFacts } from '../../../src/admission/index.ts'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { classProblems } from '../../../src/cloud/aws/class-problems.ts'
import { aClaim, aClass, aPool, findings, overlay, rolloutPolicy, typeKey, zone } from '../../support/judged-objects.ts'

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
    'labels that are one in its old and its present spelling': [
      'JN-102',
      'spec.template.metadata.labels',
      aPool({ labels: { 'failure-domain.beta.kubernetes.io/zone': 'a', 'topology.kubernetes.io/zone': 'b' } }),
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
    'an age of a claim beyond 292 years': [
      'JN-108',
      'spec.expireAfter',
      { ...aClaim(), spec: { ...aClaim().spec, expireAfter: '99999999h' } } as NodeClaim,
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
    'a last day that does not exist': [
      'JN-111',
      'spec.blackoutDates[0].to',
      rolloutPolicy({ blackoutDates: [{ from: '2026-02-01', to: '2026-02-29' }] }),
    ],
    'days in no time zone': [
      'JN-111',
      'spec.blackoutDates[0].timeZone',
      rolloutPolicy({ blackoutDates: [{ from: '2026-02-01', timeZone: 'Europe/Berln' }] }),
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

test('where kubelet settings are wrong anyway, an expression among them is not told of', () => {
  const { denied, warned } = findings(aClass({ kubelet: { maxPods: 'vcpus * 10', notAKubeletField: true } }))
  expect([denied.map(({ rule }) => rule), warned]).toEqual([['JN-106'], []])
})

test('windows beyond those that the schema allows are not looked through for a day that there is not', () => {
  const never = { schedule: '0 3 31 2 *', duration: '1h' }
  const { denied: errors } = findings(rolloutPolicy({ windows: Array.from({ length: 30 }, () => never) }))
  expect(errors.filter(({ rule }) => rule === 'JN-112')).toHaveLength(20)
  expect(errors.map(({ path }) => path)).toContain('spec.windows')
})
