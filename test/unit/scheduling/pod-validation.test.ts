import { describe, expect, test } from 'vitest'
import { isProvisionable } from '../../../src/model/pod.ts'
import { rejectionOf } from '../../../src/scheduling/pod-validation.ts'
import { aPod, aSnapshot, capacityTypeKey, type PodOptions, testVocabulary } from '../../support/scheduling-world.ts'

function reject(options: PodOptions) {
  return rejectionOf(aPod(options), { volumes: aSnapshot().volumes, vocabulary: testVocabulary })
}

function requiring(...terms: object[]): PodOptions {
  return {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms as never } },
    },
  }
}

const hostnameRefused =
  'using label kubernetes.io/hostname is not allowed as it might interfere with the internal provisioning logic; specify a well known label: ' +
  `[${[...testVocabulary.wellKnown].toSorted().join(' ')}], or a custom label that does not use a restricted domain: [karpenter.sh]`

test('case 18: a pod may choose its NodePool, or rule some out', () => {
  expect(reject({ nodeSelector: { 'karpenter.sh/nodepool': 'np' } })).toBeUndefined()
  const others = { key: 'karpenter.sh/nodepool', operator: 'NotIn', values: ['np'] }
  expect(reject(requiring({ matchExpressions: [others] }))).toBeUndefined()
})

describe('pods that a pass leaves alone', () => {
  const cases: Record<string, { pod: PodOptions; want: string }> = {
    'case 17: a hostname selector': {
      pod: { nodeSelector: { 'kubernetes.io/hostname': 'h' } },
      want: 'using label kubernetes.io/hostname is not allowed as it might interfere with the internal provisioning logic; specify a well known label: [',
    },
    'case 18: a label of the restricted domain': {
      pod: { nodeSelector: { 'karpenter.sh/custom': 'x' } },
      want: 'using label karpenter.sh/custom is not allowed',
    },
    'case 19: fields, even in a later alternative': {
      pod: requiring(
        { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
        { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] },
      ),
      want: 'node selector term with matchFields is not supported',
    },
    'terms without expressions, which match no node': {
      pod: requiring({}, { matchExpressions: [] }),
      want: 'node selector terms without expressions match no node',
    },
    'case 20: keeping away from our nodes': {
      pod: requiring({ matchExpressions: [{ key: 'karpenter.sh/nodepool', operator: 'DoesNotExist' }] }),
      want: 'configured to not run on a Karpenter provisioned node (requirement=karpenter.sh/nodepool DoesNotExist)',
    },
    'pools that exclude each other': {
      pod: {
        nodeSelector: { 'karpenter.sh/nodepool': 'a' },
        ...requiring({ matchExpressions: [{ key: 'karpenter.sh/nodepool', operator: 'In', values: ['b'] }] }),
      },
      want: 'configured to not run on a Karpenter provisioned node (requirement=karpenter.sh/nodepool DoesNotExist)',
    },
    'a selector and affinity that exclude each other, in each alternative': {
      pod: {
        nodeSelector: { team: 'x', tier: 'gold' },
        ...requiring(
          { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['x', 'y'] }] },
          {
            matchExpressions: [
              { key: 'tier', operator: 'In', values: ['silver'] },
              { key: 'level', operator: 'Gt', values: ['3'] },
              { key: 'level', operator: 'Lt', values: ['4'] },
            ],
          },
        ),
      },
      want: 'node selector and node affinity exclude each other (label(s)=[level team tier])',
    },
    'several things at once': {
      pod: {
        nodeSelector: { 'kubernetes.io/hostname': 'h' },
        ...requiring({
          matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }],
          matchExpressions: [{ key: 'a', operator: 'In', values: [] }],
        }),
      },
      want: `${hostnameRefused}; node selector term with matchFields is not supported; key a with operator In must have a value defined`,
    },
    'case 21: no known capacity type': {
      pod: { nodeSelector: { [capacityTypeKey]: 'ondemand' } },
      want: 'no valid values found in [ondemand] for karpenter.sh/capacity-type, expected one of: ',
    },
    'an unknown operator': {
      pod: requiring({ matchExpressions: [{ key: 'a', operator: 'Like', values: ['x'] }] }),
      want: 'key a has an unsupported operator Like not in [',
    },
    'no value for In': {
      pod: requiring({ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }),
      want: 'key a with operator In must have a value defined',
    },
    'no integer for a bound': {
      pod: requiring({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['x'] }] }),
      want: 'key a with operator Gt must have a single positive integer value',
    },
    'a bound beyond 64 bits': {
      pod: requiring({ matchExpressions: [{ key: 'a', operator: 'Lt', values: ['9223372036854775808'] }] }),
      want: 'key a with operator Lt must have a single positive integer value',
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { pod, want }) => {
    expect(reject(pod)?.text.slice(0, want.length)).toBe(want)
  })

  test('keeping away on purpose is not reported, whatever else is wrong; a preference to keep away counts', () => {
    const away = { key: 'karpenter.sh/nodepool', operator: 'DoesNotExist' }
    const both = { nodeSelector: { 'karpenter.sh/custom': 'x' }, ...requiring({ matchExpressions: [away] }) }
    expect(reject(both)).toMatchObject({ deliberate: true, causes: [{ kind: 'keepsAway' }, { kind: 'requirement' }] })
    const preferred = { weight: 1, preference: { matchExpressions: [away] } }
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [preferred] }
    expect(reject({ affinity: { nodeAffinity } })?.deliberate).toBe(true)
  })

  test('case 20: only keeping away on purpose is not reported', () => {
    expect(reject(cases['case 20: keeping away from our nodes']?.pod ?? {})?.deliberate).toBe(true)
    expect(reject({ nodeSelector: { 'karpenter.sh/custom': 'x' } })?.deliberate).toBe(false)
  })

  test('case 21: one known capacity type among others is enough', () => {
    const pod = requiring({
      matchExpressions: [{ key: capacityTypeKey, operator: 'In', values: ['ondemand', 'spot'] }],
    })
    expect(reject(pod)).toBeUndefined()
  })

  test('preferences and pod affinity are not checked', () => {
    const pod: PodOptions = {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] } },
          ],
        },
      },
    }
    expect(reject(pod)).toBeUndefined()
  })
})

describe('pods that are ours to help', () => {
  const unscheduled = (reason: string, rest: object = {}) => ({
    status: { conditions: [{ type: 'PodScheduled', reason }], ...rest },
  })
  const cases: Record<string, { pod: PodOptions; want: boolean }> = {
    'a pod that the scheduler found no node for': { pod: {}, want: true },
    'case 22: one that waits for preemption': {
      pod: unscheduled('Unschedulable', { nominatedNodeName: 'n' }),
      want: false,
    },
    'case 22: one that the scheduler failed on': { pod: unscheduled('SchedulerError'), want: false },
    'case 22: a gated one': { pod: unscheduled('SchedulingGated'), want: false },
    'case 22: one of a node': { pod: { owner: { apiVersion: 'v1', kind: 'Node' } }, want: false },
    'case 22: one of a DaemonSet': { pod: { owner: { apiVersion: 'apps/v1', kind: 'DaemonSet' } }, want: false },
    'case 23: one that is being deleted': { pod: { deleting: true }, want: true },
    'a bound one': { pod: { nodeName: 'n', ...unscheduled('Unschedulable') }, want: false },
  }
  test.each(Object.entries(cases))('%s', (_name, { pod, want }) => {
    expect(isProvisionable(aPod(pod))).toBe(want)
  })
})
