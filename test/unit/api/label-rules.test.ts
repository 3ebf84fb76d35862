import { expect, test } from 'vitest'
import {
  awsVocabulary,
  coreVocabulary,
  isRestrictedLabel,
  isWellKnownLabel,
  normalizeLabelKey,
  restrictedLabelMessage,
} from '../../../src/api/label-rules.ts'
import { awsLabelKeys, clusterOwnedTagKey, isKnownEphemeralTaint, nodeClassLabelKey } from '../../../src/api/labels.ts'
import { labelValueErrors, qualifiedNameErrors } from '../../../src/api/qualified-name.ts'

test('there are 29 AWS keys, all well-known but the node class', () => {
  expect(awsLabelKeys).toHaveLength(29)
  expect(awsLabelKeys.filter((key) => !isWellKnownLabel(key))).toEqual(['karpenter.k8s.aws/ec2nodeclass'])
})

test.each([
  ['karpenter.sh/custom', true],
  ['sub.karpenter.sh/x', true],
  ['karpenter.k8s.aws/bogus', true],
  ['kubernetes.io/hostname', true],
  ['karpenter.sh/capacity-type', false],
  ['karpenter.k8s.aws/instance-cpu', false],
  ['notkarpenter.sh/x', false],
  ['karpenter.sh', false],
  ['subdomain.kubernetes.io/test', false],
])('whether %s is restricted: %s', (key, want) => {
  expect(isRestrictedLabel(key)).toBe(want)
})

test('the text about a restricted label lists what may be used', () => {
  expect(restrictedLabelMessage('karpenter.sh/x', coreVocabulary)).toBe(
    'using label karpenter.sh/x is not allowed as it might interfere with the internal provisioning logic; specify a well known label: ' +
      '[karpenter.sh/capacity-type karpenter.sh/nodepool kubernetes.io/arch kubernetes.io/os node.kubernetes.io/instance-type ' +
      'node.kubernetes.io/windows-build topology.kubernetes.io/region topology.kubernetes.io/zone], ' +
      'or a custom label that does not use a restricted domain: [karpenter.sh]',
  )
})

test('old keys are read as present ones', () => {
  expect(
    ['beta.kubernetes.io/arch', 'failure-domain.beta.kubernetes.io/zone', 'topology.ebs.csi.aws.com/zone', 'team'].map(
      (key) => normalizeLabelKey(key),
    ),
  ).toEqual(['kubernetes.io/arch', 'topology.kubernetes.io/zone', 'topology.kubernetes.io/zone', 'team'])
  expect(normalizeLabelKey('topology.ebs.csi.aws.com/zone', coreVocabulary)).toBe('topology.ebs.csi.aws.com/zone')
  expect(awsVocabulary.knownValues.get('karpenter.sh/capacity-type')).toEqual(['on-demand', 'spot', 'reserved'])
})

test.each([
  [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }, true],
  [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }, true],
  [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }, true],
  [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }, false],
  [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }, true],
  [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoExecute' }, false],
  [{ key: 'readiness.k8s.io/anything', effect: 'NoSchedule' }, true],
  [{ key: 'readiness.k8s.io/anything', effect: 'NoExecute' }, true],
  [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }, true],
  [{ key: 'karpenter.sh/unregistered', effect: 'NoSchedule' }, false],
  [{ key: 'team', effect: 'NoSchedule' }, false],
])('whether %j is ephemeral: %s', (taint, want) => {
  expect(isKnownEphemeralTaint(taint)).toBe(want)
})

test('names that depend on the cluster or the class', () => {
  expect(clusterOwnedTagKey('prod')).toBe('kubernetes.io/cluster/prod')
  expect(nodeClassLabelKey({ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' })).toBe('karpenter.k8s.aws/ec2nodeclass')
})

test.each([
  ['example.com/My.name_1', []],
  ['a', []],
  ['', ['name part must be non-empty', expect.stringContaining('name part must consist of alphanumeric characters')]],
  ['a/b/c', [expect.stringContaining("with an optional DNS subdomain prefix and '/'")]],
  ['Upper.Case/x', [expect.stringContaining('prefix part a lowercase RFC 1123 subdomain')]],
  ['/x', ['prefix part must be non-empty']],
  [`a/${'x'.repeat(64)}`, ['name part must be no more than 63 bytes']],
])('the errors of the qualified name %j', (text, want) => {
  expect(qualifiedNameErrors(text)).toEqual(want)
})

test('label values may be empty, and at most 63 long', () => {
  expect([labelValueErrors(''), labelValueErrors('a.b_c-d'), labelValueErrors('x'.repeat(64))]).toEqual([
    [],
    [],
    ['must be no more than 63 bytes'],
  ])
  expect(labelValueErrors('a b')).toEqual([
    expect.stringContaining('a valid label must be an empty string or consist of'),
  ])
})

test('lengths are counted in bytes of UTF-8, not in characters', () => {
  const noLabel = expect.stringContaining('a valid label must be an empty string or consist of')
  expect(labelValueErrors('é'.repeat(31))).toEqual([noLabel])
  expect(labelValueErrors('é'.repeat(32))).toEqual(['must be no more than 63 bytes', noLabel])
})
