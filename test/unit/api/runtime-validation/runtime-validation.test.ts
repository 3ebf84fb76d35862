import { describe, expect, test } from 'vitest'
import type { NodeOverlaySpec, NodePoolTemplateMetadata, NodePoolTemplateSpec } from '../../../../src/api/karpenter.ts'
import {
  joinRuntimeErrors,
  kubeletErrors,
  kubeletExpressions,
  nodeOverlayErrors,
  nodePoolErrors,
  restrictedTagKeys,
  tagsErrorMessage,
  unsupportedKubeletErrors,
} from '../../../../src/api/runtime-validation/index.ts'

function poolMessage(spec: Partial<NodePoolTemplateSpec>, metadata: NodePoolTemplateMetadata = {}): string {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
  return joinRuntimeErrors(
    nodePoolErrors({
      metadata: { name: 'a' },
      spec: { template: { metadata, spec: { nodeClassRef, requirements: [], ...spec } } },
    }),
  )
}

const inside = (key: string, ...values: string[]): Partial<NodePoolTemplateSpec> => ({
  requirements: [{ key, operator: 'In', values }],
})
const long = 'x'.repeat(250)

describe('a NodePool is usable', () => {
  test.each([
    ['with one known capacity type among others', inside('karpenter.sh/capacity-type', 'on-demand', 'xspot')],
    ['with one known tenancy among others', inside('karpenter.k8s.aws/instance-tenancy', 'default', 'xdedicated')],
    ['with an old label name', inside('beta.kubernetes.io/arch', 'amd64')],
    ['with any value of a well-known label', inside('topology.kubernetes.io/zone', 'test')],
    ['with a domain that merely ends in the same letters', inside('notkarpenter.sh/x', 'a')],
    [
      'with the largest bound there is',
      { requirements: [{ key: 'a', operator: 'Lt' as const, values: ['9223372036854775807'] }] },
    ],
    ['with NotIn without values', { requirements: [{ key: 'a', operator: 'NotIn' as const }] }],
    [
      'with just as many values as it wants at least',
      {
        requirements: [
          { key: 'a', operator: 'In' as const, values: ['b'], minValues: 1 },
          { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['on-demand', 'spot'], minValues: 2 },
          { key: 'c', operator: 'Exists' as const, minValues: 2 },
        ],
      },
    ],
    [
      'with one taint key under two effects',
      {
        taints: [
          { key: 'a', effect: 'NoSchedule' as const },
          { key: 'a', effect: 'NoExecute' as const },
        ],
      },
    ],
  ])('%s', (_name, spec) => {
    expect(poolMessage(spec)).toBe('')
  })

  test('with labels in the domains of Kubernetes', () => {
    expect(
      poolMessage({}, { labels: { 'kops.k8s.io/gpu': '1', 'subdomain.k8s.io/key': 'x', 'kubernetes.io/key': 'x' } }),
    ).toBe('')
  })
})

