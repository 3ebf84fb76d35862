import { expect, test } from 'vitest'
import { catalogue } from '../../../../src/embedded/aws/catalogue.ts'
import type { InstanceRecord } from '../../../../src/embedded/aws/state.ts'
import { extendedResources, nodeResources } from '../../../../src/embedded/kubelet/node-resources.ts'
import { parseUserData } from '../../../../src/embedded/kubelet/user-data.ts'

function facts(name: string) {
  const found = catalogue().get(name)
  if (found === undefined) throw new Error(`no type ${name}`)
  return found
}

const instance = (more: Partial<InstanceRecord> = {}) =>
  ({ interfaces: [{ type: 'interface' }], volumes: [{ device: '/dev/xvda', sizeGiB: 20 }], ...more }) as InstanceRecord

const settings = parseUserData('')

test.each([
  // With 7.5 % overhead these are the autoscaler's own predictions for AL2023.
  ['m5.large', '1930m', 6903, '29'],
  ['m5.xlarge', '3920m', 14162, '58'],
  ['p4d.24xlarge', '95690m', 1082712, '737'],
])('%s offers what EKS images leave', (type, cpu, memoryMi, pods) => {
  const { allocatable } = nodeResources(facts(type), instance(), settings, 0.075)
  expect(allocatable).toMatchObject({ cpu, pods })
  const ki = Number(String(allocatable['memory']).replace('Ki', ''))
  expect(Math.abs(ki / 1024 - memoryMi)).toBeLessThanOrEqual(2)
})

test('less overhead leaves more memory', () => {
  const ki = (overhead: number) =>
    Number.parseInt(String(nodeResources(facts('m5.large'), instance(), settings, overhead).allocatable['memory']), 10)
  expect(ki(0.05)).toBeGreaterThan(ki(0.075))
})

test('reservations and thresholds of the user data win', () => {
  const own = {
    ...settings,
    maxPods: 10,
    kubeReserved: { cpu: '100m', memory: '1Gi' },
    evictionHard: { 'memory.available': '10%' },
  }
  const { capacity, allocatable } = nodeResources(facts('m5.large'), instance(), own, 0)
  expect(capacity).toMatchObject({ pods: '10', memory: `${8192 * 1024}Ki` })
  expect(allocatable).toMatchObject({ cpu: '1900m', memory: `${Math.floor(8192 * 1024 * 0.9 - 1024 * 1024)}Ki` })
})

test.each([
  ['the pods of each core bound those of the node', { maxPods: 20, podsPerCore: 4 }, 'pods', '8'],
  ['no number of pods for each core bounds nothing', { maxPods: 20, podsPerCore: 0 }, 'pods', '20'],
  [
    'an Amazon Linux reserves for the addresses of its interfaces',
    { maxPods: 10 },
    'memory',
    `${(8192 - 574 - 100) * 1024}Ki`,
  ],
  [
    'Bottlerocket and Windows reserve for the pods that they take',
    { maxPods: 10, reservesFor: 'pods' as const },
    'memory',
    `${(8192 - 365 - 100) * 1024}Ki`,
  ],
])('%s', (_name, more, resource, amount) => {
  const { allocatable } = nodeResources(facts('m5.large'), instance(), { ...settings, ...more }, 0)
  expect(allocatable[resource]).toBe(amount)
})

test('storage is the volume, or the local disks where they hold the pods', () => {
  const storage = (local: boolean) =>
    nodeResources(facts('m5d.large'), instance(), { ...settings, localStorage: local }, 0).capacity['ephemeral-storage']
  expect(storage(false)).toBe(`${20 * 1024 * 1024}Ki`)
  expect(storage(true)).toBe(`${Math.floor(75e9 / 1024)}Ki`)
})

test('devices are announced as extended resources', () => {
  expect(extendedResources(facts('g4dn.xlarge'), instance())).toMatchObject({ 'nvidia.com/gpu': '1' })
  expect(extendedResources(facts('inf2.xlarge'), instance())).toMatchObject({
    'aws.amazon.com/neuron': '1',
    'aws.amazon.com/neuroncore': '2',
  })
  expect(extendedResources(facts('m5.large'), instance(), 'windows')).toMatchObject({
    'vpc.amazonaws.com/PrivateIPv4Address': '9',
  })
  const efa = instance({ interfaces: [{ id: 'eni-1', type: 'efa', card: 0, device: 0 }] })
  expect(extendedResources(facts('p4d.24xlarge'), efa)).toMatchObject({
    'nvidia.com/gpu': '8',
    'vpc.amazonaws.com/efa': '1',
  })
})
