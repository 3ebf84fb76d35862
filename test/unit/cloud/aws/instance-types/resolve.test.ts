import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseQuantity } from '../../../../../src/model/quantity.ts'
import { toResourceList } from '../../../../../src/model/resources.ts'
import { allocatable, amount, label, resolved, typeSettings } from '../../../../support/resolved-type.ts'

interface Expected {
  readonly category: string
  readonly family: string
  readonly generation: string
  readonly size: string
  readonly allocatable: Readonly<Record<string, string>>
}

const expectedTypes: Record<string, Expected> = JSON.parse(
  readFileSync(new URL('../../../../support/expected-instance-types.json', import.meta.url), 'utf8'),
)
const reserved = ({ overhead }: ReturnType<typeof resolved>, resource: string) =>
  overhead.kubeReserved.get(resource)?.toString()

describe('what a node of a type offers to pods is what Karpenter publishes', () => {
  test.each(Object.entries(expectedTypes))('%s', (name, expected) => {
    const type = resolved(name)
    for (const [resource, text] of Object.entries(expected.allocatable)) {
      expect([resource, allocatable(type, resource)]).toEqual([resource, parseQuantity(text).toString()])
    }
    const extended = [...type.capacity]
      .filter(([resource, quantity]) => resource.includes('/') && !quantity.isZero)
      .map(([resource]) => resource)
    expect(extended.toSorted()).toEqual(
      Object.keys(expected.allocatable)
        .filter((key) => key.includes('/'))
        .toSorted(),
    )
    expect([
      label(type, 'karpenter.k8s.aws/instance-category'),
      label(type, 'karpenter.k8s.aws/instance-family'),
      label(type, 'karpenter.k8s.aws/instance-generation'),
      label(type, 'karpenter.k8s.aws/instance-size'),
    ]).toEqual([expected.category, expected.family, expected.generation, expected.size])
  })

  test('the checks of the specification', () => {
    const rows = ['m5.large', 'm5.xlarge', 'c6g.large', 'p4d.24xlarge'].map((name) => {
      const type = resolved(name)
      return [
        name,
        allocatable(type, 'cpu'),
        parseQuantity(allocatable(type, 'memory')).units / 1048576n,
        allocatable(type, 'pods'),
      ]
    })
    expect(rows).toEqual([
      ['m5.large', '1930m', 6903n, '29'],
      ['m5.xlarge', '3920m', 14162n, '58'],
      ['c6g.large', '1930m', 3055n, '29'],
      ['p4d.24xlarge', '95690m', 1082712n, '737'],
    ])
    expect(allocatable(resolved('m5.large'), 'ephemeral-storage')).toBe('17Gi')
  })
})

describe('pods and what is reserved for them', () => {
  const rows: Record<string, [spec: object, more: object, pods: string, reservedMemory: string]> = {
    'case 40: AL2023 by its interfaces': [{}, {}, '35', '640Mi'],
    'case 40: a reserved interface takes pods, not reserved memory': [{}, { reservedENIs: 1 }, '24', '640Mi'],
    'case 40: Bottlerocket reserves for the pods it runs': [
      { amiFamily: 'Bottlerocket' },
      { reservedENIs: 1 },
      '24',
      '519Mi',
    ],
    'case 40: Windows runs 110': [{ amiFamily: 'Windows2022' }, { reservedENIs: 1 }, '110', '1465Mi'],
    'no interface left, not even for pods of the host': [{}, { reservedENIs: 3 }, '0', '640Mi'],
    'case 40: no interface left': [{}, { reservedENIs: 1_000_000 }, '0', '640Mi'],
    'case 41: maxPods on AL2': [{ amiFamily: 'AL2', kubelet: { maxPods: 10 } }, {}, '10', '640Mi'],
    'case 41: maxPods on Custom': [{ amiFamily: 'Custom', kubelet: { maxPods: 10 } }, {}, '10', '640Mi'],
    'case 41: maxPods on Bottlerocket': [{ amiFamily: 'Bottlerocket', kubelet: { maxPods: 10 } }, {}, '10', '365Mi'],
    'case 41: maxPods on Windows': [{ amiFamily: 'Windows2019', kubelet: { maxPods: 10 } }, {}, '10', '365Mi'],
    'case 42: podsPerCore is a bound': [{ kubelet: { podsPerCore: 4, maxPods: 20 } }, {}, '8', '640Mi'],
    'case 42: podsPerCore may be one': [{ kubelet: { podsPerCore: 1 } }, {}, '2', '640Mi'],
    'case 42: maxPods is the smaller one': [{ kubelet: { podsPerCore: 40, maxPods: 20 } }, {}, '20', '640Mi'],
    'case 42: Bottlerocket ignores podsPerCore': [
      { amiFamily: 'Bottlerocket', kubelet: { podsPerCore: 4, maxPods: 20 } },
      {},
      '20',
      '475Mi',
    ],
    'case 42: podsPerCore 0 is unset': [{ kubelet: { podsPerCore: 0 } }, {}, '35', '640Mi'],
  }
  test.each(Object.entries(rows))('%s', (_name, [spec, more, pods, memory]) => {
    const type = resolved('t3.large', typeSettings(spec, more))
    expect([amount(type, 'pods'), reserved(type, 'memory')]).toEqual([pods, memory])
  })

  test('case 43: kubeReserved overrides each key it names', () => {
    const type = resolved('m5.large', typeSettings({ kubelet: { kubeReserved: { memory: '10Gi', cpu: '2' } } }))
    expect([reserved(type, 'memory'), reserved(type, 'cpu'), reserved(type, 'ephemeral-storage')]).toEqual([
      '10Gi',
      '2',
      '1Gi',
    ])
    expect(type.overhead.systemReserved.size).toBe(0)
  })

  test('systemReserved is what the class says', () => {
    const type = resolved('m5.large', typeSettings({ kubelet: { systemReserved: { cpu: '200m' } } }))
    expect(toResourceList(type.overhead.systemReserved)).toEqual({ cpu: '200m' })
    expect(allocatable(type, 'cpu')).toBe('1730m')
  })

  const thresholds: Record<string, [kubelet: object, memory: string]> = {
    'case 44: a percentage of the computed memory': [
      { evictionHard: { 'memory.available': '10%' } },
      String(Math.ceil(((8192 - 615) * 1048576) / 10)),
    ],
    'case 44: 100% switches it off': [{ evictionHard: { 'memory.available': '100%' } }, '0'],
    'case 44: soft thresholds do not count': [{ evictionSoft: { 'memory.available': '1Gi' } }, '100Mi'],
    'a quantity': [{ evictionHard: { 'memory.available': '200Mi' } }, '200Mi'],
  }
  test.each(Object.entries(thresholds))('%s', (_name, [kubelet, memory]) => {
    const type = resolved('m5.large', typeSettings({ kubelet: { ...kubelet } }))
    expect(type.overhead.evictionThreshold.get('memory')?.toString()).toBe(memory)
  })
})