describe('a NodePool is refused', () => {
  test.each([
    [
      'with unknown capacity types only',
      inside('karpenter.sh/capacity-type', 'xspot'),
      'invalid value: no valid values found in [xspot] for karpenter.sh/capacity-type, expected one of: [on-demand reserved spot], got: [xspot] in requirements, restricted',
    ],
    [
      'with an unknown tenancy only',
      inside('karpenter.k8s.aws/instance-tenancy', 'xdedicated'),
      'no valid values found in [xdedicated]',
    ],
    [
      'with fewer known capacity types than it wants at least',
      {
        requirements: [
          {
            key: 'karpenter.sh/capacity-type',
            operator: 'In' as const,
            values: ['on-demand', 'xspot'],
            minValues: 2,
          },
        ],
      },
      'not enough valid values found in [on-demand xspot] for karpenter.sh/capacity-type, expected at least 2 valid values from: [on-demand reserved spot], got: 1',
    ],
    [
      'with the label of its node class',
      inside('karpenter.k8s.aws/ec2nodeclass', 'x'),
      'using label karpenter.k8s.aws/ec2nodeclass is not allowed',
    ],
    [
      'with too long a prefix',
      inside(`test.com.test.${long}/test`, 'x'),
      'is not a qualified name, prefix part must be no more than 253 bytes',
    ],
    [
      'with too long a name',
      inside(`test.com.test/test-${long}`, 'x'),
      'is not a qualified name, name part must be no more than 63 bytes',
    ],
    [
      'with a value that is no label value',
      inside('a', 'has spaces in it'),
      'invalid value has spaces in it for key a, a valid label must be',
    ],
    [
      'with a taint value that no node can have',
      { startupTaints: [{ key: 'a', value: 'b.c/d', effect: 'NoSchedule' as const }] },
      'invalid value: a valid label must be an empty string or consist of',
    ],
    [
      'with a bound beyond 64 bits',
      { requirements: [{ key: 'a', operator: 'Lt' as const, values: ['9223372036854775808'] }] },
      'key a with operator Lt must have a single positive integer value',
    ],
    [
      'with two bounds in one',
      { requirements: [{ key: 'a', operator: 'Gt' as const, values: ['1', '2'] }] },
      'key a with operator Gt must have a single positive integer value',
    ],
    [
      'with its own name as a requirement',
      inside('karpenter.sh/nodepool', 'p'),
      'invalid key: "karpenter.sh/nodepool" in requirements, restricted',
    ],
    [
      'with the same taint twice, across both lists',
      {
        taints: [{ key: 'a', effect: 'NoSchedule' as const }],
        startupTaints: [{ key: 'a', effect: 'NoSchedule' as const }],
      },
      'duplicate taint Key/Effect pair a=NoSchedule',
    ],
    [
      'with a taint key that is too long',
      { taints: [{ key: `test.com.test/test-${long}`, effect: 'NoSchedule' as const }] },
      'in taints',
    ],
    [
      'with a taint value that is no name',
      { startupTaints: [{ key: 'a', value: 'b c', effect: 'NoSchedule' as const }] },
      'invalid value: name part must consist of',
    ],
    [
      'with a list whose minValues it does not reach',
      { requirements: [{ key: 'a', operator: 'In' as const, values: ['b'], minValues: 2 }] },
      "key a with operator In must have at least minimum number of values defined in 'values' field",
    ],
  ])('%s', (_name, spec, want) => {
    expect(poolMessage(spec)).toContain(want)
  })

  test('with label keys that are no names, and reports every error', () => {
    const message = poolMessage(inside('a', 'b c'), {
      labels: { 'spaces are not allowed': 'x', 'karpenter.sh/nodepool': 'p' },
    })
    expect(message).toContain(
      'invalid key name "karpenter.sh/nodepool" in labels, restricted; invalid key name "spaces are not allowed" in labels, "name part',
    )
    expect(message).toContain('invalid value b c for key a')
  })

  test('with a label value that is none, and with a label that only the controllers set', () => {
    expect(poolMessage({}, { labels: { team: 'a b' } })).toMatch(
      /^invalid value: a b for label\[team\], a valid label must/,
    )
    expect(poolMessage({}, { labels: { 'kubernetes.io/hostname': 'a' } })).toMatch(
      /^invalid key name "kubernetes.io\/hostname" in labels, using label kubernetes.io\/hostname is not allowed/,
    )
    expect(poolMessage({}, { labels: { 'x.karpenter.sh/y': 'a' } })).toContain('using label x.karpenter.sh/y is not')
    expect(poolMessage({}, { labels: { empty: '' } })).toBe('')
  })

  test('with limits that are no quantities, each with its place', () => {
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
    const limits = { memory: '1e1.5', cpu: 100, nodes: '1e.5' }
    const spec = { template: { spec: { nodeClassRef, requirements: [] } }, limits }
    expect(nodePoolErrors({ metadata: {}, spec })).toEqual([
      { path: 'spec.limits.memory', message: 'invalid value: "1e1.5" for memory in limits, no quantity' },
      { path: 'spec.limits.nodes', message: 'invalid value: "1e.5" for nodes in limits, no quantity' },
    ])
  })

  test('with more keys than a NodeClaim takes requirements', () => {
    const labels = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`l${index}`, 'a']))
    const keys = [...Array.from({ length: 46 }, (_, index) => `r${index}`), 'l0', 'beta.kubernetes.io/instance-type']
    const exists = (key: string) => ({ key, operator: 'Exists' as const })
    expect(poolMessage({ requirements: keys.map(exists) }, { labels })).toBe('')
    expect(poolMessage({ requirements: [...keys, 'more'].map(exists) }, { labels })).toBe(
      'invalid value: labels and requirements make 101 requirements of a NodeClaim, which takes 100',
    )
  })

  test('with annotations that no NodeClaim can have', () => {
    const annotations = { 'Example.COM/Owner': '', 'two/slashes/too-many': 'a', 'with spaces': 'a' }
    const reason = (key: string) => new RegExp(`invalid key name "${key}" in annotations, "`)
    expect(poolMessage({}, { annotations: { 'Example.COM/Owner': 'x y' } })).toBe('')
    expect(poolMessage({}, { annotations }).split('; ')).toEqual([
      expect.stringMatching(reason('two/slashes/too-many')),
      expect.stringMatching(reason('with spaces')),
    ])
  })

  test('with a name, or a class of a name, with which no NodeClaim could be labelled', () => {
    const errorsOf = (pool: string, name: string) =>
      nodePoolErrors({
        metadata: { name: pool },
        spec: {
          template: {
            spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name }, requirements: [] },
          },
        },
      })
    const longest = 'x.'.repeat(31) + 'x'
    expect(errorsOf(longest, longest)).toEqual([])
    expect(errorsOf(`x${longest}`, `x${longest}`)).toEqual([
      {
        path: 'metadata.name',
        message: `invalid value: x${longest} for label[karpenter.sh/nodepool], must be no more than 63 bytes`,
      },
      {
        path: 'spec.template.spec.nodeClassRef.name',
        message: `invalid value: x${longest} for label[karpenter.k8s.aws/ec2nodeclass], must be no more than 63 bytes`,
      },
    ])
    expect(errorsOf('a', 'my class')).toMatchObject([{ path: 'spec.template.spec.nodeClassRef.name' }])
  })
})

describe('a NodeOverlay', () => {
  const messageOf = (spec: Partial<NodeOverlaySpec>): string =>
    joinRuntimeErrors(nodeOverlayErrors({ spec: { requirements: [], ...spec } }))
  test('may add GPUs, but no resource that every type has', () => {
    expect(messageOf({ capacity: { 'nvidia.com/gpu': 1 } })).toBe('')
    expect(messageOf({ capacity: { 'aws.amazon.com/neuron': 1 } })).toBe(
      'invalid capacity: aws.amazon.com/neuron in resource, restricted',
    )
  })

  test('may not have a capacity that is no quantity', () => {
    expect(messageOf({ capacity: { 'example.com/fuse': '1e1.5' } })).toBe(
      'invalid value: "1e1.5" for example.com/fuse in capacity, no quantity',
    )
  })

  test('may name pools and any other label that nodes have', () => {
    const keys = ['karpenter.sh/nodepool', 'node.kubernetes.io/instance-type', 'example.com/team']
    const requirements = keys.map((key) => ({ key, operator: 'In' as const, values: ['a'] }))
    expect(messageOf({ requirements })).toBe('')
  })

  test('needs values for NotIn', () => {
    expect(messageOf({ requirements: [{ key: 'a', operator: 'NotIn' }] })).toContain(
      'key a with operator NotIn must have a value defined',
    )
  })
})