describe('case 45: ephemeral storage', () => {
  const rows: Record<string, [type: string, spec: object, storage: string]> = {
    'the size of the root device': [
      'm5.large',
      { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '40Gi' } }] },
      '40Gi',
    ],
    'the mapping marked as root volume': [
      'm5.large',
      {
        blockDeviceMappings: [
          { deviceName: '/dev/xvda', ebs: { volumeSize: '40Gi' } },
          { deviceName: '/dev/xvdb', rootVolume: true, ebs: { volumeSize: '80Gi' } },
        ],
      },
      '80Gi',
    ],
    'Custom without sizes': [
      'm5.large',
      { amiFamily: 'Custom', blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { snapshotID: 'snap-1' } }] },
      '20Gi',
    ],
    'Custom takes the last mapping': [
      'm5.large',
      { amiFamily: 'Custom', blockDeviceMappings: [{ ebs: { volumeSize: '30Gi' } }, { ebs: { volumeSize: '50Gi' } }] },
      '50Gi',
    ],
    'Bottlerocket keeps pods on its second disk': [
      'm5.large',
      { amiFamily: 'Bottlerocket', blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '40Gi' } }] },
      '20Gi',
    ],
    'Windows has a larger default': ['m5.large', { amiFamily: 'Windows2022' }, '50Gi'],
    'RAID0 of the instance store': ['m6idn.32xlarge', { instanceStorePolicy: 'RAID0' }, '7600G'],
    'RAID0 without an instance store': ['m5.large', { instanceStorePolicy: 'RAID0' }, '20Gi'],
  }
  test.each(Object.entries(rows))('%s', (_name, [type, spec, storage]) => {
    expect(amount(resolved(type, typeSettings(spec)), 'ephemeral-storage')).toBe(
      storage === '7600G' ? '7600G' : storage,
    )
  })
})