describe('kubelet settings', () => {
  const invalid: Record<string, [Record<string, unknown>, string]> = {
    'text for a number': [{ podsPerCore: 'ten' }, 'spec.kubelet: json: cannot unmarshal string'],
    'an unknown field': [{ notAKubeletField: true }, 'spec.kubelet: unknown field "notAKubeletField"'],
    'an unknown field further down': [{ logging: { bogus: true } }, 'spec.kubelet: unknown field "logging.bogus"'],
    'a field in the wrong case': [{ MaxPods: 1 }, 'unknown field "MaxPods"'],
    'soft eviction alone': [
      { evictionSoft: { 'memory.available': '5%' } },
      'spec.kubelet.evictionSoft[memory.available]: has no matching evictionSoftGracePeriod',
    ],
    'a grace period alone': [{ evictionSoftGracePeriod: { 'memory.available': '1m' } }, 'has no matching evictionSoft'],
    'equal thresholds': [
      { imageGCHighThresholdPercent: 70, imageGCLowThresholdPercent: 70 },
      'spec.kubelet: imageGCHighThresholdPercent (70) must be greater than imageGCLowThresholdPercent (70)',
    ],
    'a threshold above 100': [{ imageGCHighThresholdPercent: 101 }, '101 must be between 0 and 100'],
    'a resource that cannot be reserved': [
      { kubeReserved: { gpu: '1' } },
      `"gpu" isn't a reservable resource, must be one of cpu, memory, ephemeral-storage, pid`,
    ],
    'a negative reservation': [
      { kubeReserved: { cpu: '-1' } },
      `spec.kubelet.kubeReserved[cpu]: "-1" can't be a negative resource quantity`,
    ],
    'a negative number of pods': [{ maxPods: -1 }, "-1 can't be negative"],
    'a truth value for the number of pods': [{ maxPods: true }, 'cannot unmarshal bool'],
    'text for a list': [{ clusterDNS: '10.0.0.10' }, 'cannot unmarshal string'],
    'a number further on in a list': [{ clusterDNS: ['10.0.0.10', 5] }, 'cannot unmarshal number into'],
    'text for a map': [{ kubeReserved: '100m' }, 'cannot unmarshal string into'],
    'a list for a map': [{ kubeReserved: ['100m'] }, 'cannot unmarshal array into'],
    'a list for a part with fields': [{ authentication: [] }, 'cannot unmarshal array into'],
    'a number that is too low': [{ oomScoreAdj: -3_000_000_000 }, 'cannot unmarshal number -3000000000 into'],
    'a number below zero where there is no sign': [{ logging: { verbosity: -1 } }, 'cannot unmarshal number -1 into'],
    'a number for a duration': [{ syncFrequency: 60 }, 'cannot unmarshal number into'],
    'a truth value for a span of time': [{ logging: { flushFrequency: true } }, 'cannot unmarshal bool into'],
    'no quantity': [
      { logging: { options: { json: { infoBufferSize: 'much' } } } },
      'quantities must match the regular expression',
    ],
    'a number for a reservation': [{ kubeReserved: { cpu: 1 } }, 'cannot unmarshal number into'],
    'a number that is too large': [{ podsPerCore: 3_000_000_000 }, 'cannot unmarshal number 3000000000 into'],
    'a fraction': [{ maxPods: 1.5 }, 'cannot unmarshal number 1.5 into'],
    'an unknown signal': [{ evictionHard: { 'disk.full': '5%' } }, `"disk.full" isn't a valid eviction signal`],
    'a percentage above 100': [
      { evictionHard: { 'memory.available': '101%' } },
      '"101%" must be a percentage or a resource quantity',
    ],
    'a negative amount': [
      { evictionHard: { 'memory.available': '-1Gi' } },
      `spec.kubelet.evictionHard[memory.available]: "-1Gi" can't be a negative resource quantity`,
    ],
    'a negative grace period': [
      { evictionSoft: { 'memory.available': '5%' }, evictionSoftGracePeriod: { 'memory.available': '-1m' } },
      `spec.kubelet.evictionSoftGracePeriod[memory.available]: "-1m" can't be a negative duration`,
    ],
    'a threshold below 0': [{ imageGCLowThresholdPercent: -1 }, '-1 must be between 0 and 100'],
    'no duration': [{ syncFrequency: 'soon' }, 'time: invalid duration "soon"'],
    taints: [
      { registerWithTaints: [{ key: 'a', effect: 'NoSchedule' }] },
      "spec.kubelet.registerWithTaints: can't be set",
    ],
  }
  test.each(Object.entries(invalid))('are refused with %s', (_name, [kubelet, want]) => {
    expect(kubeletErrors(kubelet).join('; ')).toContain(want)
  })

  test('may be all that every family applies, zeros included', () => {
    const kubelet = {
      clusterDNS: ['10.0.0.10'],
      maxPods: 0,
      podsPerCore: 0,
      systemReserved: { cpu: '100m', memory: '100Mi', 'ephemeral-storage': '1Gi', pid: '100' },
      kubeReserved: { cpu: '0' },
      evictionHard: { 'memory.available': '0', 'nodefs.available': '0%', 'nodefs.inodesFree': '100%' },
      evictionSoft: { 'imagefs.available': '500Mi', 'imagefs.inodesFree': '10%', 'pid.available': '5%' },
      evictionSoftGracePeriod: { 'imagefs.available': '1m', 'imagefs.inodesFree': '0s', 'pid.available': '1h30m' },
      evictionMaxPodGracePeriod: 0,
      imageGCHighThresholdPercent: 100,
      imageGCLowThresholdPercent: 0,
      cpuCFSQuota: true,
    }
    expect(kubeletErrors(kubelet)).toEqual([])
    expect(kubeletExpressions(kubelet)).toEqual([])
    expect(unsupportedKubeletErrors(kubelet, 'AL2')).toEqual([])
    expect(unsupportedKubeletErrors(kubelet, 'Windows2022')).toEqual([])
  })

  test('may be of every type that the kubelet knows', () => {
    const kubelet = {
      memoryThrottlingFactor: 0.9,
      podPidsLimit: 4_294_967_296,
      oomScoreAdj: -999,
      syncFrequency: '1m30s',
      featureGates: { NodeSwap: true },
      authentication: { anonymous: { enabled: false }, webhook: { cacheTTL: '2m' } },
      staticPodURLHeader: { Accept: ['a', 'b'] },
      shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 60 }],
      reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi', 'hugepages-2Mi': 0 } }],
      logging: { flushFrequency: 5_000_000_000, verbosity: 4_294_967_295 },
    }
    expect(kubeletErrors(kubelet)).toEqual([])
    expect(kubeletErrors({ logging: { flushFrequency: '5s' } })).toEqual([])
  })

  // As the types of k8s.io/kubelet v0.36.3 and Go's decoder have it.
  test('may be null, but not where a duration belongs, which Go reads as empty text', () => {
    expect(kubeletErrors({ maxPods: null, clusterDNS: null, evictionHard: null, logging: null })).toEqual([])
    expect(kubeletErrors({ imageMinimumGCAge: null })).toEqual(['spec.kubelet: time: invalid duration ""'])
    expect(kubeletErrors({ evictionHard: { 'memory.available': null } })).toEqual([
      'spec.kubelet.evictionHard[memory.available]: "" must be a percentage or a resource quantity',
    ])
    expect(kubeletExpressions({ kubeReserved: { cpu: null } })).toEqual([{ field: 'kubeReserved[cpu]', text: '' }])
  })

  test('have percentages and quantities as Go reads them', () => {
    expect(kubeletErrors({ evictionHard: { 'memory.available': '1e1%', 'nodefs.available': '.5Gi' } })).toEqual([])
    expect(kubeletErrors({ reservedMemory: [{ numaNode: 0, limits: { memory: ' 1Gi ' } }] })).toEqual([])
  })

  test('are told of every field that does not exist, at any depth', () => {
    const authentication = { x509: { clientCAFile: '/ca', file: '/x' }, anonymous: { enabled: false }, ldap: {} }
    expect(kubeletErrors({ maxPods: 5, authentication, podPidLimit: 9 })).toEqual(
      ['authentication.x509.file', 'authentication.ldap', 'podPidLimit'].map(
        (field) => `spec.kubelet: unknown field "${field}"`,
      ),
    )
  })

  test('may be an expression, which is told apart from a quantity', () => {
    expect(kubeletErrors({ maxPods: 'vcpus * 10', kubeReserved: { cpu: 'vcpus * 10' } })).toEqual([])
    expect(kubeletExpressions({ maxPods: 'vcpus * 10' })).toEqual([{ field: 'maxPods', text: 'vcpus * 10' }])
    expect(kubeletExpressions({ kubeReserved: { cpu: '100m', memory: 'memory_mib / 20' } })).toEqual([
      { field: 'kubeReserved[memory]', text: 'memory_mib / 20' },
    ])
    expect(kubeletExpressions({ maxPods: 110, kubeReserved: { cpu: '100m' } })).toEqual([])
  })

  test('outside the managed ones need a family that takes the whole document', () => {
    expect(kubeletErrors({ serializeImagePulls: false })).toEqual([])
    expect(unsupportedKubeletErrors({ serializeImagePulls: false }, 'AL2023')).toEqual([])
    expect(unsupportedKubeletErrors({ serializeImagePulls: false }, 'Custom')).toEqual([])
    expect(
      unsupportedKubeletErrors({ serializeImagePulls: false, podsPerCore: 1, maxPods: 5 }, 'Bottlerocket'),
    ).toEqual([
      'spec.kubelet has fields not applied by the Bottlerocket AMI family that would be silently dropped: podsPerCore, serializeImagePulls',
    ])
    expect(unsupportedKubeletErrors({ clusterDNS: ['a', 'b'] }, 'AL2')).toEqual([
      "spec.kubelet.clusterDNS: the AL2 AMI family doesn't accept multiple entries, only one, but 2 were set",
    ])
  })
})

test('tags of the controller are restricted', () => {
  expect(
    restrictedTagKeys({
      'kubernetes.io/cluster/x': 'owned',
      'kubernetes.io/cluster-other': 'x',
      'karpenter.sh/nodeclaim': 'x',
      Name: 'n',
    }),
  ).toEqual(['karpenter.sh/nodeclaim', 'kubernetes.io/cluster/x'])
  expect(tagsErrorMessage({ 'kubernetes.io/cluster/x': 'owned', 'eks:eks-cluster-name': 'x' })).toBe(
    'tags failed validation requirements, "eks:eks-cluster-name", "kubernetes.io/cluster/x"',
  )
  expect(tagsErrorMessage({ Name: 'n' })).toBeUndefined()
})