describe('devices and labels', () => {
  test('case 48: accelerators are resources and labels', () => {
    const inf2 = resolved('inf2.24xlarge')
    expect([amount(inf2, 'aws.amazon.com/neuron'), amount(inf2, 'aws.amazon.com/neuroncore')]).toEqual(['6', '12'])
    const trn1 = resolved('trn1.2xlarge')
    expect([amount(trn1, 'aws.amazon.com/neuron'), amount(trn1, 'aws.amazon.com/neuroncore')]).toEqual(['1', '2'])
    const g4dn = resolved('g4dn.8xlarge')
    expect(amount(g4dn, 'nvidia.com/gpu')).toBe('1')
    expect(
      ['gpu-name', 'gpu-memory', 'local-nvme', 'network-bandwidth', 'gpu-manufacturer', 'gpu-count'].map((key) =>
        label(g4dn, `karpenter.k8s.aws/instance-${key}`),
      ),
    ).toEqual(['t4', '16384', '900', '50000', 'nvidia', '1'])
    expect(amount(resolved('g6f.xlarge'), 'nvidia.com/gpu')).toBe('0')
    expect(label(resolved('g6f.xlarge'), 'karpenter.k8s.aws/instance-gpu-count')).toBe('0')
  })

  test('spot checks of the branch interfaces', () => {
    const checks = {
      'm5.large': 9,
      'm5.xlarge': 18,
      'm5.2xlarge': 38,
      'c5.4xlarge': 54,
      'r6i.8xlarge': 84,
      'm6i.12xlarge': 114,
      'm5.24xlarge': 107,
      'm5.metal': 120,
      'p5.48xlarge': 120,
      't3.large': 0,
    }
    const got = Object.keys(checks).map((name) => [name, Number(amount(resolved(name), 'vpc.amazonaws.com/pod-eni'))])
    expect(Object.fromEntries(got)).toEqual(checks)
  })

  test('Windows counts addresses, and arm64 is not for it', () => {
    const settings = typeSettings({ amiFamily: 'Windows2022' })
    expect(amount(resolved('m5.large', settings), 'vpc.amazonaws.com/PrivateIPv4Address')).toBe('9')
    // Of those that AWS's tables of network limits leave out, the VPC controller hands out none.
    for (const unknown of ['hpc6a.48xlarge', 'hpc7a.96xlarge', 'trn2.48xlarge']) {
      expect(amount(resolved(unknown, settings), 'vpc.amazonaws.com/PrivateIPv4Address')).toBe('0')
    }
    expect(label(resolved('m5.large', settings), 'kubernetes.io/os')).toBe('windows')
    expect(label(resolved('m5.large', settings), 'node.kubernetes.io/windows-build')).toBe('10.0.20348')
    expect(label(resolved('c6g.large', settings), 'kubernetes.io/os')).toBe('')
  })

  test('names are taken apart as labels', () => {
    const labels = (name: string) =>
      ['category', 'generation', 'family', 'size', 'capability-flex'].map((key) =>
        label(resolved(name), `karpenter.k8s.aws/instance-${key}`),
      )
    expect(labels('m5.large')).toEqual(['m', '5', 'm5', 'large', 'false'])
    expect(labels('u-6tb1.112xlarge')).toEqual(['u', '1', 'u-6tb1', '112xlarge', 'false'])
    expect(labels('g6f.xlarge')).toEqual(['g', '6', 'g6f', 'xlarge', 'false'])
    expect(labels('m7i-flex.8xlarge')).toEqual(['m', '7', 'm7i-flex', '8xlarge', 'true'])
    expect(label(resolved('m5.metal'), 'karpenter.k8s.aws/instance-hypervisor')).toBe('')
    expect(label(resolved('m5.large'), 'topology.kubernetes.io/zone')).toBe('us-east-1a')
    expect(label(resolved('m5.large'), 'topology.k8s.aws/zone-id')).toBe('use1-az1')
  })
})

describe('case 36: expressions', () => {
  const settings = (expressions: 'evaluate' | 'ignore') =>
    typeSettings({ kubelet: { maxPods: 'min(110, max_pods)' } }, { expressions })

  test('are evaluated for each type', () => {
    expect(amount(resolved('m5.xlarge', settings('evaluate')), 'pods')).toBe('58')
    expect(amount(resolved('m5.4xlarge', settings('evaluate')), 'pods')).toBe('110')
  })

  test('count as unset while the gate is off', () => {
    expect(amount(resolved('m5.4xlarge', settings('ignore')), 'pods')).toBe('234')
  })

  test('give amounts in steps, and what fails or is negative is dropped', () => {
    const kubelet = {
      kubeReserved: {
        cpu: 'double(vcpus) * 12.3',
        memory: 'memory_mib / 1000',
        pid: '0 - vcpus',
        'ephemeral-storage': 'vcpus',
      },
    }
    const type = resolved('m5.large', typeSettings({ kubelet }))
    expect([
      reserved(type, 'cpu'),
      reserved(type, 'memory'),
      reserved(type, 'ephemeral-storage'),
      reserved(type, 'pid'),
    ]).toEqual(['30m', '16Mi', '2Gi', undefined])
  })

  test('an amount beyond all measure is dropped and takes no type away', () => {
    const kubelet = { kubeReserved: { memory: 'double(memory_mib) * 1e20', cpu: '1e30 + 1.0', pid: '100' } }
    const type = resolved('m5.large', typeSettings({ kubelet }))
    expect([reserved(type, 'memory'), reserved(type, 'cpu'), reserved(type, 'pid')]).toEqual(['574Mi', '70m', '100'])
  })

  test('a maxPods out of range fails the type', () => {
    expect(() => resolved('m5.large', typeSettings({ kubelet: { maxPods: '0 - 1' } }))).toThrow('out of range')
    expect(() => resolved('m5.large', typeSettings({ kubelet: { maxPods: 'vcpus / 0' } }))).toThrow('division by zero')
  })
})
